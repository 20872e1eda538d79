import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, ask, at, post, textAt } from "./testing/chat.ts";
import { parseJson } from "./json.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const tool = {
  type: "function",
  function: { name: "f", parameters: { type: "object", properties: {} } },
};
const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
const question = { role: "user", content: "hi" };

function talk(...messages: JsonObject[]): JsonObject {
  return { model: "gpt-4o", messages };
}

/** Status, type, param and code, in the words of the error. */
async function refusalOf(body: JsonObject): Promise<string> {
  const response = await post(sandbox, body);
  const error = at(asObject(parseJson(await response.text())), "error");
  return [response.status, ...["type", "param", "code"].map((key) => textAt(error, key))].join(" ");
}

const INVALID = "400 invalid_request_error";

test.each<[string, JsonObject, string]>([
  ["no model", { messages: [question] }, `${INVALID}  `],
  [
    "an unknown model",
    ask("hi", { model: "gpt-none" }),
    "404 invalid_request_error  model_not_found",
  ],
  [
    "an unknown parameter",
    ask("hi", { enable_thinking: false }),
    `${INVALID} enable_thinking unknown_parameter`,
  ],
  [
    "a parameter of the responses API",
    ask("hi", { model: "gpt-5.1", reasoning: { effort: "low" } }),
    `${INVALID} reasoning unknown_parameter`,
  ],
  ["no messages", { model: "gpt-4o" }, `${INVALID} messages missing_required_parameter`],
  ["an empty list of messages", talk(), `${INVALID} messages empty_array`],
  [
    "messages that are no list",
    { model: "gpt-4o", messages: "hi" },
    `${INVALID} messages invalid_type`,
  ],
  [
    "an unknown role",
    talk({ role: "wizard", content: "hi" }),
    `${INVALID} messages[0].role invalid_value`,
  ],
  [
    "a message without content",
    talk({ role: "user", content: null }),
    `${INVALID} messages.[0].content `,
  ],
  [
    "an unknown kind of part",
    talk({ role: "user", content: [{ type: "smell" }] }),
    `${INVALID} messages[0].content[0].type invalid_value`,
  ],
  [
    "an image that is no image",
    talk({
      role: "user",
      content: [{ type: "image_url", image_url: { url: "data:image/png;base64,@@" } }],
    }),
    `${INVALID} messages[0].content[0].image_url.url invalid_value`,
  ],
  [
    "a temperature above 2",
    ask("hi", { temperature: 2.1 }),
    `${INVALID} temperature decimal_above_max_value`,
  ],
  [
    "a temperature below 0",
    ask("hi", { temperature: -0.1 }),
    `${INVALID} temperature decimal_below_min_value`,
  ],
  [
    "a temperature in letters",
    ask("hi", { temperature: "warm" }),
    `${INVALID} temperature invalid_type`,
  ],
  ["a top_p above 1", ask("hi", { top_p: 1.5 }), `${INVALID} top_p decimal_above_max_value`],
  ["129 choices", ask("hi", { n: 129 }), `${INVALID} n integer_above_max_value`],
  ["no choices", ask("hi", { n: 0 }), `${INVALID} n integer_below_min_value`],
  [
    "a presence_penalty of 3",
    ask("hi", { presence_penalty: 3 }),
    `${INVALID} presence_penalty decimal_above_max_value`,
  ],
  [
    "21 top_logprobs",
    ask("hi", { logprobs: true, top_logprobs: 21 }),
    `${INVALID} top_logprobs integer_above_max_value`,
  ],
  ["top_logprobs without logprobs", ask("hi", { top_logprobs: 2 }), `${INVALID} top_logprobs `],
  [
    "a logit bias of 101",
    ask("hi", { logit_bias: { 50256: 101 } }),
    `${INVALID} logit_bias.50256 decimal_above_max_value`,
  ],
  [
    "five stop sequences",
    ask("hi", { stop: ["a", "b", "c", "d", "e"] }),
    `${INVALID} stop array_above_max_length`,
  ],
  [
    "stream_options without stream",
    ask("hi", { stream_options: { include_usage: true } }),
    `${INVALID} stream_options `,
  ],
  ["tool_choice without tools", ask("hi", { tool_choice: "auto" }), `${INVALID} tool_choice `],
  [
    "parallel_tool_calls without tools",
    ask("hi", { parallel_tool_calls: true }),
    `${INVALID} parallel_tool_calls `,
  ],
  [
    "a tool_choice that is not offered",
    ask("hi", { tools: [tool], tool_choice: { type: "function", function: { name: "g" } } }),
    `${INVALID} tool_choice `,
  ],
  [
    "a tool name with a blank",
    ask("hi", { tools: [{ type: "function", function: { name: "a b" } }] }),
    `${INVALID} tools[0].function.name invalid_value`,
  ],
  [
    "a tool name of 65 letters",
    ask("hi", { tools: [{ type: "function", function: { name: "a".repeat(65) } }] }),
    `${INVALID} tools[0].function.name string_above_max_length`,
  ],
  [
    "129 tools",
    ask("hi", { tools: Array.from({ length: 129 }, () => tool) }),
    `${INVALID} tools array_above_max_length`,
  ],
  [
    "a strict tool with an open object",
    ask("hi", {
      tools: [
        {
          type: "function",
          function: { name: "f", strict: true, parameters: { type: "object", properties: {} } },
        },
      ],
    }),
    `${INVALID} tools[0].function.parameters invalid_function_parameters`,
  ],
  [
    "a custom tool with an invalid grammar",
    ask("hi", {
      tools: [
        {
          type: "custom",
          custom: {
            name: "c",
            format: { type: "grammar", grammar: { syntax: "regex", definition: "(" } },
          },
        },
      ],
    }),
    `${INVALID} tools[0].custom.format.grammar.definition invalid_value`,
  ],
  [
    "a call without a result",
    talk(question, { role: "assistant", tool_calls: [call] }, question),
    `${INVALID} messages.[2].role `,
  ],
  [
    "a call that the last message leaves open",
    talk(question, { role: "assistant", tool_calls: [call] }),
    `${INVALID} messages.[1].role `,
  ],
  [
    "an answer to no call",
    talk(question, { role: "tool", tool_call_id: "call_1", content: "x" }),
    `${INVALID} messages.[1].role `,
  ],
  [
    "a second answer to one call",
    talk(
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "x" },
      { role: "tool", tool_call_id: "call_1", content: "y" },
    ),
    `${INVALID} messages.[2].role `,
  ],
  [
    "a call id of 41 characters",
    talk({ role: "assistant", tool_calls: [{ ...call, id: "c".repeat(41) }] }),
    `${INVALID} messages[0].tool_calls[0].id string_above_max_length`,
  ],
  [
    "max_tokens for a reasoning model",
    ask("hi", { model: "o4-mini", max_tokens: 5 }),
    `${INVALID} max_tokens unsupported_parameter`,
  ],
  [
    "a limit above the model's",
    ask("hi", { model: "gpt-4o", max_tokens: 64_000 }),
    `${INVALID} max_tokens invalid_value`,
  ],
  [
    "a schema for a vendor that knows objects only",
    ask("hi", {
      model: "deepseek-chat",
      response_format: { type: "json_schema", json_schema: { name: "a", schema: {} } },
    }),
    `${INVALID} response_format invalid_request_error`,
  ],
  [
    "a temperature for a reasoning model",
    ask("hi", { model: "gpt-5", temperature: 0.2 }),
    `${INVALID} temperature unsupported_value`,
  ],
  [
    "logprobs for a reasoning model",
    ask("hi", { model: "o3", logprobs: true }),
    `${INVALID} logprobs unsupported_parameter`,
  ],
  [
    "an effort the model does not know",
    ask("hi", { model: "o3", reasoning_effort: "minimal" }),
    `${INVALID} reasoning_effort unsupported_value`,
  ],
  [
    "an effort for a model that does not think",
    ask("hi", { reasoning_effort: "low" }),
    `${INVALID} reasoning_effort unsupported_parameter`,
  ],
  [
    "json_object without the word json",
    ask("hi", { response_format: { type: "json_object" } }),
    `${INVALID} messages `,
  ],
  [
    "a schema without a name",
    ask("hi", { response_format: { type: "json_schema", json_schema: { schema: {} } } }),
    `${INVALID} response_format.json_schema.name missing_required_parameter`,
  ],
  [
    "a strict schema that is no object",
    ask("hi", {
      response_format: {
        type: "json_schema",
        json_schema: { name: "x", strict: true, schema: { type: "string" } },
      },
    }),
    `${INVALID} response_format `,
  ],
  [
    "a strict schema with an optional property",
    ask("hi", {
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "x",
          strict: true,
          schema: {
            type: "object",
            properties: { a: {} },
            required: [],
            additionalProperties: false,
          },
        },
      },
    }),
    `${INVALID} response_format `,
  ],
  [
    "speech from a model that does not speak",
    ask("hi", { modalities: ["audio"], audio: { voice: "alloy", format: "wav" } }),
    `${INVALID} modalities invalid_value`,
  ],
  [
    "speech without a voice",
    ask("hi", { model: "gpt-audio", modalities: ["audio"], audio: { format: "wav" } }),
    `${INVALID} audio.voice missing_required_parameter`,
  ],
  [
    "a stream of WAV",
    ask("hi", {
      model: "gpt-audio",
      modalities: ["audio"],
      stream: true,
      audio: { voice: "alloy", format: "wav" },
    }),
    `${INVALID} audio.format unsupported_value`,
  ],
  [
    "seventeen pairs of metadata",
    ask("hi", {
      metadata: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, "v"])),
    }),
    `${INVALID} metadata object_above_max_properties`,
  ],
  [
    "more text than the model can hold",
    ask("word ".repeat(17_000), { model: "gpt-3.5-turbo" }),
    `${INVALID} messages context_length_exceeded`,
  ],
])("%s is refused like at the vendor", async (_, body, expected) => {
  expect(await refusalOf(body)).toBe(expected);
});

