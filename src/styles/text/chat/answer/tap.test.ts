import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RequestFacts, Tap } from "#core/style.ts";
import { readEvents, SseFramer } from "#lib/sse.ts";
import { SEED, times } from "#test/seed.ts";
import { openTap } from "./tap.ts";

const USAGE = '{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}';
const TEXT =
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"hi \\u00fc"},"finish_reason":null}],"usage":null}\n\n';
/** As a vendor writes it that is not asked for usage, but for the space in its place. */
const DEFAULTS = TEXT.replace(',"usage":null', " ".repeat(13));
const STOP = 'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const STOP_WITH_USAGE = `data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}], "usage" : ${USAGE}, "x":1}\n\n`;
const USAGE_ALONE = `data: {"id":"c","choices":[],"usage":${USAGE}}\n\n`;
const DONE = "data: [DONE]\n\n";
const FAILURE = 'data: {"error":{"message":"bad key sk-12345678","type":"server_error"}}\n\n';

function tap(facts: Partial<RequestFacts> = {}): Tap {
  return openTap({
    model: "m",
    stream: true,
    maxOutputTokens: undefined,
    choices: 1,
    messages: 1,
    wantsUsage: true,
    ...facts,
  });
}

/** What a tap lets through of events that come together, or one by one. */
function passed(on: Tap, ...pieces: string[]): string {
  return pieces.map((piece) => Buffer.from(on.push(Buffer.from(piece)) ?? []).toString()).join("");
}

describe("a client that requested usage gets every byte", () => {
  test.each<[string, string]>([
    ["usage at the end", TEXT + STOP + USAGE_ALONE + DONE],
    ["usage with the reason", TEXT + STOP_WITH_USAGE + DONE],
    ["comments and other fields", `: ping\n\nevent: x\nid: 1\nretry: 5\n${TEXT}${STOP}${DONE}`],
    ["other line ends", (TEXT + STOP_WITH_USAGE + DONE).replaceAll("\n", "\r\n")],
    ["the oldest line ends", (TEXT + STOP_WITH_USAGE + DONE).replaceAll("\n", "\r")],
    ["events that are broken", `data: {"usage":{"prompt\n\ndata: {"error":\n\n${TEXT}`],
    [
      "text that resembles marks",
      'data: {"choices":[{"delta":{"content":"\\"usage\\":{\\"a\\":1} \\"error\\":{} [DONE]"}}]}\n\ndata: {"choices":[{"delta":{"content":"usage"}},{"delta":{"content":"error"}}]}\n\n',
    ],
  ])("%s", (_what, stream) => {
    expect(passed(tap(), stream)).toBe(stream);
  });
});

