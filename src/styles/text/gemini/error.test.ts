import { describe, expect, test } from "bun:test";
import { FAULTS, GatewayError, type FaultCode } from "#core/error.ts";
import { buildError, encodeError } from "./error.ts";

describe("[A7] errors have the style's code, message and status", () => {
  test.each<[FaultCode, number, string]>([
    ["invalid_request", 400, "INVALID_ARGUMENT"],
    ["unauthenticated", 401, "UNAUTHENTICATED"],
    ["out_of_quota", 402, "RESOURCE_EXHAUSTED"],
    ["forbidden", 403, "PERMISSION_DENIED"],
    ["model_not_found", 404, "NOT_FOUND"],
    ["rate_limited", 429, "RESOURCE_EXHAUSTED"],
    ["internal", 500, "INTERNAL"],
    ["overloaded", 503, "UNAVAILABLE"],
    ["upstream_timeout", 504, "DEADLINE_EXCEEDED"],
  ])("%s", (fault, code, status) => {
    expect(buildError(new GatewayError(fault, "Something is wrong."))).toEqual({
      error: { code, message: "Something is wrong.", status },
    });
  });

  test("every fault has a message, and the gateway's own account is never shown as the client's", () => {
    for (const fault of Object.keys(FAULTS) as FaultCode[]) {
      expect(buildError(new GatewayError(fault, "m"))).toMatchObject({
        error: { code: FAULTS[fault].status, status: expect.stringMatching(/^[A-Z_]+$/) },
      });
    }
    expect(JSON.stringify(buildError(new GatewayError("upstream_auth", "m")))).not.toMatch(
      /UNAUTHENTICATED|PERMISSION/,
    );
  });

  test("the invalid field and the time to retry are in the fields that clients read", () => {
    const error = new GatewayError("rate_limited", "Wait.", { param: "a.b", retryAfterMs: 1_500 });

    expect(buildError(error)).toMatchObject({
      error: {
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [{ field: "a.b", description: "Wait." }],
          },
          { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.5s" },
        ],
      },
    });
  });

  test("the cause is not shown", () => {
    const error = new GatewayError("internal", "m", { cause: new Error("secret cause") });

    expect(encodeError(error)).not.toContain("secret");
  });
});

test("[A7] a failure after the first byte is a separate chunk, without an end mark", () => {
  expect(encodeError(new GatewayError("upstream_timeout", "Too\nlate."))).toBe(
    'data: {"error":{"code":504,"message":"Too\\nlate.","status":"DEADLINE_EXCEEDED"}}\n\n',
  );
});