test.each<[string, JsonObject]>([
  [
    "null for every optional parameter",
    ask("hi", {
      temperature: null,
      stop: null,
      tools: null,
      tool_choice: null,
      stream_options: null,
      response_format: null,
      n: null,
      max_tokens: null,
    }),
  ],
  [
    "another vendor's parameters, to its own models",
    ask("hi", { model: "qwen-plus", enable_thinking: false, top_k: 3 }),
  ],
  [
    "the default temperature for a reasoning model",
    ask("hi", { model: "o4-mini", temperature: 1, max_completion_tokens: 500 }),
  ],
  ["a temperature with reasoning turned off", ask("hi", { model: "gpt-5.1", temperature: 0.2 })],
  [
    "the bounds themselves",
    ask("hi", { temperature: 2, top_p: 0, n: 1, presence_penalty: -2, frequency_penalty: 2 }),
  ],
  [
    "calls that are answered in any order",
    talk(
      question,
      { role: "assistant", content: null, tool_calls: [call, { ...call, id: "call_2" }] },
      { role: "tool", tool_call_id: "call_2", content: "b" },
      { role: "tool", tool_call_id: "call_1", content: "a" },
    ),
  ],
  [
    "a message in parts",
    talk(
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      { role: "user", content: [{ type: "text", text: "hi" }] },
    ),
  ],
])("%s: accepted", async (_, body) => {
  expect((await post(sandbox, body)).status).toBe(200);
});

