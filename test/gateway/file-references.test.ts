import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

/** A path on the caller's own machine, or on the gateway's: neither is read. */
const FILE = "file:///etc/passwd";
const PICTURES = ["gpt-image-1", "gemini-2.5-flash-image", "doubao-seedream-4-0-250828"];
const FILMS = ["sora-2", "veo-3.0-generate-001", "kling-v1", "viduq2", "MiniMax-H3"];

let opened: TestGateway;
beforeAll(async () => {
  opened = await openTestGateway({ yaml: "sandbox: auto" });
});
afterAll(() => opened[Symbol.asyncDispose]());

async function refused(path: string, body: object): Promise<void> {
  const answer = await opened.post(path, body);
  const text = await answer.text();

  expect([path, answer.status]).toEqual([path, 400]);
  expect(text).not.toContain("root:");
}

test.each(PICTURES)("a file reference for an image of %s gets 400", async (model) => {
  await refused("/v1/images/generations", { model, prompt: "A fox", image: FILE });
});

test.each(FILMS)(
  "a file reference for a video of %s gets 400 with the supported form",
  async (model) => {
    const body = { model, prompt: "A fox", image: FILE };
    const answer = await opened.post("/v1/video/generations", body);

    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("'image' must be an http(s) URL, a data URI or base64");
  },
);

test.each(["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-flash"])(
  "a file reference in a text for %s gets 400 in every style",
  async (model) => {
    const part = { type: "image_url", image_url: { url: FILE } };
    await refused("/v1/chat/completions", { model, messages: [{ role: "user", content: [part] }] });
    const input = [{ role: "user", content: [{ type: "input_image", image_url: FILE }] }];
    await refused("/v1/responses", { model, input });
    const image = { type: "image", source: { type: "url", url: FILE } };
    const messages = [{ role: "user", content: [image] }];
    await refused("/v1/messages", { model, max_tokens: 9, messages });
    const parts = [{ fileData: { fileUri: FILE, mimeType: "image/png" } }];
    await refused(`/v1beta/models/${model}:generateContent`, { contents: [{ parts }] });
  },
);

test("a file reference for an asset gets 400", async () => {
  const act = (action: string) => `/videoa/api/v3/assets?Action=${action}&Version=2024-01-01`;
  const made = await opened.post(act("CreateAssetGroup"), { Name: "films" });
  const { Result } = (await made.json()) as { Result: { Id: string } };

  await refused(act("CreateAsset"), { GroupId: Result.Id, URL: FILE, AssetType: "image" });
});
