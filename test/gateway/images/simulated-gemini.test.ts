import { afterAll, beforeAll, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import type { JsonObject } from "#lib/json.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";

/** In front of the simulator, which refuses what the vendor refuses. */
const MODELS = [
  "gemini-2.5-flash-image",
  "gemini-3-pro-image",
  "gemini-3.1-flash-image",
  "imagen-4.0-generate-001",
  "imagen-4.0-fast-generate-001",
];

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      `  - { name: one, provider: gemini, base_url: "${sandbox.url}/gemini/v1beta", api_key: AIza-test, models: [${MODELS.join(", ")}] }`,
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

interface Envelope {
  code: number;
  data: { data: { b64_json: string }[] } | null;
}

async function draw(body: JsonObject): Promise<{ status: number; pictures: string[] }> {
  const answer = await gateway.post("/v1/images/generations", { prompt: "A paper fox", ...body });
  const { data } = (await answer.json()) as Envelope;
  return { status: answer.status, pictures: data?.data.map(({ b64_json }) => b64_json) ?? [] };
}

async function look(base64 = ""): Promise<string> {
  const { format, width, height } = await new Bun.Image(Buffer.from(base64, "base64")).metadata();
  return `${format} ${width}x${height}`;
}

test.each<[string, JsonObject, string]>([
  [MODELS[0] ?? "", {}, "png 1024x1024"],
  [MODELS[0] ?? "", { size: "1792x1024", quality: "hd", n: 2 }, "png 1376x768"],
  [MODELS[1] ?? "", { aspect_ratio: "9:16", image_size: "2K" }, "png 1536x2720"],
  [MODELS[1] ?? "", { mime_type: "image/jpeg" }, "jpeg 1024x1024"],
  [MODELS[2] ?? "", { aspect_ratio: "8:1", image_size: "512" }, "png 1440x192"],
  [MODELS[2] ?? "", { response_modalities: "image-text" }, "png 1024x1024"],
  [MODELS[3] ?? "", { size: "1024x1792", quality: "hd" }, "png 1536x2688"],
  [MODELS[4] ?? "", { n: 5, quality: "hd" }, "png 1024x1024"],
])("[A4.11-b] %s makes %j", async (model, requested, expected) => {
  const { status, pictures } = await draw({ model, ...requested });

  expect([status, pictures.length]).toEqual([200, Number(requested["n"] ?? 1)]);
  expect(await look(pictures[0])).toBe(expected);
});

test.each(MODELS.slice(0, 3))("[A4.11-b] %s continues a conversation", async (model) => {
  const first = await draw({ model });
  const image = `data:image/png;base64,${first.pictures[0] ?? ""}`;

  const second = await draw({
    model,
    prompt: "Now in red",
    contents: [
      { role: "user", parts: [{ text: "A paper fox" }] },
      { role: "model", parts: [{ image }] },
    ],
  });

  expect([second.status, second.pictures.length]).toEqual([200, 1]);
  expect(second.pictures[0]).not.toBe(first.pictures[0] ?? "");
});

test("[A4.11-b] an image that the vendor blocks is refused, and completed ones are kept", async () => {
  const some = { model: MODELS[3] ?? "", prompt: "A fox, please fail image 2", n: 3 };

  expect(await draw({ model: MODELS[0] ?? "", prompt: "please refuse" })).toMatchObject({
    status: 400,
  });
  expect(await draw({ model: MODELS[3] ?? "", prompt: "please refuse" })).toMatchObject({
    status: 400,
  });
  expect((await draw(some)).pictures).toHaveLength(2);
});

test("[A4.7-e] the official client gets images, complete and streamed", async () => {
  const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: gateway.url } });
  const question = {
    model: MODELS[1] ?? "",
    contents: "A paper fox",
    config: {
      responseModalities: ["IMAGE"],
      imageConfig: { aspectRatio: "16:9", imageSize: "2K" },
    },
  };

  const whole = await client.models.generateContent(question);
  const drawn: (string | undefined)[] = [];
  for await (const chunk of await client.models.generateContentStream(question)) {
    if (chunk.data !== undefined) drawn.push(chunk.data);
  }

  expect(drawn).toEqual([whole.data]);
  expect(await look(whole.data)).toMatch(/ 2720x1536$/);
});
