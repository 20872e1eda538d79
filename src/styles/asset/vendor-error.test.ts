import { describe, expect, test } from "bun:test";
import type { FaultCode } from "#core/error.ts";
import { asError } from "./vendor-error.ts";

describe("an error of a vendor's library", () => {
  test.each<[string, FaultCode]>([
    ["InvalidParameter.Name", "upstream_rejected"],
    ["SignatureDoesNotMatch", "upstream_auth"],
    ["InvalidAccessKey", "upstream_auth"],
    ["AccessDenied", "upstream_auth"],
    ["ServiceNotFound", "upstream_auth"],
    ["ResourceNotFound.Asset", "not_found"],
    ["GroupNotExist", "not_found"],
    ["ValidateNotReady", "still_running"],
    ["FlowLimitExceeded", "upstream_rate_limited"],
    ["InternalError", "upstream_failed"],
    ["SensitiveContentDetected", "content_filtered"],
  ])("with the code %s is %s, with any status", (said, code) => {
    for (const status of [200, 400, 404, 429]) {
      expect(asError(status, { Code: said }).code).toBe(code);
    }
  });

  test.each<[number, FaultCode]>([
    [401, "upstream_auth"],
    [403, "upstream_auth"],
    [404, "not_found"],
    [429, "upstream_rate_limited"],
    [399, "upstream_failed"],
    [400, "upstream_rejected"],
    [499, "upstream_rejected"],
    [500, "upstream_failed"],
    [503, "upstream_failed"],
  ])("without a code and with the status %i is %s", (status, code) => {
    const error = asError(status, { Message: "Internal words." });

    expect(error).toMatchObject({ code });
    expect(error.message).not.toContain("Internal");
    expect(error.details).toBeUndefined();
  });

  test("with an unknown code is the request's fault below the status 500", () => {
    expect(asError(499, { Code: "Odd" }).code).toBe("upstream_rejected");
    expect(asError(500, { Code: "Odd" }).code).toBe("upstream_failed");
  });

  test("is reported with the vendor's message, up to a limit", () => {
    const [Code, Message] = ["x".repeat(129), "y".repeat(501)];

    expect(asError(400, { Code, Message })).toMatchObject({
      message: "y".repeat(500),
      details: { Code: "x".repeat(128) },
      cause: `status 400 ${"x".repeat(128)}`,
    });
    expect(asError(400, { Code: "Odd", Message: "" }).message).toBe("Odd");
    expect(asError(400, { Code: "Odd" }).message).toBe("Odd");
  });

  test("about the gateway's account shows no client the vendor's words", () => {
    expect(asError(400, { Code: "InvalidAccessKey", Message: "AK123 is unknown." })).toMatchObject({
      message: "The upstream does not accept the gateway's account.",
    });
  });
});
