import { describe, expect, test } from "bun:test";
import type { InboundStyle } from "#core/style.ts";
import { chat } from "#styles/text/chat/index.ts";
import { completions } from "#styles/text/completions/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { AnswerParts } from "./answer-parts.ts";

const eventOf = (json: object): string => `data: ${JSON.stringify(json)}\n\n`;

const MESSAGE = { type: "message", id: "msg", content: [{ type: "tool_use" }] };
const RESPONSE = { object: "response", id: "resp", status: "in_progress", output: [] };
const CALL = { content: { parts: [{ functionCall: { name: "f" } }] } };

/** A complete answer, and the events of the same as a stream. */
const ANSWERS: readonly (readonly [
  string,
  InboundStyle,
  object,
  readonly object[],
  string,
  string,
])[] = [
  [
    "in chat",
    chat,
    { id: "chat", choices: [{ finish_reason: "length" }] },
    [{ id: "chat", choices: [{ delta: {} }] }, { choices: [{ finish_reason: "length" }] }],
    "chat",
    "length",
  ],
  [
    "in completions",
    completions,
    { id: "cmpl", choices: [{ text: "a", finish_reason: "stop" }] },
    [
      { id: "cmpl", choices: [{ text: "a", finish_reason: null }] },
      { choices: [{ finish_reason: "stop" }] },
    ],
    "cmpl",
    "stop",
  ],
  [
    "in messages",
    messages,
    { ...MESSAGE, stop_reason: "tool_use" },
    [
      { type: "message_start", message: { ...MESSAGE, content: [], stop_reason: null } },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
    ],
    "msg",
    "tool_calls",
  ],
  [
    "in responses",
    responses,
    { ...RESPONSE, status: "completed", output: [{ type: "function_call" }] },
    [
      { type: "response.created", response: RESPONSE },
      { type: "response.output_item.done", item: { id: "fc", status: "completed" } },
      {
        type: "response.completed",
        response: { ...RESPONSE, status: "completed", output: [{ type: "function_call" }] },
      },
    ],
    "resp",
    "tool_calls",
  ],
  [
    "in gemini",
    gemini,
    { responseId: "gem", candidates: [{ ...CALL, finishReason: "STOP" }] },
    [{ responseId: "gem", candidates: [{}] }, { candidates: [{ ...CALL, finishReason: "STOP" }] }],
    "gem",
    "tool_calls",
  ],
];

describe("the id and the reason of an answer are read", () => {
  test.each(ANSWERS)("%s", (_name, style, whole, events, id, reason) => {
    const complete = new AnswerParts(1);
    complete.setWhole(Buffer.from(JSON.stringify(whole)));
    const streamed = new AnswerParts(1);
    for (const event of events) streamed.add(Buffer.from(eventOf(event)));

    expect(complete.read(style)).toEqual({ id, reasons: [reason as never] });
    expect(streamed.read(style)).toEqual({ id, reasons: [reason as never] });
  });

  test("of a long stream, whose bytes are lent, from its first and last pieces", () => {
    const parts = new AnswerParts(1);
    const lent = Buffer.alloc(200);
    const add = (json: object): void => {
      const length = lent.write(eventOf(json));
      parts.add(lent.subarray(0, length));
      lent.fill(0);
    };
    add({ id: "first", choices: [] });
    for (let count = 0; count < 100; count++) add({ choices: [{ delta: { content: "a" } }] });
    add({ choices: [{ finish_reason: "stop" }] });
    add({ choices: [], usage: {} });

    expect(parts.parts).toHaveLength(5);
    expect(parts.read(chat)).toEqual({ id: "first", reasons: ["stop"] });
  });

  test("of each choice, also of those that ended early", () => {
    const parts = new AnswerParts(2);
    parts.add(eventOf({ id: "a", choices: [{ index: 0 }] }));
    parts.add(eventOf({ choices: [{ index: 0, finish_reason: "length" }] }));
    for (let count = 0; count < 9; count++) parts.add(eventOf({ choices: [{ index: 1 }] }));
    parts.add(eventOf({ choices: [{ index: 1, finish_reason: "stop" }] }));

    expect(parts.read(chat).reasons).toEqual(["length", "stop"]);
  });
});

test("an answer that reports a failure, is no JSON or is too long has no end", () => {
  for (const body of [
    `{"choices":[{"finish_reason":"error"}]}`,
    "<html>",
    "",
    "[1]",
    JSON.stringify({ id: "x".repeat(1024 * 1024) }),
  ]) {
    const parts = new AnswerParts(1);
    parts.setWhole(body);
    parts.add("x".repeat(1024 * 1024 + 1));
    expect(parts.read(chat)).toEqual({ id: undefined, reasons: [] });
  }
});
