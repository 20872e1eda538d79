import { expect, test } from "bun:test";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { onlyFirstCall } from "./one-call.ts";

const REQUEST: ChatRequest = { model: "m", messages: [], stream: true, sampling: {} };

function call(id: string, choice: number): readonly ChatEvent[] {
  const block = { type: "tool_call", id, name: "f", kind: "function" } as const;
  return [
    { type: "open", choice, block },
    { type: "delta", choice, text: id },
    { type: "close", choice },
  ];
}

const ANSWER: readonly ChatEvent[] = [
  { type: "start", id: "1", model: "m", createdAt: 1 },
  ...call("a", 0),
  ...call("b", 1),
  ...call("c", 0),
  { type: "open", choice: 0, block: { type: "text" } },
  { type: "delta", choice: 0, text: "said" },
  { type: "close", choice: 0 },
  ...call("d", 0),
  { type: "finish", choice: 0, reason: "tool_calls" },
  { type: "finish", choice: 1, reason: "tool_calls" },
];

test("a client that wants one call at a time gets the first of each choice, and all other blocks", () => {
  const kept = ANSWER.filter(onlyFirstCall({ ...REQUEST, parallelToolCalls: false }));

  expect(kept.flatMap((event) => (event.type === "delta" ? [event.text] : []))).toEqual([
    "a",
    "b",
    "said",
  ]);
  expect(kept.filter(({ type }) => type === "finish")).toHaveLength(2);
  expect(kept[0]).toEqual(ANSWER[0] as ChatEvent);
});

test("a call after a text is the first call", () => {
  const text: readonly ChatEvent[] = [
    { type: "open", choice: 0, block: { type: "text" } },
    { type: "delta", choice: 0, text: "said" },
    { type: "close", choice: 0 },
  ];
  const answer = [...text, ...call("a", 0)];

  expect(answer.filter(onlyFirstCall({ ...REQUEST, parallelToolCalls: false }))).toEqual(answer);
});

test.each([true, undefined])("other clients get every call (parallel: %s)", (parallelToolCalls) => {
  const request = parallelToolCalls === undefined ? REQUEST : { ...REQUEST, parallelToolCalls };

  expect(ANSWER.filter(onlyFirstCall(request))).toEqual([...ANSWER]);
});