test("a missing key, a wrong key and a wrong path get different errors", async () => {
  await using guarded = await startSandbox({ apiKeys: ["sk-right"] });
  const seen = async (path: string, init: RequestInit) => {
    const response = await fetch(`${guarded.url}/openai/v1${path}`, init);
    return [
      response.status,
      at(asObject(parseJson(await response.text())), "error", "code") ?? null,
    ];
  };
  const right = { authorization: "Bearer sk-right" };

  expect(await seen("/models", {})).toEqual([401, null]);
  expect(await seen("/models", { headers: { authorization: "Bearer sk-wrong" } })).toEqual([
    401,
    "invalid_api_key",
  ]);
  expect(await seen("/models/none", { headers: right })).toEqual([404, "model_not_found"]);
  expect(await seen("/nowhere", { headers: right })).toEqual([404, null]);
  expect(await seen("/models", { method: "POST", headers: right })).toEqual([
    405,
    "method_not_supported",
  ]);
  expect(await seen("/chat/completions", { method: "POST", headers: right, body: "{}" })).toEqual([
    415,
    "unsupported_content_type",
  ]);
});

test("a wrong key is never repeated in full", async () => {
  await using guarded = await startSandbox({ apiKeys: ["sk-right"] });
  const response = await post(guarded, ask("hi"), { key: "sk-secret-of-somebody" });

  expect(await response.text()).not.toContain("secret-of");
});

test("a body that is not JSON is refused", async () => {
  const response = await fetch(`${sandbox.url}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer x", "content-type": "application/json" },
    body: '{"model":',
  });

  expect(response.status).toBe(400);
});
