import { describe, expect, test } from "bun:test";
import type { FaultCode } from "#core/error.ts";
import type { Json } from "#lib/json.ts";
import { parseError } from "./upstream-error.ts";
import { errorIn } from "#styles/text/chat/failure.ts";

describe("a failed answer is understood in every form that servers have", () => {
  test.each<[string, number, Json, FaultCode, string]>([
    [
      "the style's own",
      400,
      {
        error: {
          message: "Bad 'top_p'.",
          type: "invalid_request_error",
          param: "top_p",
          code: "invalid_value",
        },
      },
      "upstream_rejected",
      "Bad 'top_p'.",
    ],
    ["a text as the error", 400, { error: "Too hot." }, "upstream_rejected", "Too hot."],
    [
      "a code beside a text",
      400,
      { code: "whatever", error: "Too hot." },
      "upstream_rejected",
      "Too hot.",
    ],
    ["a message alone", 422, { message: "Too hot." }, "upstream_rejected", "Too hot."],
    ["a detail", 422, { detail: "Too hot." }, "upstream_rejected", "Too hot."],
    [
      "a list of details",
      422,
      {
        detail: [{ loc: ["body", "messages", 0, "role"], msg: "Field required", type: "missing" }],
      },
      "upstream_rejected",
      "Field required",
    ],
    [
      "a status word",
      400,
      { error: { code: 400, status: "INVALID_ARGUMENT", message: "Too hot." } },
      "upstream_rejected",
      "Too hot.",
    ],
    [
      "a list",
      400,
      [{ error: { code: 400, message: "Too hot.", status: "INVALID_ARGUMENT" } }],
      "upstream_rejected",
      "Too hot.",
    ],
    [
      "code, message and request id",
      400,
      { code: "InvalidParameter", message: "Too hot.", request_id: "1" },
      "upstream_rejected",
      "Too hot.",
    ],
    [
      "a flat object",
      400,
      { object: "error", message: "Too hot.", type: "invalid_request_invalid_args", code: "3051" },
      "upstream_rejected",
      "Too hot.",
    ],
    ["nothing", 500, {}, "upstream_failed", "The upstream answered with status 500."],
    [
      "a context too long, by code",
      400,
      { error: { message: "long", code: "context_length_exceeded" } },
      "context_length_exceeded",
      "long",
    ],
    [
      "a context too long, by type",
      400,
      { error: { message: "long", type: "exceed_context_size_error", code: 400 } },
      "context_length_exceeded",
      "long",
    ],
    [
      "a context too long, in words only",
      400,
      {
        error: {
          message: "This model's maximum context length is 8192 tokens.",
          type: "BadRequestError",
        },
      },
      "context_length_exceeded",
      "This model's maximum context length is 8192 tokens.",
    ],
    [
      "filtered content",
      400,
      {
        error: {
          message: "no",
          code: "content_filter",
          innererror: { code: "ResponsibleAIPolicyViolation" },
        },
      },
      "content_filtered",
      "no",
    ],
    [
      "inspected content",
      400,
      { error: { message: "no", code: "data_inspection_failed" } },
      "content_filtered",
      "no",
    ],
    [
      "a model that is gone",
      400,
      { error: { message: "x", code: "model_decommissioned" } },
      "upstream_model_missing",
      "The upstream does not serve this model.",
    ],
    [
      "a model that our account may not use",
      403,
      {
        error: {
          message: "Project `p` does not have access to model `m`",
          type: "invalid_request_error",
          code: "model_not_found",
        },
      },
      "upstream_auth",
      "The upstream does not accept the gateway's account.",
    ],
    [
      "a model that never was",
      404,
      { error: { message: "x", code: "model_not_found" } },
      "upstream_model_missing",
      "The upstream does not serve this model.",
    ],
    [
      "our key refused",
      401,
      { error: { message: "Incorrect API key provided: sk-123456789", code: "invalid_api_key" } },
      "upstream_auth",
      "The upstream does not accept the gateway's account.",
    ],
    [
      "our key refused as a bad request",
      400,
      {
        error: {
          code: 400,
          message: "API key not valid.",
          status: "INVALID_ARGUMENT",
          details: [{ reason: "API_KEY_INVALID" }],
        },
      },
      "upstream_auth",
      "The upstream does not accept the gateway's account.",
    ],
    [
      "our account out of money",
      429,
      {
        error: {
          message: "You exceeded your quota",
          type: "insufficient_quota",
          code: "insufficient_quota",
        },
      },
      "upstream_auth",
      "The upstream does not accept the gateway's account.",
    ],
    [
      "our account unpaid",
      402,
      { error: { message: "Insufficient Balance" } },
      "upstream_auth",
      "The upstream does not accept the gateway's account.",
    ],
    [
      "too many requests",
      429,
      { error: { message: "slow", type: "requests", code: "rate_limit_exceeded" } },
      "upstream_rate_limited",
      "slow",
    ],
    ["a busy server", 503, { error: { message: "busy" } }, "upstream_overloaded", "busy"],
    [
      "a busy server, by word",
      529,
      { error: { message: "busy", type: "overloaded_error" } },
      "upstream_overloaded",
      "busy",
    ],
    ["a slow server", 504, { error: { message: "late" } }, "upstream_timeout", "late"],
    ["a request it gave up on", 408, { error: { message: "late" } }, "upstream_timeout", "late"],
    ["a body it finds too large", 413, { error: { message: "big" } }, "upstream_rejected", "big"],
    [
      "a broken server",
      500,
      { error: { message: "broken", type: "server_error", code: null } },
      "upstream_failed",
      "broken",
    ],
    ["a redirect", 302, {}, "upstream_failed", "The upstream answered with status 302."],
  ])("%s", (_form, status, body, code, message) => {
    expect(parseError(status, JSON.stringify(body))).toMatchObject({ code, message });
  });

  test("a proxy's page", () => {
    const told = parseError(
      502,
      "<!DOCTYPE html><html><title>bad gateway at edge-7.vendor.com</title>",
    );

    expect(told).toEqual({
      code: "upstream_failed",
      message: "The upstream answered with status 502.",
    });
  });

  test("a line of text", () => {
    expect(parseError(500, "upstream connect error")).toEqual({
      code: "upstream_failed",
      message: "upstream connect error",
    });
  });

  test("the field at fault is kept, whoever names it", () => {
    const own = {
      error: { message: "m", param: "messages[0].content", type: "invalid_request_error" },
    };
    const validator = { detail: [{ loc: ["body", "messages", 0, "role"], msg: "m" }] };

    expect(parseError(400, JSON.stringify(own)).param).toBe("messages[0].content");
    expect(parseError(422, JSON.stringify(validator)).param).toBe("messages[0].role");
  });
});

