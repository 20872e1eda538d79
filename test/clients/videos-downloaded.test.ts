import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { textOf } from "#lib/values.ts";
import { mp4Boxes } from "@sluice/sandbox/testing/media-files.ts";
import { fileNameOf } from "#styles/video/veo/file-name.ts";
import { asking, openVideos } from "#test/gateway/videos/asked.ts";
import { KEY } from "#test/harness.ts";
import { openClientsGateway } from "#test/languages/gateway.ts";
import { waitFor } from "#test/wait.ts";

test.each(["/v1", "/openai/v1"])(
  "[B4.8] the client of video objects, unmodified, downloads the video, at %s",
  async (base) => {
    await using place = await openVideos("vidu", ["viduq2"]);
    const { videos } = new OpenAI({ apiKey: KEY, baseURL: place.opened.url + base, maxRetries: 0 });

    // The client's own list of models is not the gateway's.
    const { id } = await videos.create({ model: "viduq2", prompt: "a fox" });
    await waitFor(async () => (await videos.retrieve(id)).status === "completed", 20_000);
    const file = await videos.downloadContent(id);

    expect(file.headers.get("content-type")).toBe("video/mp4");
    const bytes = new Uint8Array(await file.arrayBuffer());
    expect(mp4Boxes(bytes).map(({ path }) => path)).toContain("moov/trak/mdia");
  },
  40_000,
);

const VEO = "veo-3.1-generate-preview";

/** A client takes the name out of an https address, and puts an http one into the path as it is. */
test.each([undefined, "https://gateway.example"])(
  "the client of the native style downloads its own video, with the public address %s",
  async (publicUrl) => {
    const env = publicUrl === undefined ? undefined : { SLUICE_PUBLIC_URL: publicUrl };
    await using gateway = await openClientsGateway(env);
    const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: gateway.url } });
    const folder = mkdtempSync(join(tmpdir(), "sluice-test-"));

    let operation = await client.models.generateVideos({
      model: VEO,
      source: { prompt: "a fox" },
    });
    await waitFor(async () => {
      operation = await client.operations.getVideosOperation({ operation });
      return operation.done === true;
    }, 20_000);
    const [made] = operation.response?.generatedVideos ?? [];
    if (made === undefined) throw new Error("There is no video.");
    const downloadPath = join(folder, "a.mp4");
    await client.files.download({ file: made, downloadPath });
    // Its stream is written after it says that it is done.
    await waitFor(() => readIfThere(downloadPath).length > 0);

    const boxes = mp4Boxes(readIfThere(downloadPath)).map(({ path }) => path);
    expect(boxes).toContain("moov/trak/mdia");
    rmSync(folder, { recursive: true });
  },
  40_000,
);

function readIfThere(path: string): Uint8Array {
  try {
    return new Uint8Array(readFileSync(path));
  } catch {
    return new Uint8Array();
  }
}

test("a file of the native style is described, and belongs to its owner only", async () => {
  await using gateway = await openClientsGateway();
  const place = asking(gateway);
  const begun = await place.post(`/v1beta/models/${VEO}:predictLongRunning`, {
    instances: [{ prompt: "a fox" }],
  });
  const name = textOf(begun.body["name"]) ?? "";
  const taskId = name.slice(name.lastIndexOf("/") + 1);
  await waitFor(async () => (await place.get(`/v1beta/${name}`)).body["done"] === true, 20_000);
  const file = `/v1beta/files/${fileNameOf(taskId, 0)}`;

  expect(await place.get(file)).toMatchObject({
    status: 200,
    body: { name: file.slice("/v1beta/".length), mimeType: "video/mp4", state: "ACTIVE" },
  });
  expect((await place.get(`/v1beta/files/${fileNameOf(taskId, 1)}`)).status).toBe(404);
  expect((await place.get("/v1beta/files/unknown:download")).status).toBe(404);
  expect((await fetch(`${gateway.url}${file}:download`)).status).toBe(401);
});
