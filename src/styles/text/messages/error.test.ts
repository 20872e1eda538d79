import { describe, expect, test } from "bun:test";
import { FAULTS, GatewayError, type FaultCode } from "#core/error.ts";
import { buildCountError, buildError, encodeError } from "./error.ts";

describe("[A7] errors have the style's two members, and the type that clients need", () => {
  test.each<[FaultCode, string]>([
    ["invalid_request", "invalid_request_error"],
    ["unauthenticated", "authentication_error"],
    ["out_of_quota", "billing_error"],
    ["forbidden", "permission_error"],
    ["model_not_found", "not_found_error"],
    ["too_large", "request_too_large"],
    ["rate_limited", "rate_limit_error"],
    ["upstream_overloaded", "overloaded_error"],
    ["upstream_timeout", "timeout_error"],
    ["internal", "api_error"],
  ])("%s", (code, type) => {
    expect(buildError(new GatewayError(code, "Something is wrong."))).toEqual({
      type: "error",
      error: { type, message: "Something is wrong." },
    });
  });

  test("every fault has a type, and the gateway's own account is never shown as the client's", () => {
    for (const code of Object.keys(FAULTS) as FaultCode[]) {
      expect(buildError(new GatewayError(code, "m"))).toMatchObject({
        error: { type: expect.stringMatching(/_error$|^request_too_large$/) },
      });
    }
    expect(JSON.stringify(buildError(new GatewayError("upstream_auth", "m")))).not.toContain(
      "authentication",
    );
  });

  test("fields that clients act on are included, the cause is not", () => {
    const error = new GatewayError("invalid_request", "m", {
      details: { error_code: "x" },
      cause: new Error("secret"),
    });

    expect(buildError(error)).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: "m", details: { error_code: "x" } },
    });
  });
});

test("[A4.6-c] a bad key is an invalid request for token counting only", () => {
  const refused = new GatewayError("unauthenticated", "This key is not known.");
  const missing = new GatewayError("invalid_request", "'messages' is required.");

  expect(buildCountError(refused)).toMatchObject({
    error: { message: "This key is not known.", type: "invalid_request_error" },
  });
  expect(buildCountError(missing)).toEqual({
    type: "error",
    error: { type: "invalid_request_error", message: "'messages' is required." },
  });
});

test("[A7] a failure after the first byte is a separate event, and no end", () => {
  expect(encodeError(new GatewayError("upstream_overloaded", "Too\nbusy."))).toBe(
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Too\\nbusy."}}\n\n',
  );
});
