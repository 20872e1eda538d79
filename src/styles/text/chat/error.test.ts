import { describe, expect, test } from "bun:test";
import { FAULTS, GatewayError, type FaultCode } from "#core/error.ts";
import { buildError, encodeError } from "./error.ts";

describe("[A7] errors have the style's four members", () => {
  test.each<[FaultCode, string, string]>([
    ["unauthenticated", "invalid_request_error", "invalid_api_key"],
    ["out_of_quota", "insufficient_quota", "insufficient_quota"],
    ["rate_limited", "rate_limit_error", "rate_limit_exceeded"],
    ["model_not_found", "invalid_request_error", "model_not_found"],
    ["context_length_exceeded", "invalid_request_error", "context_length_exceeded"],
    ["internal", "server_error", "internal_error"],
    ["upstream_failed", "server_error", "upstream_error"],
  ])("%s", (fault, type, code) => {
    const message = "The maximum context length is 9.";
    expect(buildError(new GatewayError(fault, message))).toEqual({
      error: { message, type, param: null, code },
    });
  });

  test("the invalid field is named", () => {
    const error = new GatewayError("invalid_request", "m", { param: "messages[0].role" });

    expect(buildError(error)).toMatchObject({ error: { param: "messages[0].role" } });
  });

  test("every fault has a message, and the gateway's own account is never shown as the client's", () => {
    for (const fault of Object.keys(FAULTS) as FaultCode[]) {
      expect(buildError(new GatewayError(fault, "m"))).toMatchObject({
        error: { type: expect.any(String), code: expect.any(String) },
      });
    }
    expect(JSON.stringify(buildError(new GatewayError("upstream_auth", "m")))).not.toContain(
      "api_key",
    );
  });

  test("the cause is not shown", () => {
    const error = new GatewayError("internal", "m", { cause: new Error("secret cause") });

    expect(encodeError(error)).not.toContain("secret");
  });
});

test("[A7] a failure after the first byte is a separate event, without an end mark", () => {
  expect(encodeError(new GatewayError("upstream_timeout", "Too\nlate."))).toBe(
    'data: {"error":{"message":"Too\\nlate.","type":"server_error","param":null,"code":"upstream_timeout"}}\n\n',
  );
});
