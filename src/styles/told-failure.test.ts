import { describe, expect, test } from "bun:test";
import { GatewayError, type FaultCode } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { chat } from "./text/chat/index.ts";
import { gemini } from "./text/gemini/index.ts";
import { messages } from "./text/messages/index.ts";
import { responses } from "./text/responses/index.ts";
import { parseError } from "./upstream-error.ts";
import { asGatewayError } from "./upstream-error.ts";

const STYLES = [chat, responses, messages, gemini] as const;

function told(status: number, body: JsonObject): string[] {
  const error = asGatewayError(parseError(status, JSON.stringify(body)));
  return STYLES.map(({ inbound }) => JSON.stringify(inbound.buildError(error)));
}

describe("an error for a conversation that is too long has the text that clients recognise", () => {
  /** What official clients and agents of each style look for. */
  const KNOWN = [
    /"code":"context_length_exceeded"/,
    /"code":"context_length_exceeded"/,
    /prompt is too long/,
    /input token count.*exceeds the maximum number of tokens/i,
  ];
  test.each<[string, JsonObject]>([
    ["OpenAI", { error: { message: "Too long.", code: "context_length_exceeded" } }],
    [
      "Anthropic",
      {
        error: {
          type: "invalid_request_error",
          message: "prompt is too long: 210000 tokens > 200000 maximum",
        },
      },
    ],
    [
      "Google",
      {
        error: {
          code: 400,
          status: "INVALID_ARGUMENT",
          message:
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        },
      },
    ],
    [
      "Cohere",
      {
        error_type: "TOO_MANY_TOKENS",
        message: "too many tokens: size limit exceeded by 25836 tokens.",
      },
    ],
    ["Bedrock", { message: "Input is too long for requested model." }],
    [
      "xAI",
      {
        error:
          "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
    ],
    [
      "DashScope",
      { code: "InvalidParameter", message: "Range of input length should be [1, 129024]" },
    ],
    [
      "llama.cpp",
      {
        error: {
          code: 400,
          message: "request (2009 tokens) exceeds the available context size (512 tokens)",
          type: "exceed_context_size_error",
        },
      },
    ],
  ])("by %s", (_vendor, body) => {
    const [inChat = "", inResponses = "", ...others] = told(400, body);

    expect([inChat, inResponses, ...others].map((each, i) => KNOWN[i]?.test(each))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(inChat).toContain("maximum context length");
    expect(inResponses).toContain("exceeds the context window");
  });

  test("and is not reported twice", () => {
    const body = { error: { message: "prompt is too long: 9 tokens > 8 maximum" } };
    const inMessages = told(400, body)[2];

    expect(inMessages?.match(/prompt is too long/g)).toHaveLength(1);
  });
});

describe("a vendor's code survives in every style", () => {
  const body = {
    error: { message: "Bad link.", type: "invalid_request_error", code: "invalid_image_url" },
  };

  test("for an invalid request", () => {
    for (const each of told(400, body)) expect(each).toContain('"invalid_image_url"');
  });

  test("with all its details, if the vendor's clients act on them", () => {
    const details = { error_code: "thread_not_found", thread: "t1" };
    const error = { type: "invalid_request_error", message: "No.", details };

    expect(JSON.parse(told(400, { type: "error", error })[2] ?? "")).toMatchObject({
      error: { details },
    });
  });

  test.each<FaultCode>([
    "upstream_auth",
    "upstream_failed",
    "upstream_rate_limited",
    "upstream_model_missing",
  ])("but not for %s, which no client causes", (code) => {
    const error = new GatewayError(code, "m", { vendor: { status: 400, code: "of_its_own" } });

    for (const { inbound } of STYLES) {
      expect(JSON.stringify(inbound.buildError(error))).not.toContain("of_its_own");
    }
  });
});
