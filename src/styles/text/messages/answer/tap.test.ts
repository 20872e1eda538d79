import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "#core/error.ts";
import type { Tap } from "#core/style.ts";
import { formatSse, SseFramer } from "#lib/sse.ts";
import { SEED, times } from "#test/seed.ts";
import { openTap } from "./tap.ts";

function event(type: string, members: object = {}): string {
  return formatSse(JSON.stringify({ type, ...members }), type);
}

const START = event("message_start", { message: { usage: { input_tokens: 3, output_tokens: 1 } } });
const TEXT =
  event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) +
  event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "hi ü" } }) +
  event("content_block_stop", { index: 0 });
const CALL =
  event("content_block_start", {
    index: 1,
    content_block: { type: "tool_use", id: "a", name: "f", input: {} },
  }) +
  event("content_block_delta", {
    index: 1,
    delta: { type: "input_json_delta", partial_json: '{"a":1}' },
  }) +
  event("content_block_stop", { index: 1 });
const DELTA = event("message_delta", {
  delta: { stop_reason: "tool_use" },
  usage: { output_tokens: 2, cache_read_input_tokens: 9 },
});
const COUNTED = event("message_delta", { delta: {}, usage: { output_tokens: 2 } });
const STOP = event("message_stop");
const PING = event("ping");
const FAILURE = event("error", {
  error: { type: "overloaded_error", message: "Overloaded sk-12345678" },
});
const WHOLE = START + PING + TEXT + CALL + DELTA + STOP;

/** What a tap lets through of events that come together, or one by one. */
function passed(on: Tap, ...pieces: string[]): string {
  return pieces.map((piece) => Buffer.from(on.push(Buffer.from(piece)) ?? []).toString()).join("");
}

describe("tool calls that violate the grammar are repaired", () => {
  const calling = (block: object): string =>
    event("content_block_start", { index: 1, content_block: { type: "tool_use", ...block } });
  const ended = event("message_delta", {
    delta: { stop_reason: "end_turn" },
    usage: { output_tokens: 2 },
  });

  test("without an id, with text as input, and without the finish reason for calls", () => {
    for (const pieces of [
      [START + calling({ name: "f", input: '{"a":1}' }) + ended + STOP],
      [START, calling({ name: "f", input: '{"a":1}' }), ended, STOP],
    ]) {
      const out = passed(openTap(), ...pieces);

      expect(out).toMatch(/"id":"toolu_[A-Za-z0-9]{24}"/);
      expect(out).toContain('"input":{"a":1}');
      expect(out).toContain('"stop_reason":"tool_use"');
      expect(out).not.toContain("end_turn");
    }
  });

  test.each<[string, string, number | undefined]>([
    ["no reason at all", COUNTED, 2],
    [
      "a reason that is null",
      event("message_delta", { delta: { stop_reason: null }, usage: { output_tokens: 2 } }),
      2,
    ],
    ["nothing between the call and the end mark", "", undefined],
  ])(
    "a response with calls and %s gets the finish reason before its end",
    (_what, end, counted) => {
      for (const pieces of [[START + CALL + end + STOP], [START, CALL, end, STOP]]) {
        const on = openTap();
        const out = passed(on, ...pieces);

        const made = event("message_delta", {
          delta: { stop_reason: "tool_use", stop_sequence: null },
          usage: { output_tokens: counted ?? 0 },
        });
        expect(out).toBe(START + CALL + end + made + STOP);
        expect([on.isComplete(), on.error, on.isEnding]).toEqual([true, undefined, true]);
        // What nobody counted is counted here.
        expect(on.usage?.outputTokens).toBe(counted);
      }
    },
  );

  test("a response with calls and their finish reason is passed on unchanged", () => {
    expect(passed(openTap(), WHOLE)).toBe(WHOLE);
    const full = event("message_delta", {
      delta: { stop_reason: "max_tokens" },
      usage: { output_tokens: 2 },
    });
    expect(passed(openTap(), START, CALL, full, STOP)).toBe(START + CALL + full + STOP);
  });

  test("and a response without calls is unchanged", () => {
    const words = event("content_block_delta", {
      index: 0,
      delta: { type: "text_delta", text: '{"type":"tool_use"}' },
    });

    expect(passed(openTap(), START, words, ended, STOP)).toBe(START + words + ended + STOP);
  });
});

describe("a client gets every byte", () => {
  test.each<[string, string]>([
    ["of an answer", WHOLE],
    ["with comments and other fields", `: hi\n\nid: 1\nretry: 5\n${TEXT}${DELTA}${STOP}`],
    ["with other line ends", WHOLE.replaceAll("\n", "\r\n")],
    ["with the oldest line ends", WHOLE.replaceAll("\n", "\r")],
    ["of events that are broken", `event: message_delta\ndata: {"usage":{"out\n\n${DELTA}${STOP}`],
    [
      "of text that resembles marks",
      event("content_block_delta", {
        delta: { type: "text_delta", text: '"error":{} message_stop' },
      }),
    ],
    [
      "of a tool that reports an error",
      event("content_block_start", {
        content_block: { type: "x", content: { error: { message: "m" } } },
      }),
    ],
  ])("%s", (_what, stream) => {
    const on = openTap();

    expect(passed(on, stream)).toBe(stream);
    expect(on.error).toBeUndefined();
  });
});

