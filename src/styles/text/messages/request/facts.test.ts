import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "#core/error.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { SEED } from "#test/seed.ts";
import { invalidField } from "#test/refusal.ts";
import { ANY_KIND, expectAgreement } from "#test/schema-agreement.ts";
import { buildError } from "../error.ts";
import { readRequest } from "./facts.ts";
import { REQUEST } from "./fields.ts";

const USER = { role: "user", content: "hi" };
const MARK = { type: "ephemeral" };

/** What of a body is refused; undefined where it is accepted. */
function refused(body: Json): string | undefined {
  const json = parseJson(JSON.stringify(body));
  return invalidField(() => readRequest(isObject(json) ? json : {}));
}

/** What a request is refused for if it has to be translated. */
function unknownIn(body: JsonObject): string | undefined {
  return readRequest(body).unknownValue?.param;
}

function withField(fields: JsonObject): JsonObject {
  return { model: "m", max_tokens: 9, messages: [USER], ...fields };
}

function withBlock(...content: Json[]): JsonObject {
  return withField({ messages: [{ role: "user", content }] });
}

function withTool(tool: Json): JsonObject {
  return withField({ tools: [tool] });
}

describe("[A4.5-a] [A8] a field of the wrong type or out of its range is refused by name", () => {
  test.each<[string, JsonObject]>([
    ["model", { max_tokens: 1, messages: [USER] }],
    ["model", withField({ model: "" })],
    ["messages", { model: "m", max_tokens: 1 }],
    ["messages", withField({ messages: [] })],
    ["messages", withField({ messages: "hi" })],
    ["messages[0].role", withField({ messages: [{ content: "hi" }] })],
    ["messages[0].content", withField({ messages: [{ role: "user" }] })],
    ["messages[0].content", withField({ messages: [{ role: "user", content: 7 }] })],
    ["messages[0].content[0].type", withBlock({ text: "a" })],
    ["messages[0].content[0].text", withBlock({ type: "text" })],
    ["messages[0].content[0].source", withBlock({ type: "image" })],
    [
      "messages[0].content[0].source.data",
      withBlock({ type: "image", source: { type: "base64", media_type: "image/png" } }),
    ],
    ["messages[0].content[0].input", withBlock({ type: "tool_use", id: "a", name: "f" })],
    ["messages[0].content[0].tool_use_id", withBlock({ type: "tool_result", content: "a" })],
    [
      "messages[0].content[0].content[0].text",
      withBlock({ type: "tool_result", tool_use_id: "a", content: [{ type: "text" }] }),
    ],
    ["messages[0].content[0].thinking", withBlock({ type: "thinking", signature: "s" })],
    ["max_tokens", { model: "m", messages: [USER] }],
    ["max_tokens", withField({ max_tokens: 1.5 })],
    ["max_tokens", withField({ max_tokens: "9" })],
    ["temperature", withField({ temperature: 1.01 })],
    ["temperature", withField({ temperature: -0.1 })],
    ["top_p", withField({ top_p: 1.1 })],
    ["top_p", withField({ top_p: -1 })],
    ["top_k", withField({ top_k: 0.5 })],
    ["stream", withField({ stream: "true" })],
    ["stop_sequences", withField({ stop_sequences: "END" })],
    ["stop_sequences[1]", withField({ stop_sequences: ["a", 2] })],
    ["system", withField({ system: 7 })],
    ["system[0].text", withField({ system: [{ type: "text" }] })],
    ["thinking", withField({ thinking: true })],
    ["thinking.type", withField({ thinking: {} })],
    ["thinking.budget_tokens", withField({ thinking: { type: "enabled" } })],
    ["thinking.budget_tokens", withField({ thinking: { type: "enabled", budget_tokens: 1_023 } })],
    ["thinking.budget_tokens", withField({ thinking: { type: "enabled", budget_tokens: -1 } })],
    ["tools[0].name", withTool({ input_schema: {} })],
    ["tools[0].input_schema", withTool({ name: "f" })],
    ["tools[0].input_schema", withTool({ type: "custom", name: "f", input_schema: [] })],
    ["tools[0].name", withTool({ type: "web_search_20250305" })],
    [
      "tools[0].max_uses",
      withTool({ type: "web_search_20250305", name: "web_search", max_uses: 0 }),
    ],
    ["tool_choice", withField({ tool_choice: "auto" })],
    ["tool_choice.type", withField({ tool_choice: {} })],
    [
      "output_config.format.schema",
      withField({ output_config: { format: { type: "json_schema" } } }),
    ],
    ["tool_choice.name", withField({ tool_choice: { type: "tool" } })],
    ["metadata.user_id", withField({ metadata: { user_id: 7 } })],
    ["mcp_servers", withField({ mcp_servers: {} })],
    ["context_management", withField({ context_management: "none" })],
    [
      "output_config.format.schema",
      withField({ output_config: { format: { type: "json_schema" } } }),
    ],
    ["thread", withField({ thread: { type: "create" } })],
  ])("%s", (param, body) => {
    expect(refused(body)).toBe(param);
  });
});

