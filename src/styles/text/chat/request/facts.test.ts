import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { SEED } from "#test/seed.ts";
import { readRequest } from "./facts.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { invalidField } from "#test/refusal.ts";
import { ANY_KIND, expectAgreement } from "#test/schema-agreement.ts";
import { REQUEST } from "./fields.ts";

const USER = { role: "user", content: "hi" };
const CALL = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };

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
  return { model: "m", messages: [USER], ...fields };
}

function withMessages(...messages: Json[]): JsonObject {
  return { model: "m", messages };
}

describe("[A4.3-a] a field of the wrong type or out of its range is refused by name", () => {
  test.each<[string, JsonObject]>([
    ["model", { messages: [USER] }],
    ["model", withField({ model: "" })],
    ["model", withField({ model: 7 })],
    ["messages", { model: "m" }],
    ["messages", withField({ messages: [] })],
    ["messages", withField({ messages: "hi" })],
    ["messages", withMessages(...Array.from({ length: 100_001 }, () => USER))],
    ["temperature", withField({ temperature: 2.01 })],
    ["temperature", withField({ temperature: -0.1 })],
    ["temperature", withField({ temperature: "0.5" })],
    ["top_p", withField({ top_p: 1.1 })],
    ["stream", withField({ stream: "true" })],
    ["stream_options.include_usage", withField({ stream_options: { include_usage: 1 } })],
    ["max_tokens", withField({ max_tokens: 0 })],
    ["max_tokens", withField({ max_tokens: 1.5 })],
    ["max_tokens", withField({ max_tokens: 1e9 })],
    ["max_completion_tokens", withField({ max_completion_tokens: -1 })],
    ["n", withField({ n: 0 })],
    ["n", withField({ n: 129 })],
    ["presence_penalty", withField({ presence_penalty: 2.5 })],
    ["frequency_penalty", withField({ frequency_penalty: -3 })],
    ["top_logprobs", withField({ top_logprobs: 21 })],
    ["logprobs", withField({ logprobs: "yes" })],
    ["seed", withField({ seed: 0.5 })],
    ["stop", withField({ stop: 3 })],
    ["stop[1]", withField({ stop: ["a", 2] })],
    ["tools", withField({ tools: {} })],
    ["tools", withField({ tools: Array.from({ length: 513 }, () => ({ type: "x" })) })],
    ["tools[0]", withField({ tools: ["f"] })],
    ["tools[0].function", withField({ tools: [{ type: "function" }] })],
    [
      "tools[0].function.name",
      withField({ tools: [{ type: "function", function: { description: "d" } }] }),
    ],
    [
      "tools[0].function.parameters",
      withField({ tools: [{ type: "function", function: { name: "f", parameters: [] } }] }),
    ],
    ["tools[0].custom.name", withField({ tools: [{ type: "custom", custom: {} }] })],
    ["tool_choice", withField({ tool_choice: 1 })],
    ["tool_choice.function.name", withField({ tool_choice: { type: "function" } })],
    ["tool_choice.function.name", withField({ tool_choice: {} })],
    [
      "tool_choice.function.name",
      withField({ tool_choice: { type: "function", function: { name: "" } } }),
    ],
    [
      "tool_choice.allowed_tools.tools",
      withField({ tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto" } } }),
    ],
    ["response_format.type", withField({ response_format: {} })],
    ["response_format.json_schema", withField({ response_format: { type: "json_schema" } })],
    [
      "response_format.json_schema.schema",
      withField({ response_format: { type: "json_schema", json_schema: { name: "x" } } }),
    ],
    ["response_format", withField({ response_format: "json" })],
    ["response_format.type", withField({ response_format: { json_schema: {} } })],
    ["response_format.json_schema", withField({ response_format: { type: "json_schema" } })],
    [
      "response_format.json_schema.schema",
      withField({
        response_format: { type: "json_schema", json_schema: { name: "a", schema: 1 } },
      }),
    ],
    ["thinking", withField({ thinking: true })],
    ["thinking.budget_tokens", withField({ thinking: { type: "enabled", budget_tokens: "1k" } })],
    ["enable_thinking", withField({ enable_thinking: "yes" })],
    ["svc_thinking_to_content", withField({ svc_thinking_to_content: 1 })],
    ["parameters.incremental_output", withField({ parameters: { incremental_output: 1 } })],
    ["parameters.enable_search", withField({ parameters: { enable_search: "x" } })],
    [
      "parameters.search_options.recency_days",
      withField({ parameters: { search_options: { recency_days: 1.5 } } }),
    ],
    [
      "parameters.search_options.region",
      withField({ parameters: { search_options: { region: 1 } } }),
    ],
    [
      "parameters.asr_options.language",
      withField({ parameters: { asr_options: { language: 1 } } }),
    ],
    ["parameters.temperature", withField({ parameters: { temperature: 3 } })],
    ["parameters.top_p", withField({ parameters: { top_p: -1 } })],
    ["extra_body", withField({ extra_body: [] })],
    [
      "extra_body.brand.thinking_config.thinking_budget",
      withField({ extra_body: { brand: { thinking_config: { thinking_budget: "many" } } } }),
    ],
    [
      "extra_body.brand.thinking_config.thinking_budget",
      withField({ extra_body: { brand: { thinking_config: { thinking_budget: -2 } } } }),
    ],
    [
      "extra_body.brand.thinking_config.include_thoughts",
      withField({ extra_body: { brand: { thinking_config: { include_thoughts: 1 } } } }),
    ],
    ["extra_body.brand.tools", withField({ extra_body: { brand: { tools: {} } } })],
    [
      "web_search_options.user_location.approximate.city",
      withField({ web_search_options: { user_location: { approximate: { city: 1 } } } }),
    ],
  ])("%s", (param, body) => {
    expect(refused(body)).toBe(param);
  });
});

describe("[A4.3-b] [A4.3-02] an invalid message is refused by its position", () => {
  test.each<[string, Json[]]>([
    ["messages[0]", ["hi"]],
    ["messages[1].role", [USER, { content: "hi" }]],
    ["messages[0].content", [{ role: "user" }]],
    ["messages[0].content", [{ role: "user", content: null }]],
    ["messages[0].content", [{ role: "user", content: 5 }]],
    ["messages[0].content[0]", [{ role: "user", content: ["hi"] }]],
    ["messages[0].content[0].type", [{ role: "user", content: [{ text: "hi" }] }]],
    ["messages[0].content[0].text", [{ role: "user", content: [{ type: "text" }] }]],
    [
      "messages[2].content[0].image_url.url",
      [USER, USER, { role: "user", content: [{ type: "image_url", image_url: {} }] }],
    ],
    [
      "messages[0].content[0].image_url",
      [{ role: "user", content: [{ type: "image_url", image_url: 1 }] }],
    ],
    [
      "messages[0].content[0].input_audio.data",
      [{ role: "user", content: [{ type: "input_audio", input_audio: { format: "wav" } }] }],
    ],
    ["messages[0].content[0].file", [{ role: "user", content: [{ type: "file" }] }]],
    ["messages[1].tool_calls", [USER, { role: "assistant", tool_calls: {} }]],
    [
      "messages[1].tool_calls[0].id",
      [
        USER,
        {
          role: "assistant",
          tool_calls: [{ type: "function", function: { name: "f", arguments: "" } }],
        },
      ],
    ],
    [
      "messages[1].tool_calls[0].function.name",
      [USER, { role: "assistant", tool_calls: [{ id: "a", type: "function", function: {} }] }],
    ],
    [
      "messages[2].tool_call_id",
      [
        USER,
        { role: "assistant", content: null, tool_calls: [CALL] },
        { role: "tool", content: "3" },
      ],
    ],
    ["messages[0].name", [{ role: "user", content: "hi", name: 1 }]],
  ])("%s", (param, messages) => {
    expect(refused(withMessages(...messages))).toBe(param);
  });
});

describe("[A4.3-a] requests of real clients are accepted", () => {
  test.each<[string, JsonObject]>([
    [
      "the ends of every range",
      withField({
        temperature: 2,
        top_p: 0,
        n: 128,
        presence_penalty: -2,
        frequency_penalty: 2,
        top_logprobs: 20,
        max_tokens: 1,
      }),
    ],
    [
      "null for an omitted field",
      withField({
        temperature: null,
        stop: null,
        tools: null,
        tool_choice: null,
        response_format: null,
        logprobs: null,
        max_tokens: null,
      }),
    ],
    [
      "unknown fields",
      withField({ brand_new: { a: [1] }, messages_extra: 1, provider: "x", top_k: 40, min_p: 0.1 }),
    ],
    [
      "tools of an unknown type",
      withField({ tools: [{ type: "web_search" }, { type: "namespace", tools: [] }] }),
    ],
    ["a tool without its type", withField({ tools: [{ function: { name: "f" } }] })],
    [
      "parts of an unknown type",
      withMessages({ role: "user", content: [{ type: "document_url", document_url: "x" }] }),
    ],
    [
      "a link instead of an object",
      withMessages({
        role: "user",
        content: [{ type: "image_url", image_url: "https://a.example/b.png" }],
      }),
    ],
    [
      "every role",
      withMessages(
        { role: "system", content: "s" },
        { role: "developer", content: [{ type: "text", text: "d" }] },
        USER,
        { role: "assistant", content: null, tool_calls: [CALL] },
        { role: "tool", tool_call_id: "call_1", content: "r", name: "f" },
        { role: "function", name: "f", content: "r" },
      ),
    ],
    ["an empty assistant message", withMessages(USER, { role: "assistant", content: null })],
    [
      "the extensions of the specification",
      withField({
        stream: true,
        thinking: { type: "enabled" },
        enable_thinking: true,
        svc_thinking_to_content: true,
        parameters: {
          incremental_output: true,
          enable_search: true,
          search_options: { region: "eu", recency_days: 3 },
          asr_options: { language: "de" },
        },
        extra_body: {
          brand: {
            thinking_config: { thinking_budget: -1, include_thoughts: true },
            tools: [{ vendorSearch: {} }],
          },
        },
        generationConfig: { thinkingConfig: { thinkingLevel: "low" } },
        reasoning_effort: "medium",
        web_search_options: {
          search_context_size: "medium",
          user_location: {
            approximate: { timezone: "Europe/Berlin", country: "DE", region: "BE", city: "Berlin" },
          },
        },
      }),
    ],
  ])("%s", (_what, body) => {
    expect(refused(body)).toBeUndefined();
  });
});

test("[A4.3-b] the default temperature is documented", () => {
  expect(schemaOf(REQUEST)["properties"]).toMatchObject({
    temperature: {
      anyOf: [
        { description: expect.stringContaining("0.7"), minimum: 0, maximum: 2 },
        { type: "null" },
      ],
    },
  });
});

test("the relay gets the facts of a request", () => {
  const body = withField({
    stream: true,
    n: 2,
    max_tokens: 5,
    max_completion_tokens: 9,
    stream_options: { include_usage: true },
  });

  expect(readRequest(body)).toEqual({
    model: "m",
    stream: true,
    maxOutputTokens: 9,
    choices: 2,
    messages: 1,
    wantsUsage: true,
  });
  expect(readRequest(withField({}))).toEqual({
    model: "m",
    stream: false,
    maxOutputTokens: undefined,
    choices: 1,
    messages: 1,
    wantsUsage: false,
  });
});

test("[A4.3-11] a stream with reasoning in the content must be translated", () => {
  expect(
    readRequest(withField({ stream: true, svc_thinking_to_content: true })).mustTranslate,
  ).toBe(true);
  expect(readRequest(withField({ stream: true, thinking_to_content: true })).mustTranslate).toBe(
    true,
  );
  expect(readRequest(withField({ svc_thinking_to_content: true })).mustTranslate).toBeUndefined();
});

test("a compact stream is recognised by its client's options, and can be translated", () => {
  const compact = { compactStream: true };
  const facts = (fields: JsonObject) => readRequest(withField(fields), compact);

  expect(facts({ stream: true })).toMatchObject({ ...compact, wantsUsage: true });
  expect(facts({ stream: true, tool_choice: "any" })).toMatchObject(compact);
  expect(facts({})).not.toHaveProperty("compactStream");
  expect(readRequest(withField({ stream: true }))).not.toHaveProperty("compactStream");

  const unknown = facts({ stream: true, reasoning_effort: "newest" });
  expect(unknown.unknownValue?.param).toBe("reasoning_effort");
  expect(unknown).toMatchObject({ wantsUsage: false });
  expect(unknown).not.toHaveProperty("compactStream");
});

test(`the documented schema and the check agree on any body (seed ${SEED})`, () => {
  const any = ANY_KIND;
  const numbers = fc.oneof(
    fc.constantFrom(2, 2.01, 128, 129, 0, -0.01),
    fc.double({ min: -3, max: 3, noNaN: true }),
    fc.integer({ min: -2, max: 130 }),
    any,
  );
  const words = fc.constantFrom(
    "low",
    "high",
    "LOW",
    "enabled",
    "text",
    "function",
    "custom",
    "user",
    "tool",
    "assistant",
    "x",
    "",
  );
  const part = fc.record(
    {
      type: fc.oneof(words, fc.constant("image_url")),
      text: fc.oneof(words, any),
      image_url: fc.oneof(words, fc.record({ url: any })),
    },
    { requiredKeys: [] },
  );
  const message = fc.record(
    {
      role: fc.oneof(words, any),
      content: fc.oneof(words, fc.array(fc.oneof(part, any), { maxLength: 3 }), any),
      name: any,
      tool_call_id: any,
      tool_calls: fc.oneof(
        any,
        fc.array(
          fc.record(
            { id: any, type: words, function: fc.record({ name: any, arguments: any }) },
            { requiredKeys: [] },
          ),
          { maxLength: 2 },
        ),
      ),
    },
    { requiredKeys: ["role", "content"] },
  );
  const tool = fc.record(
    {
      type: fc.oneof(words, any),
      function: fc.oneof(any, fc.record({ name: any, parameters: any })),
    },
    { requiredKeys: [] },
  );
  const fields: Record<string, fc.Arbitrary<unknown>> = {
    model: any,
    messages: fc.oneof(fc.array(message, { maxLength: 2 }), any),
    temperature: numbers,
    n: numbers,
    stop: fc.oneof(any, fc.array(any, { maxLength: 2 })),
    tools: fc.oneof(any, fc.array(tool, { maxLength: 2 })),
    thinking: fc.oneof(any, fc.record({ type: words })),
    reasoning_effort: words,
    generationConfig: fc.record({ thinkingConfig: fc.record({ thinkingLevel: words }) }),
    extra_body: fc.oneof(
      any,
      fc.record({ brand: fc.oneof(any, fc.record({ thinking_config: any, tools: any })) }),
    ),
    web_search_options: fc.record({ search_context_size: words, user_location: any }),
  };

  const valid = { model: "m", messages: [USER] };
  expectAgreement(schemaOf(REQUEST), (body) => refused(body) === undefined, valid, fields);
});

test("deep nesting in an unknown field is not followed", () => {
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const json = parseJson(
    `{"model":"m","messages":[{"role":"user","content":"hi"}],"unknown":${deep},"metadata":{"a":${deep}}}`,
  );

  expect(isObject(json) ? readRequest(json).model : "").toBe("m");
});

test("names of every object's prototype are ordinary fields", () => {
  const json = parseJson(
    `{"model":"m","messages":[{"role":"user","content":"hi","__proto__":{"role":"robot"}}],"__proto__":{"stream":true},"constructor":1,"toString":{}}`,
  );

  expect(isObject(json) ? readRequest(json).stream : true).toBe(false);
});

describe("values that may be newer than the gateway pass to vendors of the style, and are refused in a translation", () => {
  test.each<[string, JsonObject]>([
    ["tool_choice", withField({ tool_choice: "sometimes" })],
    ["tool_choice.type", withField({ tool_choice: { type: "banana" } })],
    ["response_format.type", withField({ response_format: { type: "xml" } })],
    [
      "messages[0].content[0].image_url.detail",
      withField({
        messages: [
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url: "https://a.example", detail: "huge" } },
            ],
          },
        ],
      }),
    ],
    ["thinking.type", withField({ thinking: { type: "maybe" } })],
    [
      "generationConfig.thinkingConfig.thinkingLevel",
      withField({ generationConfig: { thinkingConfig: { thinkingLevel: "EXTREME" } } }),
    ],
    ["reasoning_effort", withField({ reasoning_effort: "very" })],
    [
      "extra_body.brand.thinking_config.thinking_level",
      withField({ extra_body: { brand: { thinking_config: { thinking_level: "much" } } } }),
    ],
    [
      "web_search_options.search_context_size",
      withField({ web_search_options: { search_context_size: "huge" } }),
    ],
    ["messages[0].role", withField({ messages: [{ role: "robot", content: "hi" }] })],
    ["messages[0].role", withField({ messages: [{ role: "constructor", content: "hi" }] })],
  ])("%s", (param, body) => {
    expect(refused(body)).toBeUndefined();
    expect(unknownIn(body)).toBe(param);
  });
});
