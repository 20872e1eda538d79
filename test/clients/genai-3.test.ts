import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GoogleGenAI } from "@google/genai-3";
import { isObject, type JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { mp4Boxes } from "@sluice/sandbox/testing/media-files.ts";
import { KEY, type TestGateway } from "#test/harness.ts";
import { openClientsGateway } from "#test/languages/gateway.ts";
import { waitFor } from "#test/wait.ts";

const TEXT = "gemini-2.5-flash";
const VEO = "veo-3.1-generate-preview";

let gateway: TestGateway;
let client: GoogleGenAI;
beforeAll(async () => {
  gateway = await openClientsGateway();
  client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: gateway.url } });
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** Its third major asks `/v1`, and makes pictures and videos in cloud mode alone. */
test("the third major version of the native client gets text, complete and streamed", async () => {
  const asked = { model: TEXT, contents: "Say hello." };
  const { text } = await client.models.generateContent(asked);
  let streamed = "";
  for await (const chunk of await client.models.generateContentStream(asked)) {
    streamed += chunk.text ?? "";
  }
  const { totalTokens = 0 } = await client.models.countTokens(asked);

  expect(text).not.toBe("");
  expect(streamed).not.toBe("");
  expect(totalTokens).toBeGreaterThan(0);
});

test("it gets embeddings", async () => {
  const { embeddings } = await client.models.embedContent({
    model: "gemini-embedding-001",
    contents: ["a", "b"],
  });

  expect(embeddings?.map(({ values }) => (values?.length ?? 0) > 0)).toEqual([true, true]);
});

test("it gets an image within a response", async () => {
  const { candidates } = await client.models.generateContent({
    model: "gemini-2.5-flash-image",
    contents: "A fox, please.",
  });

  const parts = candidates?.[0]?.content?.parts ?? [];
  expect(parts.some(({ inlineData }) => (inlineData?.data?.length ?? 0) > 100)).toBe(true);
});

test("it gets images and a video in cloud mode", async () => {
  const cloud = new GoogleGenAI({
    vertexai: true,
    apiKey: KEY,
    httpOptions: { baseUrl: gateway.url },
  });
  const { generatedImages } = await cloud.models.generateImages({
    model: "imagen-4.0-generate-001",
    prompt: "a fox",
  });
  let operation = await cloud.models.generateVideos({ model: VEO, source: { prompt: "a fox" } });
  await waitFor(async () => {
    operation = await cloud.operations.getVideosOperation({ operation });
    return operation.done === true;
  }, 20_000);

  expect(generatedImages?.[0]?.image?.imageBytes?.length).toBeGreaterThan(100);
  const bytes = operation.response?.generatedVideos?.[0]?.video?.videoBytes ?? "";
  const boxes = mp4Boxes(new Uint8Array(Buffer.from(bytes, "base64")));
  expect(boxes.map(({ path }) => path)).toContain("moov/trak/mdia");
}, 40_000);

test("it downloads a video by the link of its operation", async () => {
  const begun = await gateway.post(`/v1/models/${VEO}:predictLongRunning`, {
    instances: [{ prompt: "a fox" }],
  });
  const { name } = (await begun.json()) as { name: string };
  let uri = "";
  await waitFor(async () => {
    const { response } = (await (await gateway.get(`/v1/${name}`)).json()) as JsonObject;
    const samples = memberOf(memberOf(response, "generateVideoResponse"), "generatedSamples");
    const [sample] = Array.isArray(samples) ? samples : [];
    uri = isObject(sample) ? (textOf(memberOf(sample["video"], "uri")) ?? "") : "";
    return uri !== "";
  }, 20_000);
  const folder = mkdtempSync(join(tmpdir(), "sluice-test-"));
  const downloadPath = join(folder, "a.mp4");
  await client.files.download({ file: { uri }, downloadPath });

  const boxes = mp4Boxes(new Uint8Array(readFileSync(downloadPath)));
  expect(boxes.map(({ path }) => path)).toContain("moov/trak/mdia");
  rmSync(folder, { recursive: true });
}, 40_000);
