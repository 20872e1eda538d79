import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { dashscope } from "./dashscope.ts";

/** What the vendor gets of a body. */
function sent(model: string, fields: JsonObject): JsonObject {
  const body = { model, ...fields };
  const endpoint = dashscope.text.find((each) => each.serves?.(model) ?? true);
  const edits = endpoint?.adaptRequest?.(body, model) ?? {};
  const { model: _, ...rest } = JSON.parse(JSON.stringify({ ...body, ...edits })) as JsonObject;
  return rest;
}

describe("[A4.3-07] deep thinking needs a stream", () => {
  test.each<[string, string, JsonObject, JsonObject]>([
    [
      "in a stream the client's option applies",
      "qwen-plus",
      { stream: true, enable_thinking: true },
      { stream: true, enable_thinking: true },
    ],
    [
      "without a stream thinking is turned off, without an error",
      "qwen-plus",
      { enable_thinking: true },
      { enable_thinking: false },
    ],
    [
      "without a stream it is turned off for a model that thinks by default",
      "qwen3.5-plus",
      { stream: false },
      { stream: false, enable_thinking: false },
    ],
    ["so it is for the open models", "qwen3-32b", {}, { enable_thinking: false }],
    ["in a stream a model keeps its default", "qwen3.5-plus", { stream: true }, { stream: true }],
    ["a model that does not think by itself is let be", "qwen-plus", {}, {}],
    ["a model that cannot think is let be", "qwen3-30b-a3b-instruct-2507", {}, {}],
    [
      "an option to turn thinking off is kept",
      "qwen-plus",
      { enable_thinking: false },
      { enable_thinking: false },
    ],
    [
      "a model that always thinks gets no option",
      "qwen3-next-80b-a3b-thinking",
      { stream: true, enable_thinking: false },
      { stream: true },
    ],
    ["a model with another name gets no option either", "qwq-plus", { enable_thinking: true }, {}],
  ])("%s", (_what, model, fields, expected) => {
    expect(sent(model, fields)).toEqual(expected);
  });
});

describe("[A4.3-07] parameters in `parameters` are sent in the vendor's places", () => {
  test("[A4.3-13] all of them, speech recognition and search among them", () => {
    expect(
      sent("qwen-plus", {
        parameters: {
          incremental_output: true,
          enable_search: true,
          search_options: { region: "cn", recency_days: 7 },
          asr_options: { language: "de" },
          temperature: 0.2,
          top_k: 5,
        },
      }),
    ).toEqual({
      enable_search: true,
      search_options: { region: "cn", recency_days: 7 },
      asr_options: { language: "de" },
      temperature: 0.2,
      top_k: 5,
    });
  });

  test("a top-level parameter takes precedence", () => {
    expect(sent("qwen-plus", { temperature: 0.9, parameters: { temperature: 0.1 } })).toEqual({
      temperature: 0.9,
    });
  });

  test("they cannot change the kind of call", () => {
    const parameters = { model: "dearer", n: 100, messages: [], stream: true, seed: 1 };

    expect(sent("qwen-plus", { messages: ["mine"], parameters })).toEqual({
      messages: ["mine"],
      seed: 1,
    });
  });

  test.each([
    [1, 0.999],
    [0, 0.001],
    [0.5, 0.5],
  ])("a top_p of %d is sent as %d", (asked, expected) => {
    expect(sent("qwen-plus", { parameters: { top_p: asked } })).toEqual({ top_p: expected });
  });

  test.each([null, "text", [1], 5])("a value that is no object is omitted: %p", (parameters) => {
    expect(sent("qwen-plus", { parameters })).toEqual({});
  });
});