describe("[A4.5-b] two kinds of cache marks are accepted, in every position", () => {
  const text = { type: "text", text: "a" };

  test.each<[string, (mark: Json) => JsonObject]>([
    ["system[0]", (mark) => withField({ system: [{ ...text, cache_control: mark }] })],
    ["messages[0].content[0]", (mark) => withBlock({ ...text, cache_control: mark })],
    [
      "messages[0].content[0]",
      (mark) => withBlock({ type: "tool_result", tool_use_id: "a", cache_control: mark }),
    ],
    ["tools[0]", (mark) => withTool({ name: "f", input_schema: {}, cache_control: mark })],
  ])("%s", (place, body) => {
    expect(refused(body(MARK))).toBeUndefined();
    expect(refused(body({ type: "ephemeral", ttl: "1h" }))).toBeUndefined();
    expect(refused(body({ type: "persistent" }))).toBeUndefined();
    expect(unknownIn(body({ type: "eternal" }))).toBe(`${place}.cache_control.type`);
    expect(unknownIn(body({ type: "ephemeral", ttl: "2h" }))).toBe(`${place}.cache_control.ttl`);
  });
});

describe("values within the range and unknown fields are accepted", () => {
  test.each<[string, JsonObject]>([
    ["the least", withField({})],
    [
      "[A4.5-e] all that tunes",
      withField({
        max_tokens: 1,
        temperature: 1,
        top_p: 0,
        top_k: 5,
        stop_sequences: ["a", "b"],
        metadata: { user_id: "u", team: "x" },
        mcp_servers: [{ type: "url", url: "https://a.example/mcp", name: "x" }],
        context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
        service_tier: "auto",
        container: "c1",
      }),
    ],
    ["the least budget", withField({ thinking: { type: "enabled", budget_tokens: 1_024 } })],
    ["no thinking", withField({ thinking: { type: "disabled" } })],
    ["thinking as the model likes", withField({ thinking: { type: "adaptive" } })],
    ["null for an omitted field", withField({ system: null, tools: null, thinking: null })],
    ["unknown fields", withField({ brand_new: { a: [1] }, thread: null })],
    [
      "a system message as a turn",
      withField({ messages: [USER, { role: "system", content: "s" }] }),
    ],
    ["blocks of an unknown type", withBlock({ type: "hologram", data: 1 })],
    ["sources of an unknown type", withBlock({ type: "image", source: { type: "wire" } })],
    ["tools of an unknown type", withTool({ type: "bash_20250124", name: "bash" })],
    [
      "[A4.5-c] the web search tool",
      withTool({
        type: "web_search_20250305",
        name: "web_search",
        max_uses: 5,
        user_location: {
          type: "approximate",
          city: "Bern",
          country: "CH",
          timezone: "Europe/Zurich",
        },
      }),
    ],
    [
      "blocks of every type",
      withBlock(
        { type: "text", text: "" },
        { type: "image", source: { type: "url", url: "https://a.example/b.png" } },
        { type: "document", source: { type: "text", data: "a" }, citations: { enabled: true } },
        { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "a" }] },
        { type: "tool_use", id: "a", name: "f", input: {} },
        { type: "tool_result", tool_use_id: "a", is_error: true },
        { type: "thinking", thinking: "", signature: "s" },
        { type: "redacted_thinking", data: "d" },
      ),
    ],
  ])("%s", (_what, body) => {
    expect(refused(body)).toBeUndefined();
  });
});

