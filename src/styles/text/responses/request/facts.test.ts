import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "#core/error.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { disagreement } from "#test/json-schema.ts";
import { SEED, times } from "#test/seed.ts";
import { invalidField } from "#test/refusal.ts";
import { readRequest } from "./facts.ts";
import { REQUEST } from "./fields.ts";
import { parseRequest } from "./request-in.ts";

/** What of a body is refused; undefined where it is accepted. */
function refused(fields: JsonObject): string | undefined {
  const json = parseJson(JSON.stringify({ model: "m", input: "hi", ...fields }));
  return invalidField(() => readRequest(isObject(json) ? json : {}));
}

/** What a request is refused for if it has to be translated. */
function unknownIn(fields: JsonObject): string | undefined {
  return readRequest({ model: "m", input: "hi", ...fields }).unknownValue?.param;
}

describe("[A4.4-a] a field of the wrong type or out of its range is refused by name", () => {
  test.each<[string, JsonObject]>([
    ["model", { model: null }],
    ["model", { model: 7 }],
    ["input", { input: null }],
    ["input", { input: [] }],
    ["input", { input: 7 }],
    ["input", { input: { role: "user", content: "hi" } }],
    ["input[0].role", { input: [{ content: "hi" }] }],
    ["input[0].content", { input: [{ role: "user" }] }],
    ["input[0].content", { input: [{ type: "message", role: "user" }] }],
    ["input[0].content[0].text", { input: [{ role: "user", content: [{ type: "input_text" }] }] }],
    ["input[0].text", { input: [{ type: "input_text" }] }],
    ["input[0].image_url", { input: [{ type: "input_image", image_url: { url: "x" } }] }],
    ["input[0].call_id", { input: [{ type: "function_call", name: "f", arguments: "{}" }] }],
    ["input[0].output", { input: [{ type: "function_call_output", call_id: "c" }] }],
    ["input[0].id", { input: [{ type: "item_reference" }] }],
    ["instructions", { instructions: ["a"] }],
    ["max_output_tokens", { max_output_tokens: 0 }],
    ["max_output_tokens", { max_output_tokens: 1.5 }],
    ["stream", { stream: "true" }],
    ["temperature", { temperature: 2.01 }],
    ["temperature", { temperature: -0.1 }],
    ["top_p", { top_p: 1.01 }],
    ["top_logprobs", { top_logprobs: 21 }],
    ["metadata", { metadata: "x" }],
    ["user", { user: 1 }],
    ["store", { store: "no" }],
    ["include", { include: "reasoning.encrypted_content" }],
    ["background", { background: true }],
    ["text.format.schema", { text: { format: { type: "json_schema", schema: [] } } }],
  ])("%s in %j", (param, fields) => {
    expect(refused(fields)).toBe(param);
  });
});

describe("[A4.4-b] [A4.4-c] and so is an invalid tool", () => {
  test.each<[string, JsonObject]>([
    ["tools[0].name", { tools: [{ type: "function", parameters: {} }] }],
    ["tools[0].name", { tools: [{ type: "custom" }] }],
    ["tools[0].function.name", { tools: [{ type: "function", function: {} }] }],
    ["tools", { tools: {} }],
    ["tool_choice", { tool_choice: 1 }],
    ["tool_choice.name", { tool_choice: { type: "function" } }],
    ["text.format.schema", { text: { format: { type: "json_schema", name: "x" } } }],
    ["parallel_tool_calls", { parallel_tool_calls: "no" }],
    ["max_tool_calls", { max_tool_calls: -1 }],
  ])("%s in %j", (param, fields) => {
    expect(refused(fields)).toBe(param);
  });
});

describe("[A4.4-e] and an unknown option", () => {
  test.each<[string, JsonObject]>([["reasoning", { reasoning: "high" }]])(
    "%s in %j",
    (param, fields) => {
      expect(refused(fields)).toBe(param);
    },
  );
});

