import { expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { SseDecoder } from "#lib/sse.ts";
import { explained } from "./answer-stream.ts";

function failureOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (cause) {
    return cause;
  }
}

test("an event that is too long is a failure of the upstream", () => {
  const overflow = failureOf(() => new SseDecoder(4).push(Buffer.from("data: a long event")));

  const error = GatewayError.from(explained(overflow));

  expect([error.code, error.message, error.cause]).toEqual([
    "upstream_failed",
    "The upstream sent an event that is too long.",
    overflow,
  ]);
});

test("any other failure stays as it is", () => {
  const cause = new Error("It broke off.");

  expect(explained(cause)).toBe(cause);
});