test("a client that refers to stored history gets the error on which it resends its history", () => {
  const body = withField({ thread: { type: "continue", previous_message_id: "msg_1" } });
  const thrown = ((): unknown => {
    try {
      return readRequest(body);
    } catch (error) {
      return error;
    }
  })();

  expect(thrown instanceof GatewayError ? buildError(thrown) : {}).toMatchObject({
    error: {
      type: "invalid_request_error",
      details: { error_code: "thread_unsupported_request", unsupported: ["threads"] },
    },
  });
});

test("the relay gets the facts of a request", () => {
  expect(readRequest(withField({ stream: true }))).toEqual({
    model: "m",
    stream: true,
    maxOutputTokens: 9,
    choices: 1,
    messages: 1,
    wantsUsage: true,
  });
});

test(`the documented schema and the check agree on any body (seed ${SEED})`, () => {
  const any = ANY_KIND;
  const numbers = fc.oneof(fc.constantFrom(0, 1, 1.01, 1_024, 1_025, -1, -0.01), any);
  const words = fc.constantFrom(
    "text",
    "image",
    "tool_use",
    "tool_result",
    "thinking",
    "enabled",
    "adaptive",
    "disabled",
    "user",
    "assistant",
    "system",
    "auto",
    "tool",
    "custom",
    "ephemeral",
    "persistent",
    "x",
    "",
    "web_search_20250305",
    "base64",
    "url",
  );
  const mark = fc.oneof(any, fc.record({ type: words, ttl: fc.constantFrom("5m", "1h", "2h") }));
  const block = fc.record(
    {
      type: fc.oneof(words, any),
      text: fc.oneof(words, any),
      id: any,
      name: any,
      input: any,
      tool_use_id: any,
      content: fc.oneof(any, fc.array(fc.record({ type: words, text: any }), { maxLength: 2 })),
      source: fc.oneof(any, fc.record({ type: words, media_type: any, data: any, url: any })),
      thinking: any,
      cache_control: mark,
    },
    { requiredKeys: ["type"] },
  );
  const message = fc.record(
    {
      role: fc.oneof(words, any),
      content: fc.oneof(words, any, fc.array(fc.oneof(block, any), { maxLength: 3 })),
    },
    { requiredKeys: ["role"] },
  );
  const tool = fc.record(
    { type: fc.oneof(words, any), name: any, input_schema: any, max_uses: numbers, strict: any },
    { requiredKeys: [] },
  );
  const fields: Record<string, fc.Arbitrary<unknown>> = {
    model: any,
    messages: fc.oneof(fc.array(message, { maxLength: 2 }), any),
    max_tokens: numbers,
    temperature: numbers,
    system: fc.oneof(any, fc.array(block, { maxLength: 2 })),
    thinking: fc.oneof(any, fc.record({ type: words, budget_tokens: numbers })),
    tools: fc.oneof(any, fc.array(tool, { maxLength: 2 })),
    tool_choice: fc.oneof(any, fc.record({ type: words, name: any })),
    cache_control: mark,
  };

  const valid = { model: "m", max_tokens: 1, messages: [USER] };
  expectAgreement(schemaOf(REQUEST), (body) => refused(body) === undefined, valid, fields);
});

describe("values that may be newer than the gateway pass to vendors of the style, and are refused in a translation", () => {
  test.each<[string, JsonObject]>([
    ["messages[0].role", withField({ messages: [{ role: "tool", content: "hi" }] })],
    ["max_tokens", withField({ max_tokens: 0 })],
    ["system[0].type", withField({ system: [{ type: "image", source: {} }] })],
    ["thinking.type", withField({ thinking: { type: "auto" } })],
    [
      "tools[0].user_location.type",
      withTool({
        type: "web_search_20260209",
        name: "web_search",
        user_location: { type: "exact" },
      }),
    ],
    ["tool_choice.type", withField({ tool_choice: { type: "best" } })],
    ["output_config.format.type", withField({ output_config: { format: { type: "regex" } } })],
    ["output_config.effort", withField({ output_config: { effort: "huge" } })],
  ])("%s", (param, body) => {
    expect(refused(body)).toBeUndefined();
    expect(unknownIn(body)).toBe(param);
  });
});
