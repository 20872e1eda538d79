import { expect, test } from "bun:test";

import { answerBody, requestBody } from "../payload.ts";
import { checkChat, findUsage } from "./check.ts";

test("a request of the benchmark is accepted with the fields that a gateway needs", () => {
  const request = checkChat(requestBody({ kind: "stream", variant: 0, paceMs: 10 }));

  expect(request).toEqual({ model: "bench-model", isStream: true, maxTokens: 256 });
});

test("an invalid request is refused with its field", () => {
  const messages = [{ role: "user", content: "x" }];

  expect(checkChat("{")).toBe("body");
  expect(checkChat("[]")).toBe("body");
  expect(checkChat(JSON.stringify({ messages }))).toBe("model");
  expect(checkChat(JSON.stringify({ model: "m", messages: [] }))).toBe("messages");
  expect(checkChat(JSON.stringify({ model: "m", messages: [{ content: "x" }] }))).toBe("messages");
  expect(checkChat(JSON.stringify({ model: "m", messages, temperature: 3 }))).toBe("temperature");
  expect(checkChat(JSON.stringify({ model: "m", messages, stream: "yes" }))).toBe("stream");
});

test("usage is found at the end of an answer, and missing usage is detected", () => {
  expect(findUsage(answerBody(3))).toEqual({ input: 112, output: 58 });
  expect(findUsage('{"choices":[]}')).toBeUndefined();
});
