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
    yaml: `channels:${channel("openai", "gpt-4o-mini")}${channel("mistral", "mistral-small-latest")}${channel("huggingface", "meta-llama/Llama-3.1-8B-Instruct")}`,
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

test("usage that a vendor always sends reaches a client that did not ask, since clients cannot ask for it", async () => {
  for (const script of [
    [chunk(WORDS), chunk(STOP, USAGE), DONE],
    [chunk(WORDS), chunk(STOP), chunk("", USAGE), DONE],
  ]) {
    expect(await streamed("mistral-small-latest", script)).toBe(script.join(""));
  }
});

/** Of two hosts behind Hugging Face, whom nobody asked for usage, and what they sent. */
const UNASKED = {
  "a host that calls a tool": [
    'data: {"id":"fc426565","object":"chat.completion.chunk","created":1786505855,"model":"meta-llama/Llama-3.1-8B-Instruct","choices":[{"delta":{"tool_calls":[{"index":0,"id":"llama-4i94eyqdu","type":"function","function":{"name":"get_current_weather","arguments":""}}],"role":"assistant"},"index":0}]}\n\n',
    'data: {"id":"fc426565","object":"chat.completion.chunk","created":1786505855,"model":"meta-llama/Llama-3.1-8B-Instruct","choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"location\\":\\"San Francisco\\"}"}}]},"index":0}]}\n\n',
    'data: {"id":"fc426565","object":"chat.completion.chunk","created":1786505855,"model":"meta-llama/Llama-3.1-8B-Instruct","choices":[{"delta":{},"index":0,"finish_reason":"tool_calls"}],"system_fingerprint":"fp1"}\n\n',
    'data: {"id":"fc426565","object":"chat.completion.chunk","model":"meta-llama/Llama-3.1-8B-Instruct","created":1786505855,"choices":[],"usage":{"prompt_tokens":203,"completion_tokens":18,"total_tokens":221,"cached_tokens":0}}\n\n',
    DONE,
  ],
  "a host that answers in words": [
    'data: {"id":"ebafdc26","object":"chat.completion.chunk","created":1786507380,"model":"meta-llama/llama-3.1-8b-instruct","choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}],"system_fingerprint":"","sla_metrics":{"ttft_ms":274}}\n\n',
    'data: {"id":"ebafdc26","object":"chat.completion.chunk","created":1786507380,"model":"meta-llama/llama-3.1-8b-instruct","choices":[{"index":0,"delta":{"content":"Paris"},"finish_reason":null}],"system_fingerprint":"","sla_metrics":{"ttft_ms":274}}\n\n',
    'data: {"id":"ebafdc26","object":"chat.completion.chunk","created":1786507380,"model":"meta-llama/llama-3.1-8b-instruct","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"system_fingerprint":"","sla_metrics":{"ttft_ms":274}}\n\n',
    'data: {"id":"ebafdc26","object":"chat.completion.chunk","created":1786507380,"model":"meta-llama/llama-3.1-8b-instruct","choices":[],"system_fingerprint":"","usage":{"prompt_tokens":40,"completion_tokens":2,"total_tokens":42,"prompt_tokens_details":null,"completion_tokens_details":null},"sla_metrics":{"ttft_ms":274}}\n\n',
    DONE,
  ],
} as const;

test.each(Object.entries(UNASKED))(
  "a separate usage event stays if its vendor always sends it: %s",
  async (_, recorded) => {
    const model = "meta-llama/Llama-3.1-8B-Instruct";
    const text = await streamed(model, [...recorded]);

    expect(text).toBe(recorded.join(""));
  },
);

test("the same event of a vendor that sends none by default is removed", async () => {
  const recorded = UNASKED["a host that answers in words"];
  const text = await streamed("gpt-4o-mini", [...recorded]);

  expect(text).toBe(recorded.filter((event) => !event.includes("usage")).join(""));
});

test("a vendor that always sends usage is asked as well, and the null usage fields are removed", async () => {
  const script = [chunk(WORDS, "null"), chunk(STOP, "null"), chunk("", USAGE), DONE];
  const text = await streamed("meta-llama/Llama-3.1-8B-Instruct", script);

  expect(text.replaceAll(/ +\}$/gm, "}")).toBe(
    [chunk(WORDS), chunk(STOP), chunk("", USAGE), DONE].join(""),
  );
});

test("usage requested by the gateway is removed, with its null fields", async () => {
  const asked = [chunk(WORDS, "null"), chunk(STOP, "null"), chunk("", USAGE), DONE];
  const text = await streamed("gpt-4o-mini", asked);

  expect(text).not.toContain("usage");
  expect(text.replaceAll(/ +\}$/gm, "}")).toBe([chunk(WORDS), chunk(STOP), DONE].join(""));
});

test("usage in a chunk with a choice was not requested by the gateway, and stays", async () => {
  const script = [chunk(WORDS), chunk(STOP, USAGE), DONE];

  expect(await streamed("gpt-4o-mini", script)).toBe(script.join(""));
});

test("a client that asks for usage gets all of it", async () => {
  const asked = [chunk(WORDS, "null"), chunk(STOP, "null"), chunk("", USAGE), DONE];
  const text = await streamed("gpt-4o-mini", asked, { stream_options: { include_usage: true } });

  expect(text).toBe(asked.join(""));
});
