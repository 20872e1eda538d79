import { describe, expect, test } from "bun:test";
import type { FaultCode } from "#core/error.ts";
import type { Json } from "#lib/json.ts";
import { parseError } from "./upstream-error.ts";
import { errorIn } from "#styles/text/chat/failure.ts";

describe("an error response is read in every server's form", () => {
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
      "a status name",
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
      "a context too long, in text only",
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
      "a busy server, by name",
      529,
      { error: { message: "busy", type: "overloaded_error" } },
      "upstream_overloaded",
      "busy",
    ],
    ["a slow server", 504, { error: { message: "late" } }, "upstream_timeout", "late"],
    ["a request it gave up on", 408, { error: { message: "late" } }, "upstream_timeout", "late"],
    ["a body it finds too large", 413, { error: { message: "big" } }, "too_large", "big"],
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
      vendor: { status: 502 },
    });
  });

  test("a line of text", () => {
    expect(parseError(500, "upstream connect error")).toEqual({
      code: "upstream_failed",
      message: "upstream connect error",
      vendor: { status: 500, reason: "upstream connect error" },
    });
  });

  test("the name of the invalid field is kept, for every vendor", () => {
    const own = {
      error: { message: "m", param: "messages[0].content", type: "invalid_request_error" },
    };
    const validator = { detail: [{ loc: ["body", "messages", 0, "role"], msg: "m" }] };

    expect(parseError(400, JSON.stringify(own)).param).toBe("messages[0].content");
    expect(parseError(422, JSON.stringify(validator)).param).toBe("messages[0].role");
  });
});

