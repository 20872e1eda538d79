import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { openScriptedVendor, type ScriptedVendor } from "#test/scripted-vendor.ts";

const USAGE = '{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}';
const chunk = (choices: string, usage?: string): string =>
  `data: {"id":"c","choices":[${choices}]${usage === undefined ? "" : `,"usage":${usage}`}}\n\n`;
const WORDS = '{"index":0,"delta":{"content":"Hello"},"finish_reason":null}';
const STOP = '{"index":0,"delta":{"content":""},"finish_reason":"stop"}';
const DONE = "data: [DONE]\n\n";

let vendor: ScriptedVendor;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = await openScriptedVendor();
  const channel = (provider: string, model: string): string => `
  - name: ${provider}
    provider: ${provider}
    base_url: ${vendor.url}/v1
    api_key: sk-upstream
    models: [${model}]`;
  gateway = await openTestGateway({
    yaml: `channels:${channel("openai", "gpt-4o-mini")}${channel("mistral", "mistral-small-latest")}`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

async function streamed(model: string, script: string[], more: object = {}): Promise<string> {
  vendor.play(script);
  const messages = [{ role: "user", content: "Say hello." }];
  const answer = await gateway.post("/v1/chat/completions", {
    model,
    stream: true,
    messages,
    ...more,
  });
  return await answer.text();
}

test("what a vendor sends unasked reaches a caller who did not ask: its clients cannot ask", async () => {
  for (const script of [
    [chunk(WORDS), chunk(STOP, USAGE), DONE],
    [chunk(WORDS), chunk(STOP), chunk("", USAGE), DONE],
  ]) {
    expect(await streamed("mistral-small-latest", script)).toBe(script.join(""));
  }
});

test("what the gateway asked for is taken out again, and so is the promise of it", async () => {
  const asked = [chunk(WORDS, "null"), chunk(STOP, "null"), chunk("", USAGE), DONE];
  const text = await streamed("gpt-4o-mini", asked);

  expect(text).not.toContain("usage");
  expect(text.replaceAll(/ +\}$/gm, "}")).toBe([chunk(WORDS), chunk(STOP), DONE].join(""));
});

test("usage beside a choice is no answer to the gateway's question, and stays", async () => {
  const script = [chunk(WORDS), chunk(STOP, USAGE), DONE];

  expect(await streamed("gpt-4o-mini", script)).toBe(script.join(""));
});

test("a caller who asks gets all of it", async () => {
  const asked = [chunk(WORDS, "null"), chunk(STOP, "null"), chunk("", USAGE), DONE];
  const text = await streamed("gpt-4o-mini", asked, { stream_options: { include_usage: true } });

  expect(text).toBe(asked.join(""));
});
