import { expect, test } from "bun:test";

import {
  answerBody,
  answerEvents,
  answerFlaw,
  endlessEvent,
  findAsk,
  requestBody,
} from "./payload.ts";

const UNARY = { kind: "unary", variant: 3, paceMs: 0 } as const;
const STREAM = { kind: "stream", variant: 5, paceMs: 82 } as const;

test("the upstream reads the expected answer from the prompt", () => {
  expect(findAsk(Buffer.from(requestBody(UNARY)))).toEqual(UNARY);
  expect(findAsk(Buffer.from(requestBody(STREAM)))).toEqual(STREAM);
  expect(findAsk(Buffer.from("{}"))).toBeUndefined();
});

test("an answer counts if its text, end and usage are right, with any ids", () => {
  const events = answerEvents(5);

  expect(answerFlaw(UNARY, answerBody(3).replace("chatcmpl-bench", "own-id"))).toBeUndefined();
  expect(answerFlaw(STREAM, events.join(""))).toBeUndefined();
});

test("another client's answer, a lost event, a missing end and missing usage are all detected", () => {
  const events = answerEvents(5);

  expect(answerFlaw(UNARY, answerBody(4))).toBe("the text is wrong");
  expect(answerFlaw(STREAM, answerEvents(4).join(""))).toBe("the text is wrong");
  expect(answerFlaw(STREAM, events.toSpliced(20, 1).join(""))).toBe("the text is wrong");
  expect(answerFlaw(STREAM, events.toSpliced(-2, 1).join(""))).toBe("the usage is wrong");
  expect(answerFlaw(STREAM, events.slice(0, -1).join(""))).toContain("without [DONE]");
  expect(answerFlaw(STREAM, "data: {cut")).toContain("[DONE]");
});

test("payloads have the sizes that are published with the figures", () => {
  expect(requestBody(UNARY).length).toBeWithin(550, 650);
  expect(answerBody(0).length).toBeWithin(650, 750);
  expect(answerEvents(0)).toHaveLength(62);
  expect(answerEvents(0)[30]?.length).toBeWithin(180, 220);
});

test("an answer in another style is checked by its content", () => {
  const event = (name: string, data: object): string =>
    `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
  const words = answerEvents(2)
    .slice(1, -3)
    .map((each) => JSON.parse(each.slice("data: ".length)).choices[0].delta.content);
  const deltas = words.map((text) => event("content_block_delta", { delta: { text } }));
  const whole = [
    ...deltas,
    event("message_delta", { usage: { output_tokens: 58 } }),
    event("message_stop", {}),
  ];
  const ask = { kind: "stream", variant: 2, paceMs: 0 } as const;

  expect(answerFlaw(ask, whole.join(""), "messages")).toBeUndefined();
  expect(answerFlaw(ask, whole.slice(1).join(""), "messages")).toBe("the text is wrong");
  expect(answerFlaw(ask, whole.slice(0, -1).join(""), "messages")).toContain("does not stop");
});

test("an endless stream is requested explicitly, and its events have the requested size", () => {
  const ask = { kind: "endless", variant: 0, paceMs: 0 } as const;

  expect(findAsk(Buffer.from(requestBody(ask)))).toEqual(ask);
  expect(endlessEvent(16_384).length).toBeWithin(16_384, 16_700);
});