describe("a failure inside a success is found", () => {
  test.each<[string, Json, FaultCode]>([
    ["an error object", { error: { message: "m", type: "server_error" } }, "upstream_failed"],
    [
      "an error with a status of its own",
      { error: { message: "m", code: 429 } },
      "upstream_rate_limited",
    ],
    [
      "the caller's mistake",
      {
        error: {
          message: "m",
          type: "invalid_request_error",
          code: "tool_use_failed",
          status_code: 400,
        },
      },
      "upstream_rejected",
    ],
    ["an error text", { error: "m" }, "upstream_failed"],
    [
      "an object that is an error",
      { object: "error", message: "m", code: 40_303 },
      "upstream_failed",
    ],
    [
      "a code and a message",
      { code: "Throttling", message: "m", request_id: "1" },
      "upstream_failed",
    ],
    [
      "an envelope",
      { base_resp: { status_code: 1_002, status_msg: "m" }, choices: null },
      "upstream_failed",
    ],
    [
      "an error in a choice",
      { choices: [{ index: 0, error: { code: 502, message: "m" }, finish_reason: "error" }] },
      "upstream_failed",
    ],
    [
      "a choice that ended with an error",
      { choices: [{ index: 0, delta: {}, finish_reason: "error" }] },
      "upstream_failed",
    ],
  ])("%s", (_form, body, code) => {
    expect(errorIn(body)?.code).toBe(code);
  });

  test.each<[string, Json]>([
    [
      "an answer",
      {
        choices: [
          { index: 0, message: { role: "assistant", content: "error" }, finish_reason: "stop" },
        ],
      },
    ],
    ["an answer that says it has no error", { error: null, choices: [] }],
    [
      "an answer with an empty error",
      { error: {}, choices: [{ index: 0, delta: { content: "a" } }] },
    ],
    [
      "an answer in an envelope",
      { base_resp: { status_code: 0, status_msg: "" }, choices: [{ index: 0, delta: {} }] },
    ],
    ["usage alone", { choices: [], usage: { prompt_tokens: 1 } }],
  ])("%s is none", (_form, body) => {
    expect(errorIn(body)).toBeUndefined();
  });
});

test("how long to wait is read out of the body, where a vendor says it there", () => {
  const details = [
    { "@type": "type.googleapis.com/google.rpc.QuotaFailure" },
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" },
  ];
  const body = { error: { code: 429, message: "Quota.", status: "RESOURCE_EXHAUSTED", details } };

  expect(parseError(429, JSON.stringify(body))).toMatchObject({
    code: "upstream_rate_limited",
    retryAfterMs: 34_400,
  });
});
