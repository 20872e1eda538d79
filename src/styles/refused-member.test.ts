import { describe, expect, test } from "bun:test";
import { parseError } from "./upstream-error.ts";

function memberOf(error: object): string | undefined {
  return parseError(400, JSON.stringify(error)).vendor?.refusedMember;
}

describe("the member that a vendor refuses by name is found", () => {
  test.each<[string, object, string]>([
    [
      "OpenAI, a parameter",
      {
        error: {
          message: "Unsupported parameter: 'top_p' is not supported with this model.",
          type: "invalid_request_error",
          param: "top_p",
          code: "unsupported_parameter",
        },
      },
      "top_p",
    ],
    [
      "OpenAI, an unknown one in an object",
      {
        error: {
          message: "Unknown parameter: 'reasoning.mode'.",
          type: "invalid_request_error",
          param: "reasoning.mode",
          code: "unknown_parameter",
        },
      },
      "reasoning.mode",
    ],
    [
      "OpenAI, a value that is not the default",
      {
        error: {
          message:
            "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
          type: "invalid_request_error",
          param: "temperature",
          code: "unsupported_value",
        },
      },
      "temperature",
    ],
    [
      "Anthropic, an extra member",
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "thinking.display: Extra inputs are not permitted",
        },
      },
      "thinking.display",
    ],
    [
      "Anthropic, a deprecated one",
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "`temperature` is deprecated for this model.",
        },
      },
      "temperature",
    ],
    [
      "Gemini",
      {
        error: {
          code: 400,
          message:
            "Invalid JSON payload received. Unknown name \"enhanced\" at 'generation_config.thinking_config': Cannot find field.",
          status: "INVALID_ARGUMENT",
        },
      },
      "generation_config.thinking_config.enhanced",
    ],
    [
      "a server that checks with pydantic",
      {
        detail: [
          {
            type: "extra_forbidden",
            loc: ["body", "min_p"],
            msg: "Extra inputs are not permitted",
          },
        ],
      },
      "min_p",
    ],
  ])("%s", (_who, error, member) => {
    expect(memberOf(error)).toBe(member);
  });
});

describe("no member is found if", () => {
  test.each<[string, object]>([
    [
      "it is in a list",
      { error: { type: "e", message: "messages.0.x: Extra inputs are not permitted" } },
    ],
    [
      "its place is one in a list",
      { error: { param: "tools[0].strict", code: "unknown_parameter", message: "No." } },
    ],
    [
      "a value is wrong",
      { error: { param: "temperature", code: "decimal_above_max_value", message: "Too high." } },
    ],
    ["nothing is named", { error: { message: "Bad request." } }],
  ])("%s", (_what, error) => {
    expect(memberOf(error)).toBeUndefined();
  });

  test("the failure is not the request's", () => {
    const body = JSON.stringify({ error: { message: "Unknown parameter: 'a'." } });

    expect(parseError(500, body).vendor?.refusedMember).toBeUndefined();
  });
});
