import { describe, expect, test } from "bun:test";
import type { ChatEvent, Citation, OpenBlock } from "#core/chat.ts";
import { NO_USAGE } from "#core/usage.ts";
import { HopJoiner } from "./join-hops.ts";

const start = (id: string): ChatEvent => ({ type: "start", id, model: "m", createdAt: 1 });
const open = (type: "text" | "reasoning" | "refusal" = "text", choice = 0): ChatEvent => ({
  type: "open",
  choice,
  block: { type },
});
const delta = (text: string, choice = 0): ChatEvent => ({ type: "delta", choice, text });
const close = (choice = 0): ChatEvent => ({ type: "close", choice });
const finish = (reason: "stop" | "length" | "other" = "stop", choice = 0): ChatEvent => ({
  type: "finish",
  choice,
  reason,
});
const usage = (outputTokens: number): ChatEvent => ({
  type: "usage",
  usage: { ...NO_USAGE, outputTokens },
});
const CALL: OpenBlock = { type: "tool_call", id: "c", name: "f", kind: "function" };
const call = (choice = 0): ChatEvent => ({ type: "open", choice, block: CALL });

/** The parts of one answer, as its client gets them; each was read whole. */
function joined(...parts: readonly (readonly ChatEvent[])[]): readonly ChatEvent[] {
  const joiner = new HopJoiner();
  return parts.flatMap((part, index) =>
    index === parts.length - 1 ? joiner.pass(part) : joiner.between(part),
  );
}

describe("a response that took several requests", () => {
  test("has one beginning, one text, one end, and the sum of all usage", () => {
    const first = [start("1"), open(), delta("one "), close(), finish("length"), usage(3)];
    const second = [start("2"), open(), delta("two"), close(), finish(), usage(4)];

    expect(joined(first, second, second)).toEqual([
      start("1"),
      open(),
      delta("one "),
      delta("two"),
      delta("two"),
      close(),
      finish(),
      usage(11),
    ]);
  });

  test("keeps blocks of different types apart", () => {
    const thought = [open("reasoning"), delta("hm"), close(), finish("length")];
    const text = [open(), delta("two"), close(), finish()];

    expect(joined(thought, text)).toEqual([
      open("reasoning"),
      delta("hm"),
      close(),
      open(),
      delta("two"),
      close(),
      finish(),
    ]);
  });

  test("continues reasoning that was split", () => {
    const thought = [open("reasoning"), delta("hm"), close(), finish()];

    expect(joined(thought, thought)).toEqual([
      open("reasoning"),
      delta("hm"),
      delta("hm"),
      close(),
      finish(),
    ]);
  });

  test("keeps apart reasoning that its vendor signed, and blocks that are not split", () => {
    const signed = { ...close(), signature: { issuer: "gemini", value: "proof" } } as ChatEvent;
    const thought = [open("reasoning"), delta("hm"), signed];
    const refusal = [open("refusal"), delta("no"), close()];

    expect(joined(thought, thought)).toEqual([...thought, ...thought]);
    expect(joined(refusal, refusal)).toEqual([...refusal, ...refusal]);
  });

  test("ends a text that its last part does not continue", () => {
    expect(joined([open(), delta("one"), close()], [start("2"), finish()])).toEqual([
      open(),
      delta("one"),
      close(),
      finish(),
    ]);
  });

  test("joins each of its choices separately", () => {
    const first = [open(), delta("a"), close(), open("text", 1), delta("b", 1), close(1)];
    const second = [open("text", 1), delta("c", 1), close(1), finish("stop", 1), finish()];

    expect(joined(first, second)).toEqual([
      open(),
      delta("a"),
      open("text", 1),
      delta("b", 1),
      delta("c", 1),
      close(1),
      finish("stop", 1),
      close(),
      finish(),
    ]);
  });

  test("ends with its calls, also those of an earlier part", () => {
    const calling = [call(), delta("{}"), close(), finish("other")];
    const ended = (reason: "stop" | "length" | "other"): ChatEvent | undefined =>
      joined(calling, [open(), delta("so"), close(), finish(reason)]).at(-1);

    expect(ended("stop")).toMatchObject({ type: "finish", reason: "tool_calls" });
    expect(ended("other")).toMatchObject({ type: "finish", reason: "tool_calls" });
    expect(ended("length")).toEqual(finish("length"));
    const ofOtherChoice = [call(1), close(1)];
    expect(joined(ofOtherChoice, [open(), close(), finish()]).at(-1)).toEqual(finish());
  });

  test("that took one request is unchanged", () => {
    // Some vendors report what was used so far, more than once.
    const events = [start("1"), call(), usage(1), delta("{}"), close(), finish(), usage(3)];

    expect(joined(events)).toEqual(events);
    const none: readonly ChatEvent[] = [];
    expect(new HopJoiner().pass(none)).toBe(none);
  });
});

describe("the position of a source in a text", () => {
  const citation: Citation = { url: "https://a.example", title: "A", start: 1, end: 2 };
  const cite = (choice = 0): ChatEvent => ({ type: "cite", choice, citation });
  const first = [open(), delta("one "), cite(), close()];
  const { start: _, end: __, ...placeless } = citation;

  test("is known only if the text began in the same part", () => {
    const second = [open(), delta("two"), cite(), close(), open(), delta("!"), cite(), close()];

    expect(joined(first, second)).toEqual([
      open(),
      delta("one "),
      cite(),
      delta("two"),
      { type: "cite", choice: 0, citation: placeless },
      close(),
      open(),
      delta("!"),
      cite(),
      close(),
    ]);
  });

  test("is known in another choice", () => {
    const second = [open(), delta("two"), open("text", 1), cite(1)];

    expect(joined(first, second).at(-1)).toEqual(cite(1));
  });
});

test("the usage of an answer's finished parts is known during the answer", () => {
  const joiner = new HopJoiner();
  expect(joiner.usage).toBeUndefined();
  joiner.between([open(), close(), usage(3)]);
  expect(joiner.usage).toMatchObject({ outputTokens: 3 });
  joiner.between([usage(4)]);
  expect(joiner.usage).toMatchObject({ outputTokens: 7 });
});