describe("a client that did not ask for usage gets every byte of the stream except the usage event", () => {
  test.each<[string, string, string]>([
    ["usage at the end", TEXT + STOP + USAGE_ALONE + DONE, DEFAULTS + STOP + DONE],
    ["usage beside a choice", TEXT + STOP_WITH_USAGE + DONE, DEFAULTS + STOP_WITH_USAGE + DONE],
    ["usage in both", STOP_WITH_USAGE + USAGE_ALONE + DONE, STOP_WITH_USAGE + DONE],
    [
      "other line ends",
      (TEXT + STOP_WITH_USAGE + USAGE_ALONE + DONE).replaceAll("\n", "\r\n"),
      (DEFAULTS + STOP_WITH_USAGE + DONE).replaceAll("\n", "\r\n"),
    ],
    [
      "the oldest line ends",
      (TEXT + STOP_WITH_USAGE + USAGE_ALONE + DONE).replaceAll("\n", "\r"),
      (DEFAULTS + STOP_WITH_USAGE + DONE).replaceAll("\n", "\r"),
    ],
    ["usage over several lines", `data: {"choices":[],\ndata: "usage":${USAGE}}\n\n${STOP}`, STOP],
    [
      "no usage yet, written widely, first, and alone",
      `data: {"a":1 , "usage" : null }\n\ndata: {"usage":null, "a":1}\n\ndata: {"usage":null}\n\n${USAGE_ALONE}`,
      `data: {"a":1                  }\n\ndata: {              "a":1}\n\ndata: {            }\n\n`,
    ],
    [
      "text about it",
      `data: {"choices":[{"index":0,"delta":{"content":"\\"usage\\":null, usage"}}]}\n\n${USAGE_ALONE}`,
      'data: {"choices":[{"index":0,"delta":{"content":"\\"usage\\":null, usage"}}]}\n\n',
    ],
    [
      "a vendor's own member",
      `data: {"choices":[{"index":0}],"x_vendor":{"usage":${USAGE}}}\n\n`,
      `data: {"choices":[{"index":0}],"x_vendor":{"usage":${USAGE}}}\n\n`,
    ],
  ])("%s", (_what, stream, expected) => {
    const on = tap({ wantsUsage: false });

    expect(passed(on, stream)).toBe(expected);
    expect(on.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
  });

  test("an omitted event leaves no bytes", () => {
    expect(tap({ wantsUsage: false }).push(Buffer.from(USAGE_ALONE))).toBeUndefined();
  });
});

describe("usage is the last plausible report", () => {
  const of = (usage: string): string =>
    `data: {"choices":[{"index":0,"delta":{}}],"usage":${usage}}\n\n`;

  test.each<[string, string, number | undefined]>([
    ["growing", of('{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}') + of(USAGE), 2],
    [
      "followed by zeros",
      of(USAGE) + of('{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}'),
      2,
    ],
    ["followed by nonsense", of(USAGE) + of('{"prompt_tokens":-1,"completion_tokens":1e300}'), 2],
    ["followed by null", of(USAGE) + of("null"), 2],
    ["never there", TEXT + STOP, undefined],
  ])("%s", (_how, stream, outputTokens) => {
    const on = tap();
    passed(on, stream);

    expect<number | undefined>(on.usage?.outputTokens).toBe(outputTokens);
  });
});

describe("a response is complete if the upstream marks its end", () => {
  test.each<[string, string, number, boolean]>([
    ["the end mark and usage", TEXT + USAGE_ALONE + DONE, 1, true],
    ["the end mark, written closely", `${TEXT + USAGE_ALONE}data:[DONE]\n\n`, 1, true],
    ["the end mark, with other line ends", `${TEXT + USAGE_ALONE}data: [DONE]\r\n\r\n`, 1, true],
    ["the end mark, and something after it", `${TEXT + USAGE_ALONE + DONE}: bye\n\n`, 1, true],
    ["the end mark alone, behind some text", TEXT + DONE, 1, false],
    ["the end mark and usage, without any text", USAGE_ALONE + DONE, 1, false],
    ["nothing but the end mark", DONE, 1, false],
    ["a reason", TEXT + STOP, 1, true],
    ["a reason and usage after it", TEXT + STOP + USAGE_ALONE, 1, true],
    ["a reason for every answer", STOP + STOP, 2, true],
    ["a reason for one of two", TEXT + STOP, 2, false],
    ["neither", TEXT, 1, false],
    ["an empty reason", 'data: {"choices":[{"finish_reason":""}]}\n\n', 1, false],
    [
      "a model that writes the end mark",
      'data: {"choices":[{"delta":{"content":"[DONE]"}}]}\n\n',
      1,
      false,
    ],
    [
      "a model that writes a reason",
      'data: {"choices":[{"delta":{"content":"\\"finish_reason\\":\\"stop\\""}}]}\n\n',
      1,
      false,
    ],
    ["nothing", ": ping\n\n", 1, false],
  ])("%s", (_what, stream, choices, isComplete) => {
    const on = tap({ choices });
    passed(on, stream);

    expect(on.isComplete()).toBe(isComplete);
  });

  test("a complete response without an end mark gets one, and no other does", () => {
    const [lacking, whole, broken] = [tap(), tap(), tap()];
    passed(lacking, TEXT + STOP);
    passed(whole, TEXT + STOP + DONE);
    passed(broken, TEXT);

    expect([lacking, whole, broken].map((on) => Buffer.from(on.end() ?? []).toString())).toEqual([
      DONE,
      "",
      "",
    ]);
  });

  test("the end mark of a response that broke off is withheld, and so is everything after it", () => {
    for (const [pieces, seen] of [
      [[DONE], ""],
      [[TEXT + DONE], TEXT],
      [[TEXT, DONE, TEXT], TEXT],
    ] as const) {
      const on = tap();

      expect(passed(on, ...pieces)).toBe(seen);
      expect([on.error?.code, on.isEnding, on.end()]).toEqual([
        "upstream_failed",
        false,
        undefined,
      ]);
    }
  });

  test("usage after the end mark is ignored", () => {
    const late = USAGE_ALONE.replace('"completion_tokens":2', '"completion_tokens":900');
    for (const pieces of [
      [TEXT + STOP_WITH_USAGE + DONE + late],
      [TEXT + STOP_WITH_USAGE, DONE, late],
    ]) {
      const on = tap();
      passed(on, ...pieces);

      expect(on.usage?.outputTokens).toBe(2);
    }
  });

  test("the chunk with the end mark is known to be the last", () => {
    const on = tap();
    const endings = [TEXT, STOP, STOP + DONE, ": late\n\n"].map((piece) => {
      passed(on, piece);
      return on.isEnding;
    });

    expect(endings).toEqual([false, false, true, false]);
  });
});

describe("a failure within the stream is found, and hidden from the client", () => {
  test("earlier events are passed on, later ones are not", () => {
    const on = tap();

    expect(passed(on, TEXT, TEXT + FAILURE + TEXT, TEXT, DONE)).toBe(TEXT + TEXT);
    expect(on.error).toMatchObject({ code: "upstream_failed", message: "bad key [key]" });
    expect([on.isComplete(), on.end()]).toEqual([false, undefined]);
  });

  test.each([
    ["an event of that name", `event: error\n${FAILURE}`],
    ["an object that is an error", 'data: {"object":"error","message":"m"}\n\n'],
    [
      "a choice that ended with one",
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}\n\n',
    ],
    [
      "one among many choices",
      'data: {"choices":[{"index":0,"delta":{}},{"index":1,"error":{"message":"m"}}]}\n\n',
    ],
  ])("%s", (_form, stream) => {
    const on = tap();
    passed(on, TEXT + stream);

    expect(on.error?.code).toBe("upstream_failed");
  });

  test.each([
    [
      "no error, explicitly",
      'data: {"choices":[{"index":0,"delta":{"content":"a"}}],"error":null}\n\n',
    ],
    ["an empty one", 'data: {"choices":[{"index":0,"delta":{"content":"a"}}],"error":{}}\n\n'],
    ["the word as content", 'data: {"choices":[{"index":0,"delta":{"content":"error"}}]}\n\n'],
  ])("%s is not a failure", (_form, stream) => {
    const on = tap();

    expect(passed(on, stream)).toBe(stream);
    expect(on.error).toBeUndefined();
  });
});

