import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RequestFacts, Tap } from "#core/style.ts";
import { formatSse } from "#lib/sse.ts";
import { SEED, times } from "#test/seed.ts";
import { openTap as openChatTap } from "./chat/answer/tap.ts";
import { openTap as openMessagesTap } from "./messages/answer/tap.ts";
import { openTap as openResponsesTap } from "./responses/answer/tap.ts";

const FACTS: RequestFacts = {
  model: "m",
  stream: true,
  maxOutputTokens: undefined,
  choices: 1,
  messages: 1,
  wantsUsage: true,
};

const delta = (said: object, more: object = {}): string =>
  formatSse(JSON.stringify({ id: "c", choices: [{ index: 0, delta: said, ...more }] }));
const block = (said: object): string =>
  formatSse(
    JSON.stringify({ type: "content_block_delta", index: 0, delta: said }),
    "content_block_delta",
  );
let number = 0;
const piece = (type: string, said: string): string =>
  formatSse(JSON.stringify({ type, sequence_number: number++, delta: said, obfuscation: "x" }));

interface Case {
  readonly open: () => Tap;
  readonly begin: string;
  readonly texts: (text: string) => readonly string[];
  readonly others: readonly string[];
}

const CASES: Readonly<Record<string, Case>> = {
  chat: {
    open: () => openChatTap(FACTS),
    begin: delta({ role: "assistant", content: "first" }),
    texts: (text) => [
      delta({ content: text }),
      delta({ content: "", reasoning_content: text }),
      delta({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
    ],
    others: [
      delta({ content: "more" }, { finish_reason: "length" }),
      delta({ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "" } }] }),
      delta({ tool_calls: [{ index: 1, function: { name: "g", arguments: "" } }] }),
      formatSse(JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } })),
      formatSse(JSON.stringify({ error: { message: "m" } })),
      ": ping\n\n",
      "data: [DONE]\n\n",
    ],
  },
  "chat without usage": {
    open: () => openChatTap({ ...FACTS, wantsUsage: false }),
    begin: delta({ content: "first" }),
    texts: (text) => [
      formatSse(JSON.stringify({ choices: [{ index: 0, delta: { content: text } }], usage: null })),
    ],
    others: [delta({}, { finish_reason: "stop" })],
  },
  messages: {
    open: openMessagesTap,
    begin: block({ type: "text_delta", text: "first" }),
    texts: (text) => [
      block({ type: "text_delta", text }),
      block({ type: "thinking_delta", thinking: text }),
      block({ type: "input_json_delta", partial_json: text }),
    ],
    others: [
      block({ type: "signature_delta", signature: "s" }),
      formatSse(
        JSON.stringify({ type: "message_delta", delta: { stop_reason: "end_turn" } }),
        "message_delta",
      ),
      formatSse(JSON.stringify({ type: "error", error: { message: "m" } }), "error"),
    ],
  },
  responses: {
    open: () => openResponsesTap(FACTS),
    begin: piece("response.output_text.delta", "first"),
    texts: (text) => [
      piece("response.output_text.delta", text),
      piece("response.function_call_arguments.delta", text),
    ],
    others: [
      formatSse(JSON.stringify({ type: "response.output_text.done", text: "whole" })),
      formatSse(JSON.stringify({ type: "response.failed", response: { error: { message: "m" } } })),
    ],
  },
};

/** As the relay uses a tap; or as it would, if nothing were ever known to repeat. */
function passed(tap: Tap, pieces: readonly string[], usesRepeats: boolean): string[] {
  return pieces.map((each) => {
    const bytes = Buffer.from(each);
    const isRepeated = usesRepeats && tap.hasContent && tap.passRepeated?.(bytes) === true;
    const out = isRepeated ? bytes : Buffer.from(tap.push(bytes) ?? []);
    return out.toString().replaceAll(GIVEN_ID, "an id");
  });
}

/** Given by the gateway to a call without one. */
const GIVEN_ID = /call_\w{24}/g;

function stateOf(tap: Tap): unknown {
  return {
    usage: tap.usage,
    error: tap.error,
    isComplete: tap.isComplete(),
    isEnding: tap.isEnding,
    text: tap.takeOutputText(),
    failure: tap.error === undefined ? tap.end()?.length : undefined,
  };
}

describe.each(Object.entries(CASES))("%s", (_style, { open, begin, texts, others }) => {
  test("an event that repeats another one with another text is not read", () => {
    for (const [at, event] of texts("second ").entries()) {
      const tap = open();
      tap.push(Buffer.from(begin));
      tap.takeOutputText();
      tap.push(Buffer.from(event));
      const third = texts("third")[at] ?? "";

      expect(tap.passRepeated?.(Buffer.from(third))).toBe(true);
      expect(tap.passRepeated?.(Buffer.from(third + third))).toBe(true);
      expect(tap.takeOutputText()).toBe("second thirdthirdthird");
    }
  });

  test("a malformed event repeats nothing", () => {
    const tap = open();
    const [event = ""] = texts("second");
    tap.push(Buffer.from(begin));
    tap.push(Buffer.from(event));
    const broken = Buffer.from(event.replace('"second"', '"second" x'));

    expect(tap.passRepeated?.(broken)).toBe(false);
    expect(tap.passRepeated?.(Buffer.concat([Buffer.from(event), broken]))).toBe(false);
  });

  test(`with skipped parsing, the passed events and the recorded data are the same (seed ${SEED})`, () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('"error"', '"usage":{', "[DONE]", "é👍"));
    const event = fc.oneof(
      { weight: 4, arbitrary: text.chain((said) => fc.constantFrom(...texts(said))) },
      { weight: 1, arbitrary: fc.constantFrom(...others) },
    );
    const pieces = fc.array(
      fc.array(event, { minLength: 1, maxLength: 3 }).map((all) => all.join("")),
      { maxLength: 20 },
    );

    fc.assert(
      fc.property(pieces, (all) => {
        const [one, other] = [open(), open()];
        const stream = [begin, ...all];

        expect(passed(one, stream, true)).toEqual(passed(other, stream, false));
        expect(stateOf(one)).toEqual(stateOf(other));
      }),
      { seed: SEED, numRuns: times(100, 10_000) },
    );
  });
});
