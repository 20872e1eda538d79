import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { asRoot, bearer, openWithRoot, type Ask } from "#test/accounts.ts";
import { KEY, simulatedChannel, type TestGateway } from "#test/harness.ts";

const MODELS = "models: [gpt-4o-mini, text-embedding-3-small, gpt-image-1-mini]";
const MESSAGES = [{ role: "user", content: "hi" }];
const CHAT = { model: "gpt-4o-mini", max_tokens: 20, messages: MESSAGES };

let sandbox: Sandbox;
let opened: TestGateway;
let root: Ask;
beforeAll(async () => {
  sandbox = await startSandbox();
  opened = await openWithRoot({
    yaml: `channels:\n${simulatedChannel("sim", sandbox.url, MODELS)}`,
  });
  root = await asRoot(opened.url);
  await choose("cost,overhead,channel");
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
});

async function choose(value: string): Promise<void> {
  expect((await root("PUT", "/api/setting/answers.headers", { value })).status).toBe(200);
}

async function send(path: string, body: object, headers = {}): Promise<Headers> {
  const response = await opened.post(path, body, headers);
  await response.text();
  return response.headers;
}

test.each([
  ["/v1/chat/completions", CHAT],
  ["/v1/messages", CHAT],
  ["/v1/responses", { model: "gpt-4o-mini", input: "hi" }],
  ["/v1/embeddings", { model: "text-embedding-3-small", input: "hi" }],
  ["/v1/images/generations", { model: "gpt-image-1-mini", prompt: "a cat" }],
])("a complete answer of %s names its cost, overhead and channel", async (path, body) => {
  const headers = await send(path, body);

  const { data } = await root("GET", `/api/log/${headers.get("x-request-id")}`);
  expect(headers.get("sluice-cost")).toMatch(/^0\.\d*[1-9]$/);
  expect(Number(headers.get("sluice-cost"))).toBe(Number(data["cost_usd"]));
  expect(headers.get("sluice-channel")).toBe("sim");
  expect(headers.get("sluice-overhead-ms")).toMatch(/^\d+\.\d\d$/);
});

test.each([
  ["a stream", { ...CHAT, stream: true }, {}],
  ["a refused call", { ...CHAT, model: "unheard-of" }, {}],
])("%s has no headers about its cost", async (_, body, more) => {
  const headers = await send("/v1/chat/completions", body, more);

  expect([...headers.keys()]).not.toContain("sluice-cost");
  expect([...headers.keys()]).not.toContain("sluice-channel");
});

test("an answer that is repeated for its idempotency key names no second cost", async () => {
  const once = { "idempotency-key": "one" };

  const first = await send("/v1/chat/completions", CHAT, once);
  const again = await send("/v1/chat/completions", CHAT, once);

  expect([first.has("sluice-cost"), again.has("sluice-cost")]).toEqual([true, false]);
});

const STREAMS = [
  ["/v1/chat/completions", { ...CHAT, stream: true }],
  ["/v1/messages", { ...CHAT, stream: true }],
  ["/v1/responses", { model: "gpt-4o-mini", input: "hi", stream: true }],
] as const;

test.each(STREAMS)("a stream of %s ends with its last event unless asked", async (path, body) => {
  await choose("cost,overhead,channel");
  const text = await (await opened.post(path, body)).text();

  expect(text).not.toContain("sluice-");
});

test.each(STREAMS)("a stream of %s names its charge in comments if asked", async (path, body) => {
  await choose("cost,overhead,channel,streams");
  const response = await opened.post(path, body);
  const text = await response.text();

  const { data } = await root("GET", `/api/log/${response.headers.get("x-request-id")}`);
  const [, cost = "", overhead = ""] =
    /\n\n: sluice-cost (\S+)\n\n: sluice-overhead-ms (\S+)\n\n: sluice-channel sim\n\n$/.exec(
      text,
    ) ?? [];
  expect(cost).toMatch(/^0\.\d*[1-9]$/);
  expect(Number(cost)).toBe(Number(data["cost_usd"]));
  expect(Number(overhead)).toBeGreaterThan(0);
});

test("official clients read streams with such comments, and Gemini's style has none", async () => {
  await choose("cost,overhead,channel,streams");
  const openai = new OpenAI({ apiKey: KEY, baseURL: `${opened.url}/v1` });
  const anthropic = new Anthropic({ apiKey: KEY, baseURL: opened.url });
  const { model } = CHAT;

  let chat = "";
  for await (const chunk of await openai.chat.completions.create({
    ...chatOf(model),
    stream: true,
  }))
    chat += chunk.choices[0]?.delta.content ?? "";
  const responses = await openai.responses.stream({ model, input: "hi" }).finalResponse();
  const messages = await anthropic.messages
    .stream({ ...chatOf(model), max_tokens: 20 })
    .finalText();
  const native = await opened.post(`/v1beta/models/${model}:streamGenerateContent?alt=sse`, {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
  });

  expect([chat, responses.output_text, messages].every((text) => text.length > 0)).toBe(true);
  expect(await native.text()).not.toContain("sluice-");
});

function chatOf(model: string) {
  return { model, messages: [{ role: "user" as const, content: "hi" }] };
}

test("a WebSocket gets the charge as a message if asked", async () => {
  await choose("cost,overhead,channel,streams");
  const socket = new WebSocket(`${opened.url.replace("http", "ws")}/v1/responses`, {
    headers: bearer(KEY),
  } as never);
  const messages: Record<string, unknown>[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.onopen = () =>
    socket.send(JSON.stringify({ type: "response.create", model: "gpt-4o-mini", input: "hi" }));
  socket.onerror = () => reject(new Error("The connection failed."));
  socket.onmessage = ({ data }) => {
    messages.push(JSON.parse(String(data)) as Record<string, unknown>);
    if (messages.at(-1)?.["type"] === "sluice.charge") resolve();
  };
  await promise;
  socket.close();

  expect(messages.at(-2)).toMatchObject({ type: "response.completed" });
  expect(messages.at(-1)).toMatchObject({
    type: "sluice.charge",
    sluice_cost: expect.stringMatching(/^0\.\d*[1-9]$/),
    sluice_channel: "sim",
  });
});
