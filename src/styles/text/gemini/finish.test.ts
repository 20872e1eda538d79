import { expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { parseResponse } from "./answer/response-in.ts";

function ended(finishReason: string) {
  const candidate = { content: { role: "model", parts: [{ text: "Well." }] }, finishReason };
  const finish = parseResponse({ candidates: [candidate] }).find(({ type }) => type === "finish");
  return finish?.type === "finish" ? finish.reason : undefined;
}

test.each([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["CONTINUATION", "length"],
  ["SAFETY", "content_filter"],
  ["MODEL_ARMOR", "content_filter"],
  ["IMAGE_RECITATION", "content_filter"],
  ["LANGUAGE", "other"],
  ["IMAGE_OTHER", "other"],
  ["NO_IMAGE", "other"],
  ["UNEXPECTED_TOOL_CALL", "other"],
  ["TOO_MANY_TOOL_CALLS", "other"],
  ["ESCALATION", "other"],
  ["PUP_LIMITED_DISABLED", "other"],
  ["A_WORD_OF_TOMORROW", "other"],
] as const)("the native finish reason %s is %s in the hub", (word, reason) => {
  expect(ended(word)).toBe(reason);
});

test.each(["MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE"])(
  "%s is a failure, not an end",
  (word) => {
    expect(() => ended(word)).toThrow(GatewayError);
  },
);

test.each(["SAFETY", "IMAGE_SAFETY", "MODEL_ARMOR", "JAILBREAK"])(
  "a prompt blocked for %s is reported as such",
  (blockReason) => {
    expect(() => parseResponse({ promptFeedback: { blockReason } })).toThrow(blockReason);
  },
);
