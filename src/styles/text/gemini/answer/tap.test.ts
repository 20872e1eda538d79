import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RequestFacts, Tap } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { SseFramer } from "#lib/sse.ts";
import { SEED, times } from "#test/seed.ts";
import { amend, readAnswer } from "./passthrough.ts";
import { openTap } from "./tap.ts";

const FACTS: RequestFacts = {
  model: "m",
  stream: true,
  maxOutputTokens: undefined,
  choices: 1,
  messages: 1,
  wantsUsage: true,
};

function event(body: Json, lineEnd = "\n"): string {
  return `data: ${JSON.stringify(body)}${lineEnd}${lineEnd}`;
}

function chunk(parts: Json[], more: JsonObject = {}, usage?: [number, number]): string {
  return event({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    ...(usage === undefined
      ? {}
      : {
          usageMetadata: {
            promptTokenCount: usage[0],
            candidatesTokenCount: usage[1],
            totalTokenCount: usage[0] + usage[1],
          },
        }),
  });
}

const TEXT = chunk([{ text: "hi ü" }], {}, [3, 1]);
const STOP = chunk([{ text: "" }], { finishReason: "STOP" }, [3, 2]);
const FAILURE = event({ error: { code: 503, message: "busy", status: "UNAVAILABLE" } });

function passed(on: Tap, ...pieces: string[]): string {
  const out = pieces.map((piece) => Buffer.from(on.push(Buffer.from(piece)) ?? []).toString());
  return out.join("");
}

function ended(on: Tap): string {
  return Buffer.from(on.end() ?? []).toString();
}

const COMMENT = ": ping\n\n";

describe("a stream passes through unchanged", () => {
  test.each(["\n", "\r\n", "\r"])("without its comments (%j)", (lineEnd) => {
    const tap = openTap(FACTS);
    const sent = `: a\n\n: b\n${TEXT}${COMMENT}${chunk([{ text: ": not one" }])}: c\n${STOP}`;
    const kept = TEXT + chunk([{ text: ": not one" }]) + STOP;
    const inStyle = (text: string): string => text.replaceAll("\n", lineEnd);

    expect(passed(tap, inStyle(sent)) + ended(tap)).toBe(inStyle(kept));
  });

  test("and ends only after the upstream's last byte", () => {
    const tap = openTap(FACTS);

    expect(passed(tap, TEXT, STOP)).toBe(TEXT);
    expect([tap.isComplete(), tap.isEnding]).toEqual([true, false]);
    expect(ended(tap)).toBe(STOP);
  });

  test("and content after a finish reason is part of the response, and of its price", () => {
    const tap = openTap(FACTS);
    const called = chunk(
      [{ functionCall: { name: "f", args: {} } }],
      { finishReason: "STOP" },
      [3, 1],
    );

    expect(passed(tap, called)).toBe("");
    expect(passed(tap, TEXT)).toBe(called);
    expect(passed(tap, STOP)).toBe(TEXT);
    expect(ended(tap)).toBe(STOP);
    expect(tap.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
  });

  test("[A4.7-b] with any split, byte for byte except for its comments", () => {
    const events = fc.array(
      fc.oneof(
        fc.constantFrom(TEXT, STOP, COMMENT, "data: broken\n\n"),
        fc.string().map((text) => chunk([{ text }])),
        fc.string().map((text) => event({ candidates: [], text }, "\r\n")),
      ),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(events, fc.infiniteStream(fc.integer({ min: 1, max: 40 })), (stream, sizes) => {
        const bytes = Buffer.from(stream.join(""));
        const tap = openTap(FACTS);
        const framer = new SseFramer(1_000_000);
        const out: Uint8Array[] = [];
        for (let at = 0; at < bytes.length;) {
          const size = Number(sizes.next().value);
          const whole = framer.push(bytes.subarray(at, at + size));
          at += size;
          const sent = whole === undefined ? undefined : tap.push(whole);
          if (sent !== undefined) out.push(sent);
        }
        const rest = framer.rest.length > 0 ? tap.push(framer.rest) : undefined;
        const all = [...out, rest ?? Buffer.alloc(0), tap.end() ?? Buffer.alloc(0)];

        const expected = stream.filter((each) => each !== COMMENT).join("");
        expect(Buffer.concat(all).toString()).toBe(expected);
      }),
      { seed: SEED, numRuns: times(200, 5_000) },
    );
  });
});

describe("the completeness of a response", () => {
  test.each<[string, string, boolean]>([
    ["a reason is its end", TEXT + STOP, true],
    ["text alone is not", TEXT, false],
    ["an unknown reason is an end too", chunk([], { finishReason: "BRAND_NEW" }), true],
    ["no reason yet", chunk([], { finishReason: "FINISH_REASON_UNSPECIFIED" }), false],
    [
      "a blocked prompt is a response",
      event({ promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 3 } }),
      true,
    ],
    [
      "text that resembles marks",
      chunk([
        { text: '"finishReason":"STOP" {"error":{}}' },
        { functionCall: { name: "f", args: { finishReason: "STOP" } } },
      ]),
      false,
    ],
    ["nothing", "", false],
  ])("%s", (_what, stream, isComplete) => {
    const tap = openTap(FACTS);
    passed(tap, stream);

    expect(tap.isComplete()).toBe(isComplete);
  });

  test("requires the end of every candidate", () => {
    const other = event({
      candidates: [{ content: { parts: [{ text: "b" }] }, index: 1 }],
    });
    const otherStop = event({ candidates: [{ index: 1, finishReason: "STOP" }] });
    const tap = openTap({ ...FACTS, choices: 2 });

    passed(tap, TEXT, other, STOP);
    expect(tap.isComplete()).toBe(false);
    passed(tap, otherStop);
    expect(tap.isComplete()).toBe(true);
  });
});