describe("requests of real clients are accepted", () => {
  test.each<[string, JsonObject]>([
    ["a plain string", { input: "hi" }],
    ["simple items", { input: [{ role: "user", content: "hi" }] }],
    [
      "[A4.4-a] typed parts as items",
      {
        input: [
          { type: "input_text", text: "What is it?" },
          { type: "input_image", image_url: "https://x.test/y.png", detail: "high" },
          { type: "input_file", file_url: "https://x.test/a.pdf" },
        ],
      },
    ],
    ["an item that is only referred to", { input: [{ type: "item_reference", id: "rs_1" }] }],
    ["the same without a type", { input: [{ type: null, id: "rs_1" }] }],
    ["an unknown item", { input: [{ type: "compaction", encrypted_content: "x" }] }],
    ["an unknown part", { input: [{ role: "user", content: [{ type: "input_smell" }] }] }],
    ["no input beside a stored prompt", { input: null, prompt: { id: "pmpt_1" } }],
    ["no new input after a response", { input: [], previous_response_id: "resp_1" }],
    ["[A4.4-b] nested functions", { tools: [{ type: "function", function: { name: "f" } }] }],
    ["[A4.4-b] flat functions", { tools: [{ type: "function", name: "f", strict: null }] }],
    ["functions without a type", { tools: [{ name: "f" }] }],
    [
      "[A4.4-b] hosted tools, with and without fields",
      {
        tools: [
          { type: "web_search_preview", search_context_size: "low" },
          {
            type: "web_search_preview",
            user_location: { type: "approximate", country: "DE", city: "Köln" },
          },
          { type: "file_search" },
          { type: "namespace", name: "n", tools: [] },
          { type: "tool_of_tomorrow" },
        ],
      },
    ],
    ["[A4.4-c] each tool choice", { tool_choice: { type: "function", function: { name: "f" } } }],
    ["[A4.4-e] truncation", { truncation: "auto" }],
    ["[A4.4-e] reasoning", { reasoning: { effort: "none", summary: "none" } }],
    ["[A4.4-d] an earlier response", { previous_response_id: "resp_1" }],
    ["null for an omitted field", { tools: null, text: null, reasoning: null, background: null }],
    ["unknown fields", { client_metadata: { a: 1 }, x: 1 }],
  ])("%s", (_what, fields) => {
    expect(refused(fields)).toBeUndefined();
  });
});

test("the relay gets the facts of a request", () => {
  const input = [
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
  ];

  expect(readRequest({ model: "m", input, stream: true, max_output_tokens: 9 })).toEqual({
    model: "m",
    stream: true,
    maxOutputTokens: 9,
    choices: 1,
    messages: 2,
    wantsUsage: true,
  });
  expect(readRequest({ model: "m", input: "hi" }).messages).toBe(1);
});

test("the published schema accepts the same requests as the rules", () => {
  const schema = schemaOf(REQUEST);
  const body = {
    model: "m",
    input: [{ role: "user", content: [{ type: "input_text", text: "hi" }] }],
    tools: [{ type: "function", name: "f", parameters: {} }],
    reasoning: { effort: "low" },
  };

  expect(disagreement(body, schema, () => ({}))).toBeUndefined();
  expect(disagreement({ ...body, top_p: 2 }, schema, () => ({}))).toContain("top_p");
});

test(`any input is refused or read, without an exception (seed ${SEED})`, () => {
  const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
  const type = fc.constantFrom(
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "input_text",
    "input_image",
    "item_reference",
    "web_search_call",
    "unknown",
  );
  const item = fc.record(
    {
      type,
      role: fc.constantFrom("user", "assistant", "system", "x"),
      id: value,
      call_id: value,
      name: value,
      content: fc.oneof(value, fc.array(fc.record({ type, text: value, image_url: value }))),
      output: value,
      summary: value,
      encrypted_content: value,
      arguments: value,
      text: value,
    },
    { requiredKeys: [] },
  );
  const body = fc.record(
    {
      model: fc.constant("m"),
      input: fc.oneof(value, fc.array(fc.oneof(item, value), { maxLength: 4 })),
      instructions: value,
      tools: fc.oneof(value, fc.array(fc.record({ type: value, name: value, function: value }))),
      tool_choice: value,
      text: value,
      reasoning: value,
      include: value,
      metadata: value,
    },
    { requiredKeys: ["model"] },
  );
  fc.assert(
    fc.property(body, (sent) => {
      const json = parseJson(JSON.stringify(sent));
      try {
        const wire = isObject(json) ? json : {};
        readRequest(wire);
        expect(parseRequest(wire).model).toBe("m");
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError);
      }
    }),
    { seed: SEED, numRuns: times(800, 100_000) },
  );
});

describe("values that may be newer than the gateway pass to vendors of the style, and are refused in a translation", () => {
  test.each<[string, JsonObject]>([
    ["input[0].role", { input: [{ role: "robot", content: "hi" }] }],
    ["tools[0].search_context_size", { tools: [{ type: "web_search", search_context_size: "x" }] }],
    ["tool_choice", { tool_choice: "sometimes" }],
    ["text.format.type", { text: { format: { type: "xml" } } }],
    [
      "input[0].content[0].detail",
      {
        input: [
          {
            role: "user",
            content: [{ type: "input_image", image_url: "https://a.example", detail: "huge" }],
          },
        ],
      },
    ],
    ["truncation", { truncation: "middle" }],
    ["reasoning.effort", { reasoning: { effort: "hard" } }],
    ["reasoning.summary", { reasoning: { summary: "short" } }],
  ])("%s", (param, body) => {
    expect(refused(body)).toBeUndefined();
    expect(unknownIn(body)).toBe(param);
  });
});
