import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { bearer } from "#test/accounts.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

/** Channels that name no models: some vendors list what they have, and the lists of others fail. */
const LISTED = { openai: "/openai/v1", anthropic: "/anthropic/v1", gemini: "/gemini/v1beta" };
const UNLISTED = { dashscope: "/dashscope/compatible-mode/v1", ark: "/ark/api/v3" };

const MODEL_KEY = "a-key-for-the-model-0123456789ab";
const PREFIX_KEY = "a-key-for-a-prefix-0123456789abc";

let sandbox: Sandbox;
let opened: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  for (const path of Object.values(UNLISTED)) {
    sandbox.faults.add({
      name: "status",
      args: { code: "500" },
      times: "always",
      match: { path: `${path}/models` },
    });
  }
  const channels = Object.entries({ ...LISTED, ...UNLISTED });
  opened = await openTestGateway({
    yaml: [
      "channels:",
      ...channels.map(([provider, path]) => channelAt(sandbox.url, provider, path)),
      "keys:",
      `  - { name: model, key: ${MODEL_KEY}, models: [gpt-4o] }`,
      `  - { name: prefix, key: ${PREFIX_KEY}, models: ["openai/*"] }`,
    ].join("\n"),
  });
  // Of each that tells its models, one that is in its list alone.
  const told = ["sim-text", "claude-3-haiku-20240307", "gemini-flash-latest"];
  await waitFor(async () => {
    const { data } = (await (await opened.get("/v1/models")).json()) as { data: { id: string }[] };
    return told.every((name) => data.some(({ id }) => id.startsWith(name)));
  });
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
});

const MESSAGES = [{ role: "user", content: "hi" }];

async function chat(model: string): Promise<{ readonly status: number; readonly model: string }> {
  const answer = await opened.post("/v1/chat/completions", { model, messages: MESSAGES });
  const { model: said = "" } = (await answer.json()) as { model?: string };
  return { status: answer.status, model: said };
}

describe("after an upstream listed its models", () => {
  test.each([
    "claude-sonnet-4-5",
    "claude-sonnet-4-5-20250929",
    "gpt-4o-mini",
    "gpt-4o-mini-2024-07-18",
    "openai/gpt-4o-mini",
    "openai/gpt-4o-mini-2024-07-18",
    "anthropic/claude-sonnet-4-5",
    "google/gemini-2.5-flash",
    "models/gemini-2.5-flash",
  ])("%s is served", async (model) => {
    expect(await chat(model)).toMatchObject({ status: 200 });
  });

  test("each model is served by the name in its responses", async () => {
    const listed = (await (await opened.get("/v1/models")).json()) as { data: { id: string }[] };
    const text = listed.data.filter(({ id }) =>
      /^(gpt-[45](?!.*audio)|claude|gemini-.*flash$)/.test(id),
    );
    expect(text.length).toBeGreaterThan(10);

    for (const { id } of text) {
      const first = await chat(id);
      if (first.status === 200) expect([id, (await chat(first.model)).status]).toEqual([id, 200]);
    }
  });

  test("a name with a prefix is accepted in every style, and described", async () => {
    const name = "openai/gpt-4o-mini";
    const answers = [
      await opened.post("/v1/messages", { model: name, max_tokens: 9, messages: MESSAGES }),
      await opened.post("/v1/responses", { model: name, input: "hi" }),
      await opened.post(`/v1beta/models/${name}:generateContent`, {
        contents: [{ role: "user", parts: [{ text: "hi" }] }],
      }),
      await opened.post("/v1/embeddings", { model: "openai/text-embedding-3-small", input: "hi" }),
      await opened.get(`/v1/models/${name}`),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  test("a name with another vendor's prefix is unknown", async () => {
    expect((await chat("anthropic/gpt-4o-mini")).status).toBe(404);
  });

  test("[A7] a name with a prefix needs a key that may use the model", async () => {
    const ask = (key: string) => opened.get("/v1/models/openai/gpt-4o", bearer(key));

    expect((await ask(MODEL_KEY)).status).toBe(200);
    expect((await ask(PREFIX_KEY)).status).toBe(404);
  });
});

describe("while an upstream does not list its models", () => {
  test.each([
    ["dashscope", "wan2.6-t2v"],
    ["ark", "doubao-seedance-1-0-pro-250528"],
  ])("[B4.1-a] %s makes videos with its known models", async (_vendor, model) => {
    const answer = await opened.post("/v1/video/generations", {
      model,
      prompt: "A fox",
      metadata: { content: [{ type: "text", text: "A fox" }] },
    });

    expect(await answer.json()).toMatchObject({ status: "queued" });
  });

  test("[A5-1] text models are those of the catalogue", async () => {
    expect(await chat("qwen-plus")).toMatchObject({ status: 200 });
    expect(await chat("qwen-of-nobody")).toMatchObject({ status: 404 });
  });
});

test("[B4.1-a] videos are accepted at once after a start, even if the list is slow", async () => {
  await using slow = await startSandbox();
  for (const path of ["/openai/v1/models", "/gemini/v1beta/models"]) {
    // Requests for a Gemini video begin in the same way.
    const [times] = path.startsWith("/gemini") ? [1] : ["always" as const];
    slow.faults.add({ name: "hang", times, match: { path } });
  }
  await using early = await openTestGateway({
    yaml: [
      "channels:",
      channelAt(slow.url, "openai", "/openai/v1"),
      channelAt(slow.url, "gemini", "/gemini/v1beta"),
    ].join("\n"),
  });
  await waitFor(() => slow.requests.filter(({ path }) => path.endsWith("/models")).length === 2);

  for (const model of ["sora-2", "veo-3.0-generate-001"]) {
    const answer = await early.post("/v1/video/generations", { model, prompt: "A fox" });
    expect([model, await answer.json()]).toMatchObject([model, { status: "queued" }]);
  }
});

function channelAt(url: string, provider: string, path: string): string {
  return `  - { name: ${provider}, provider: ${provider}, base_url: "${url}${path}", api_key: sk-upstream }`;
}
