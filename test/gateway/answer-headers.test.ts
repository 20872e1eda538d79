import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { asRoot, openWithRoot, type Ask } from "#test/accounts.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";

const MODELS = "models: [gpt-4o-mini, text-embedding-3-small, gpt-image-1-mini]";
const MESSAGES = [{ role: "user", content: "hi" }];
const CHAT = { model: "gpt-4o-mini", max_tokens: 20, messages: MESSAGES };

let sandbox: Sandbox;
let opened: TestGateway;
let root: Ask;
beforeAll(async () => {
  sandbox = await startSandbox();
  opened = await openWithRoot({
    yaml: `answers:\n  headers: cost,overhead,channel
channels:\n${simulatedChannel("sim", sandbox.url, MODELS)}`,
  });
  root = await asRoot(opened.url);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
});

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
