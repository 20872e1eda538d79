import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { openBooks } from "#test/books.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { openScriptedVendor, type ScriptedVendor } from "#test/scripted-vendor.ts";

let vendor: ScriptedVendor;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = await openScriptedVendor();
  const channel = (provider: string, models: string): string =>
    `  - { name: ${provider}, provider: ${provider}, base_url: "${vendor.url}", api_key: upstream-key, models: [${models}] }`;
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      channel("gemini", "gemini-2.5-pro, gemini-3.6-flash"),
      channel("groq", "openai/gpt-oss-120b"),
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

const event = (data: JsonObject): string => `data: ${JSON.stringify(data)}\n\n`;
const MESSAGES = [{ role: "user", content: "Who won?" }];
const USAGE = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 };
const text = (said: string) => ({ content: { role: "model", parts: [{ text: said }] } });

function grounded(model: string, queries: readonly string[]): JsonObject {
  const groundingMetadata = { webSearchQueries: queries };
  const candidate = { ...text("Nobody."), finishReason: "STOP", groundingMetadata };
  return { candidates: [candidate], usageMetadata: USAGE, modelVersion: model };
}

/** The queries come before the last count. */
function groundedStream(model: string, queries: readonly string[]): readonly string[] {
  const groundingMetadata = { webSearchQueries: queries };
  return [
    { candidates: [{ ...text("No"), groundingMetadata }], modelVersion: model },
    { candidates: [{ ...text("body."), finishReason: "STOP" }], usageMetadata: USAGE },
  ].map(event);
}

function executed(tools: readonly JsonObject[]): JsonObject {
  const message = { role: "assistant", content: "Nobody.", executed_tools: tools };
  return {
    id: "x",
    object: "chat.completion",
    created: 1,
    model: "openai/gpt-oss-120b",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  };
}

/** Each tool is told when it begins, and again with what it found. */
function executedStream(tools: readonly JsonObject[]): readonly string[] {
  const chunk = (more: JsonObject): JsonObject => ({
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "openai/gpt-oss-120b",
    choices: [],
    ...more,
  });
  const delta = (said: JsonObject, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: said, finish_reason }] });
  return [
    ...[
      ...tools.map((tool) => delta({ executed_tools: [tool] })),
      ...tools.map((tool) => delta({ executed_tools: [{ ...tool, output: "found" }] })),
      delta({ content: "Nobody." }),
      delta({}, "stop"),
      chunk({ usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } }),
    ].map(event),
    "data: [DONE]\n\n",
  ];
}

/** What the journal says of the call that was answered so. */
async function callOf(
  path: string,
  body: JsonObject,
  answer: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  vendor.play(answer, answer.length > 1 ? "text/event-stream" : "application/json");
  const reply = await gateway.post(path, body);
  expect([reply.status, await reply.text()]).toMatchObject([200, expect.stringContaining("body.")]);
  using books = openBooks(gateway.dataDir);
  await books.whenSettled();
  return books.calls().find(({ id }) => id === reply.headers.get("x-request-id")) ?? {};
}

const QUERIES = ["who won", "who won 2026", ""];
const NATIVE = { contents: [{ role: "user", parts: [{ text: "Who won?" }] }] };
/** In nano-dollars: ten tokens of input and two of output, and a search. */
const PRO = { tokens: 10 * 1_250 + 2 * 10_000, search: 35_000_000 };
const OSS = { tokens: 10 * 150 + 2 * 600, search: 5_000_000 };

describe("searches of the vendor's own tool are counted and charged", () => {
  test.each([
    ["complete, in its own style", false, true],
    ["in a stream, in its own style", true, true],
    ["whole, translated", false, false],
    ["in a stream, translated", true, false],
  ])("by queries: %s", async (_, stream, isNative) => {
    const model = "gemini-3.6-flash";
    const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
    const call = await callOf(
      isNative ? `/v1beta/models/${model}:${verb}` : "/v1/chat/completions",
      isNative ? NATIVE : { model, messages: MESSAGES, stream },
      stream ? groundedStream(model, QUERIES) : [JSON.stringify(grounded(model, QUERIES))],
    );

    expect(call).toMatchObject({ searches: 2 });
    expect(Number(call["cost"])).toBeWithin(28_000_000, 28_100_000);
  });

  test.each([true, false])("once per call of an older model, stream: %p", async (stream) => {
    const model = "gemini-2.5-pro";
    const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
    const call = await callOf(
      `/v1beta/models/${model}:${verb}`,
      NATIVE,
      stream ? groundedStream(model, QUERIES) : [JSON.stringify(grounded(model, QUERIES))],
    );

    expect(call).toMatchObject({ searches: 1, cost: PRO.tokens + PRO.search });
  });

  test("and none if it did not search", async () => {
    const model = "gemini-2.5-pro";
    const call = await callOf(`/v1beta/models/${model}:generateContent`, NATIVE, [
      JSON.stringify(grounded(model, [])),
    ]);

    expect(call).toMatchObject({ searches: 0, cost: PRO.tokens });
  });

  const TOOLS = [
    { index: 0, type: "browser.search", arguments: '{"query":"who won"}' },
    { index: 1, type: "browser.open", arguments: '{"id":1}' },
    { index: 2, type: "search", arguments: '{"query":"who won 2026"}' },
    { index: 3, type: "python", arguments: "print(1)" },
  ];
  test.each([
    ["/v1/chat/completions", true],
    ["/v1/chat/completions", false],
    ["/v1/messages", true],
    ["/v1/messages", false],
  ])("by executed tools: %s, stream: %p", async (path, stream) => {
    const call = await callOf(
      path,
      { model: "openai/gpt-oss-120b", max_tokens: 50, messages: MESSAGES, stream },
      stream ? executedStream(TOOLS) : [JSON.stringify(executed(TOOLS))],
    );

    expect(call).toMatchObject({ searches: 2, cost: OSS.tokens + 2 * OSS.search });
  });
});