describe("text is collected for a local count", () => {
  test("all output of the model, once", () => {
    const on = tap();
    passed(
      on,
      'data: {"choices":[{"delta":{"reasoning_content":"why ","reasoning":"why "}}]}\n\n',
      TEXT,
      'data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{\\"a\\":1}"}}]}}]}\n\ndata: broken\n\n',
    );

    expect(on.takeOutputText()).toBe('why hi üf{"a":1}');
    expect(on.takeOutputText()).toBe("");
  });

  test("at most a megabyte, for any length of the stream", () => {
    const on = tap();
    const long = `data: {"choices":[{"delta":{"content":"${"word ".repeat(6_000)}"}}]}\n\n`;
    for (let count = 0; count < 100; count++) passed(on, long);

    expect(on.takeOutputText().length).toBe(1_024 * 1_024);
  });

  test("and above a limit it is parsed, so that its bytes need not be kept", () => {
    const on = tap();
    const event = `data: {"choices":[{"delta":{"content":"${"word ".repeat(14_000)}"}}]}\n\n`;
    const bytes = Buffer.from(event);
    on.push(bytes);
    bytes.fill(0);

    expect(on.takeOutputText()).toBe("word ".repeat(14_000));
  });
});

test(`with any split, a stream has the same output (seed ${SEED})`, () => {
  const event = fc.constantFrom(
    TEXT,
    STOP,
    STOP_WITH_USAGE,
    USAGE_ALONE,
    ": ping\n\n",
    "data: {broken\n\n",
    TEXT.replaceAll("\n", "\r\n"),
    DONE,
  );
  const cuts = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 60 });

  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 12 }),
      cuts,
      fc.boolean(),
      (events, sizes, wantsUsage) => {
        const whole = tap({ wantsUsage });
        const expected = events.map((one) => passed(whole, one)).join("");
        const pieces = tap({ wantsUsage });
        const framer = new SseFramer(1_000_000);
        const bytes = Buffer.from(events.join(""));
        const out: Uint8Array[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          const framed = framer.push(bytes.subarray(at, at + size));
          const sent = framed === undefined ? undefined : pieces.push(framed);
          if (sent !== undefined) out.push(sent);
          at += size;
        }

        // Nothing follows a failure, not even the rest of a line end that was cut in two.
        const rest = pieces.error === undefined ? framer.rest : new Uint8Array();
        const seen = Buffer.concat([...out, rest]).toString();

        // A line end that is cut in two may leave a half beside an event that is left out or fails.
        const isWhole = wantsUsage && pieces.error === undefined;
        expect(isWhole ? seen : readEvents(seen)).toEqual(
          isWhole ? expected : readEvents(expected),
        );
        expect([pieces.usage, pieces.isComplete(), pieces.takeOutputText()]).toEqual([
          whole.usage,
          whole.isComplete(),
          whole.takeOutputText(),
        ]);
      },
    ),
    { seed: SEED, numRuns: times(500, 20_000) },
  );
});

test(`the tap accepts any upstream bytes (seed ${SEED})`, () => {
  const marks = fc.constantFrom(
    '"usage"',
    ":",
    "{",
    "}",
    '"error"',
    "null",
    '"finish_reason"',
    '"',
    "\n",
    "\n\n",
    "\r",
    "data: ",
    "[DONE]",
    '"choices":[',
    "]",
    " ",
    "\\",
  );
  const bytes = fc.oneof(
    fc.array(marks, { maxLength: 40 }).map((all) => Buffer.from(`${all.join("")}\n\n`)),
    fc.uint8Array({ maxLength: 60 }).map((all) => Buffer.from(all)),
  );

  fc.assert(
    fc.property(bytes, fc.boolean(), (sent, wantsUsage) => {
      const on = tap({ wantsUsage });
      const out = Buffer.from(on.push(sent) ?? []);

      expect(wantsUsage && on.error === undefined ? out.equals(sent) : true).toBe(true);
      expect(typeof on.takeOutputText()).toBe("string");
    }),
    { seed: SEED, numRuns: times(2_000, 100_000) },
  );
});