describe("an upstream's failure within a stream", () => {
  test("is found, and its text is not sent to the client", () => {
    const tap = openTap(FACTS);

    expect(passed(tap, TEXT + FAILURE + TEXT)).toBe(TEXT);
    expect(tap.error).toMatchObject({ code: "upstream_overloaded", message: "busy" });
    expect([tap.isComplete(), passed(tap, TEXT), ended(tap)]).toEqual([false, "", ""]);
  });

  test("is found in a list as well", () => {
    const tap = openTap(FACTS);
    passed(tap, event([{ error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "later" } }]));

    expect(tap.error?.code).toBe("upstream_rate_limited");
  });
});

describe("usage of a stream", () => {
  test("is the last count, if counts are totals", () => {
    const tap = openTap(FACTS);
    passed(tap, event({ usageMetadata: { trafficType: "ON_DEMAND" }, candidates: [] }));
    expect(tap.usage).toBeUndefined();

    passed(tap, chunk([{ text: "a" }], {}, [5, 1]) + chunk([{ text: "b" }], {}, [5, 4]));
    passed(tap, chunk([{ text: "c" }]));

    expect(tap.usage).toMatchObject({ inputTokens: 5, outputTokens: 4 });
  });

  test("is counted from its text if the upstream reports none", () => {
    const tap = openTap(FACTS);
    const call = { functionCall: { name: "f", args: { x: 1 } } };
    passed(tap, chunk([{ text: "why", thought: true }, { text: "so" }]), chunk([call]));

    expect(tap.takeOutputText()).toBe('whysof{"x":1}');
    expect(tap.takeOutputText()).toBe("");
  });

  test("counts a long stream's text up to a megabyte", () => {
    const tap = openTap(FACTS);
    const long = chunk([{ text: "x".repeat(40_000) }]);
    for (let count = 0; count < 40; count++) passed(tap, long);

    expect(tap.takeOutputText().length).toBe(1_024 * 1_024);
  });
});

describe("a passthrough request", () => {
  test("[A4.7-f] requests search by the vendor's name", () => {
    const tools = [{ functionDeclarations: [{ name: "f" }] }, { vendorSearch: {} }];

    expect(amend({ tools }, FACTS, "m")).toEqual({
      tools: [{ functionDeclarations: [{ name: "f" }] }, { googleSearch: {} }],
    });
    expect(amend({ tools: { vendor_search: {} } }, FACTS, "m")).toEqual({
      tools: [{ googleSearch: {} }],
    });
  });

  test("has the upstream's model name in its fields", () => {
    expect(amend({ model: "models/m" }, FACTS, "other")).toEqual({ model: "models/other" });
    expect(amend({ contents: [] }, FACTS, "other")).toEqual({});
  });

  test("is otherwise unchanged", () => {
    expect(amend({ contents: [], tools: [{ google_search: {} }] }, FACTS, "m")).toEqual({});
  });
});

describe("a complete passthrough response", () => {
  test("may be a refusal of the prompt", () => {
    const facts = readAnswer({
      promptFeedback: { blockReason: "SAFETY" },
      usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
    });

    expect(facts).toMatchObject({ error: undefined, usage: { inputTokens: 4, outputTokens: 0 } });
  });

  test.each<[string, JsonObject, string]>([
    ["nothing in it", {}, "upstream_failed"],
    ["no candidate", { candidates: [] }, "upstream_failed"],
    [
      "an error",
      { error: { code: 400, message: "no", status: "INVALID_ARGUMENT" } },
      "upstream_rejected",
    ],
  ])("%s is a failure", (_what, body, code) => {
    expect<unknown>(readAnswer(body).error?.code).toBe(code);
  });
});
