import { expect, test } from "bun:test";
import { FAULTS, GatewayError, type FaultCode } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { responses } from "./index.ts";
import { openTap } from "./answer/tap.ts";

const CODES = Object.keys(FAULTS) as FaultCode[];

function failedBy(code: FaultCode): JsonObject {
  const facts = responses.inbound.readRequest({ model: "m", input: "hi" }, {});
  const written = openTap(facts).fail(new GatewayError(code, "Words."));
  return JSON.parse(readEvents(written)[0]?.data ?? "{}") as JsonObject;
}

test.each(CODES)("[A7] %s has its message, before the first byte and after", (code) => {
  const before = responses.inbound.buildError(new GatewayError(code, "Words."))["error"];
  const after = memberOf(memberOf(failedBy(code), "response"), "error");

  for (const [error, members] of [
    [before, ["type", "code"]],
    [after, ["code"]],
  ] as const) {
    expect(textOf(memberOf(error, "message"))).toEndWith("Words.");
    for (const name of members) expect(textOf(memberOf(error, name))).toMatch(/^[a-z_]+$/);
  }
});

test.each<[FaultCode, string]>([
  ["context_length_exceeded", "context_length_exceeded"],
  ["rate_limited", "rate_limit_exceeded"],
  ["upstream_rate_limited", "rate_limit_exceeded"],
  ["out_of_quota", "insufficient_quota"],
  ["upstream_overloaded", "server_is_overloaded"],
  ["upstream_failed", "server_error"],
])("codes that clients act on have the clients' names: %s is %s", (code, word) => {
  expect(failedBy(code)).toMatchObject({ response: { error: { code: word } } });
});