describe("a failure within a successful response is found", () => {
  test.each<[string, Json, FaultCode]>([
    ["an error object", { error: { message: "m", type: "server_error" } }, "upstream_failed"],
    [
      "an error with a separate status",
      { error: { message: "m", code: 429 } },
      "upstream_rate_limited",
    ],
    [
      "the client's mistake",
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
    ["a response with an empty error", { error: null, choices: [] }],
    [
      "an answer with an empty error",
      { error: {}, choices: [{ index: 0, delta: { content: "a" } }] },
    ],
    [
      "an answer in an envelope",
      { base_resp: { status_code: 0, status_msg: "" }, choices: [{ index: 0, delta: {} }] },
    ],
    ["usage alone", { choices: [], usage: { prompt_tokens: 1 } }],
  ])("%s is not a failure", (_form, body) => {
    expect(errorIn(body)).toBeUndefined();
  });
});

test("the time to retry is read from the body, if a vendor reports it there", () => {
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

const openai = (message: string, code: string | null = null, more: object = {}): Json => ({
  error: { message, type: "invalid_request_error", param: null, code, ...more },
});
const anthropic = (type: string, message: string): Json => ({
  type: "error",
  error: { type, message },
});
const google = (code: number, status: string, message: string, reason?: string): Json => ({
  error: {
    code,
    status,
    message,
    ...(reason === undefined ? {} : { details: [{ reason, domain: "googleapis.com" }] }),
  },
});

describe("a refusal concerns the account only if its message says so", () => {
  test.each<[string, number, Json, FaultCode]>([
    ["a wrong key", 401, anthropic("authentication_error", "invalid x-api-key"), "upstream_auth"],
    ["a wrong key, in a detail", 401, { detail: "Invalid API Key" }, "upstream_auth"],
    [
      "no key",
      401,
      { error: { message: "Missing Authentication header", code: 401 } },
      "upstream_auth",
    ],
    [
      "a wrong subscription",
      401,
      {
        error: {
          code: "401",
          message: "Access denied due to invalid subscription key or wrong API endpoint.",
        },
      },
      "upstream_auth",
    ],
    [
      "a wrong key as a bad request",
      400,
      { code: "invalid-argument", error: "Incorrect API key provided. You can obtain one." },
      "upstream_auth",
    ],
    [
      "an empty account as a bad request",
      400,
      anthropic("invalid_request_error", "Your credit balance is too low to access the API."),
      "upstream_auth",
    ],
    [
      "an empty account",
      402,
      { error: { message: "Insufficient credits. Add more.", code: 402 } },
      "upstream_auth",
    ],
    [
      "a spent key",
      403,
      { error: { message: "Key limit exceeded (total limit).", code: 403 } },
      "upstream_auth",
    ],
    [
      "a suspended project",
      403,
      google(403, "PERMISSION_DENIED", "Permission denied.", "CONSUMER_SUSPENDED"),
      "upstream_auth",
    ],
    [
      "a wrong country",
      403,
      openai("Country not supported", "unsupported_country_region_territory"),
      "upstream_auth",
    ],
    [
      "an expired signature",
      403,
      { message: "Signature expired: 20251117T063822Z is now earlier" },
      "upstream_auth",
    ],

    [
      "a flagged prompt",
      403,
      {
        error: {
          code: 403,
          message: "Your input was flagged",
          metadata: { reasons: ["violence"], flagged_input: "..." },
        },
      },
      "content_filtered",
    ],
    [
      "a flagged prompt, in text",
      403,
      {
        error: {
          code: 403,
          message: 'The model requires moderation on X. Your input was flagged for "x".',
        },
      },
      "content_filtered",
    ],
    [
      "content against the vendor's rules",
      403,
      {
        code: "The caller does not have permission to execute the specified operation",
        error: "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO",
      },
      "content_filtered",
    ],
    [
      "a token of the vocabulary",
      400,
      openai("Invalid token 99999 in logit_bias."),
      "upstream_rejected",
    ],
    ["a token of the account", 401, { message: "Invalid token." }, "upstream_auth"],
    [
      "a stale cache",
      403,
      google(403, "PERMISSION_DENIED", "CachedContent not found (or permission denied)"),
      "upstream_forbidden",
    ],
    [
      "a foreign file",
      403,
      google(
        403,
        "PERMISSION_DENIED",
        "You do not have permission to access the File abc or it may not exist.",
      ),
      "upstream_forbidden",
    ],
    [
      "a beta",
      403,
      anthropic("permission_error", "This organization may not use the beta fast-mode-2026-02-01."),
      "upstream_forbidden",
    ],
    [
      "a field",
      403,
      openai("Your organization must be verified to use this.", null, {
        param: "reasoning.summary",
      }),
      "upstream_forbidden",
    ],
    [
      "tokens that the account cannot pay",
      402,
      {
        error: {
          code: 402,
          message:
            "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 12.",
        },
      },
      "upstream_rejected",
    ],
    [
      "a prompt that the account cannot pay",
      402,
      { error: { code: 402, message: "Prompt tokens limit exceeded: 9000 > 512." } },
      "upstream_rejected",
    ],

    ["nothing telling, 401", 401, { error: { message: "No." } }, "upstream_denied"],
    ["nothing telling, 402", 402, {}, "upstream_denied"],
    ["nothing telling, 403", 403, openai("Forbidden", "forbidden"), "upstream_refused"],
    [
      "a model that may not be sampled",
      403,
      openai("You are not allowed to sample from this model"),
      "upstream_refused",
    ],
    [
      "no permission",
      403,
      anthropic(
        "permission_error",
        "Your API key does not have permission to use the specified resource.",
      ),
      "upstream_refused",
    ],
    [
      "no permission, inside a stream",
      200,
      anthropic("permission_error", "No permission."),
      "upstream_refused",
    ],

    [
      "text about an account that the client wrote",
      403,
      openai("Tool 'incorrect api key provided' is refused."),
      "upstream_forbidden",
    ],
    [
      "the same in a bad request",
      400,
      openai("Unknown value 'invalid api key'."),
      "upstream_rejected",
    ],
  ])("%s", (_what, status, body, code) => {
    expect(parseError(status, JSON.stringify(body)).code).toBe(code);
  });

  test("a message about the operator's account is kept for the operator only", () => {
    const said = parseError(402, JSON.stringify({ error: { message: "Insufficient Balance" } }));

    expect(said.message).toBe("The upstream does not accept the gateway's account.");
    expect(said.vendor).toEqual({ status: 402, reason: "Insufficient Balance" });
  });
});

describe("a limit or a missing object concerns the request if its message says so", () => {
  test.each<[string, number, Json, FaultCode]>([
    [
      "one oversized prompt",
      429,
      openai(
        "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 60000.",
        "rate_limit_exceeded",
        { type: "tokens" },
      ),
      "too_large",
    ],
    [
      "one oversized prompt, without a code",
      429,
      { error: { message: "Request too large for m: Limit 30000, Requested 60000." } },
      "too_large",
    ],
    [
      "one oversized prompt, inside a stream",
      200,
      openai("Request too large for m: Limit 30000, Requested 60000.", "rate_limit_exceeded"),
      "too_large",
    ],
    [
      "one oversized prompt, as a 413",
      413,
      openai(
        "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000",
        "rate_limit_exceeded",
      ),
      "too_large",
    ],
    [
      "a used-up minute",
      429,
      openai(
        "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 25000, Requested 8000.",
        "rate_limit_exceeded",
      ),
      "upstream_rate_limited",
    ],
    [
      "a prompt too long for Gemini",
      400,
      google(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      ),
      "context_length_exceeded",
    ],
    [
      "a prompt too long for Cohere",
      400,
      {
        error_type: "TOO_MANY_TOKENS",
        message: "too many tokens: size limit exceeded by 25836 tokens.",
      },
      "context_length_exceeded",
    ],
    [
      "a prompt too long for Bedrock",
      400,
      { message: "Input is too long for requested model." },
      "context_length_exceeded",
    ],
    [
      "no endpoint with tools",
      404,
      { error: { code: 404, message: "No endpoints found that support tool use." } },
      "upstream_not_found",
    ],
    [
      "no endpoint at all",
      404,
      { error: { code: 404, message: "No endpoints found for vendor/model." } },
      "upstream_model_missing",
    ],
    [
      "a stale response",
      400,
      openai("Previous response with id 'resp_1' not found.", "previous_response_not_found", {
        param: "previous_response_id",
      }),
      "upstream_rejected",
    ],
    ["a stale item", 404, openai("Item with id 'rs_1' not found."), "upstream_not_found"],
    ["a stale prompt", 404, openai("Prompt with id 'pmpt_1' not found."), "upstream_not_found"],
    [
      "a stale file",
      404,
      anthropic("not_found_error", "File not found: file_011"),
      "upstream_not_found",
    ],
    [
      "a model by its type",
      404,
      anthropic("not_found_error", "model: claude-nope"),
      "upstream_model_missing",
    ],
    [
      "a model, in text",
      404,
      google(
        404,
        "NOT_FOUND",
        "models/nope is not found for API version v1beta, or is not supported.",
      ),
      "upstream_model_missing",
    ],
    ["a wrong address", 404, { detail: "Not Found" }, "upstream_model_missing"],
    ["a wrong address, in a page's text", 404, "404 page not found", "upstream_model_missing"],
    [
      "an unknown model as a bad request",
      400,
      { code: "1500", message: "Invalid model: nope", type: "invalid_model" },
      "upstream_model_missing",
    ],
  ])("%s", (_what, status, body, code) => {
    expect(parseError(status, JSON.stringify(body)).code).toBe(code);
  });
});

describe("a vendor's own names of a failure are kept", () => {
  test.each<[string, number, Json, object]>([
    [
      "OpenAI's code and type",
      400,
      openai("Bad url.", "invalid_image_url"),
      { status: 400, code: "invalid_image_url", type: "invalid_request_error" },
    ],
    [
      "Google's reason before its status",
      400,
      google(400, "INVALID_ARGUMENT", "No.", "API_KEY_INVALID"),
      { status: 400, code: "API_KEY_INVALID" },
    ],
    [
      "Google's status",
      400,
      google(400, "INVALID_ARGUMENT", "No."),
      { status: 400, code: "INVALID_ARGUMENT" },
    ],
    [
      "Anthropic's code",
      400,
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "No.",
          details: { error_code: "image_dimensions_too_large" },
        },
      },
      { code: "image_dimensions_too_large", type: "invalid_request_error" },
    ],
    [
      "a number",
      400,
      { code: "3051", message: "No.", type: "invalid_request_invalid_args" },
      { code: "3051" },
    ],
  ])("%s", (_what, status, body, vendor) => {
    expect(parseError(status, JSON.stringify(body)).vendor).toMatchObject(vendor);
  });

  test("a sentence in the code field is no code", () => {
    const body = { code: "Some requested entity was not found", error: "The model is gone." };

    expect(parseError(404, JSON.stringify(body)).vendor).toEqual({
      status: 404,
      reason: "The model is gone.",
    });
  });

  test("an aggregator's forwarded error takes precedence over its own", () => {
    const raw = JSON.stringify(openai("Bad url.", "invalid_image_url"));
    const body = { error: { code: 400, message: "Provider returned error", metadata: { raw } } };

    expect(parseError(400, JSON.stringify(body))).toMatchObject({
      code: "upstream_rejected",
      message: "Bad url.",
      vendor: { status: 400, code: "invalid_image_url" },
    });
  });

  test("an error in the form of a stream is read", () => {
    const body = `data: ${JSON.stringify(google(404, "NOT_FOUND", "models/x is not found"))}\n\n`;

    expect(parseError(404, body)).toMatchObject({
      code: "upstream_model_missing",
      vendor: { code: "NOT_FOUND" },
    });
  });
});