test("usage is read from two events, of which the first lacks the output", () => {
  const on = openTap();
  passed(on, START, TEXT);

  expect(on.inputUsage).toMatchObject({ inputTokens: 3 });
  expect(on.usage).toBeUndefined();
  passed(on, DELTA);
  expect(on.usage).toMatchObject({ inputTokens: 12, cachedInputTokens: 9, outputTokens: 2 });
});

describe("a response is complete if the upstream marks its end", () => {
  test.each<[string, string, boolean]>([
    ["the end mark", WHOLE, true],
    [
      "the end mark, named by its event alone",
      `${START + TEXT + DELTA}event: message_stop\ndata: {}\n\n`,
      true,
    ],
    ["the end mark and a count", START + TEXT + COUNTED + STOP, true],
    ["the end mark and a count, without any text", START + COUNTED + STOP, false],
    ["the end mark alone", START + TEXT + STOP, false],
    ["a reason without it", START + TEXT + DELTA, true],
    ["neither", START + TEXT, false],
    [
      "usage without a reason",
      START + TEXT + event("message_delta", { delta: {}, usage: {} }),
      false,
    ],
    [
      "text about it",
      START + event("content_block_delta", { delta: { text: "message_stop" } }),
      false,
    ],
    ["a failure", START + TEXT + FAILURE + STOP, false],
  ])("%s", (_what, stream, isComplete) => {
    const on = openTap();
    passed(on, stream);

    expect(on.isComplete()).toBe(isComplete);
  });

  test("the end mark is added only if an upstream omits it", () => {
    const without = openTap();
    const withMark = openTap();
    passed(without, START + TEXT + DELTA);
    passed(withMark, WHOLE);

    expect(Buffer.from(without.end() ?? []).toString()).toBe(STOP);
    expect(withMark.end()).toBeUndefined();
  });

  test("the bytes with the end mark are known as such, and earlier ones are not", () => {
    const on = openTap();
    const seen = [START, TEXT, DELTA, STOP, PING].map((piece) => {
      passed(on, piece);
      return on.isEnding;
    });

    expect(seen).toEqual([false, false, false, true, false]);
  });
});

test.each([
  ["in the same bytes", (late: string) => [WHOLE + late]],
  ["later", (late: string) => [WHOLE, late]],
])("usage after the last event is ignored, %s", (_when, pieces) => {
  const on = openTap();
  const usage = { input_tokens: 900, output_tokens: 900 };
  passed(on, ...pieces(event("message_delta", { delta: {}, usage })));

  expect(on.usage?.outputTokens).toBe(2);
});

describe("a failure within a stream", () => {
  test("ends the passed events, and earlier ones are passed on", () => {
    const on = openTap();

    expect(passed(on, START, TEXT + FAILURE + TEXT, STOP)).toBe(START + TEXT);
    expect(on.error?.code).toBe("upstream_overloaded");
    expect(on.error?.message).not.toContain("sk-");
  });

  test("as the only event passes nothing on", () => {
    expect(openTap().push(Buffer.from(FAILURE))).toBeUndefined();
  });

  test("of the gateway is the style's last event", () => {
    expect(openTap().fail(new GatewayError("upstream_timeout", "Too late."))).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"timeout_error","message":"Too late."}}\n\n',
    );
  });
});

describe("the text for a local count", () => {
  test("is all output of the model, and is returned once", () => {
    const on = openTap();
    const thinking = event("content_block_delta", {
      delta: { type: "thinking_delta", thinking: "why " },
    });
    passed(on, START, thinking, TEXT, CALL, DELTA, STOP);

    expect(on.takeOutputText()).toBe('why hi üf{"a":1}');
    expect(on.takeOutputText()).toBe("");
  });

  test("has long texts, up to a limit", () => {
    const on = openTap();
    const long = "x".repeat(100_000);
    const one = event("content_block_delta", { delta: { type: "text_delta", text: long } });
    for (let count = 0; count < 20; count++) passed(on, one);

    expect(on.takeOutputText().length).toBe(1_024 * 1_024);
  });

  test(`is the same with any split (seed ${SEED})`, () => {
    const bytes = Buffer.from(WHOLE);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 8 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const on = openTap();
        const framer = new SseFramer(1_000_000);
        let text = "";
        let out = "";
        for (const [at, end] of places.slice(1).entries()) {
          const events = framer.push(bytes.subarray(places[at], end));
          const sent = events === undefined ? undefined : on.push(events);
          out += Buffer.from(sent ?? []).toString("latin1");
          text += on.takeOutputText();
        }

        expect(Buffer.from(out, "latin1").equals(bytes)).toBe(true);
        expect(text).toBe('hi üf{"a":1}');
        expect(on.isComplete()).toBe(true);
      }),
      { seed: SEED, numRuns: times(300, 10_000) },
    );
  });
});
