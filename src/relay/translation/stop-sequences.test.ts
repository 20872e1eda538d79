import { describe, expect, test } from "bun:test";
import type { ChatEvent } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { random, SEED, times } from "#test/seed.ts";
import { canSearch, isMeasurable, losesStops, StopCutter, unaskedStops } from "./stop-sequences.ts";

const open = (choice = 0, type: "text" | "reasoning" = "text"): ChatEvent => ({
  type: "open",
  choice,
  block: { type },
});
const delta = (text: string, choice = 0): ChatEvent => ({ type: "delta", choice, text });
const close = (choice = 0): ChatEvent => ({ type: "close", choice });
const finish = (choice = 0): ChatEvent => ({ type: "finish", choice, reason: "length" });
const call = (choice = 0): ChatEvent => ({
  type: "open",
  choice,
  block: { type: "tool_call", id: "c", name: "f", kind: "function" },
});
const cut = (stopSequence: string, choice = 0): ChatEvent => ({
  type: "finish",
  choice,
  reason: "stop",
  stopSequence,
});

function told(stops: readonly string[], events: readonly ChatEvent[], choices = 1) {
  const cutter = new StopCutter(stops, choices);
  return { events: events.flatMap((event) => cutter.take(event)), isDone: cutter.isDone };
}

describe("a response is cut before its first stop sequence", () => {
  test("and everything after it is dropped, including tool calls", () => {
    const events = [open(), delta("one END two"), close(), call(), delta("{}"), close(), finish()];

    expect(told(["END"], events)).toEqual({
      events: [open(), delta("one "), close(), cut("END")],
      isDone: true,
    });
  });

  test("also if it arrives in pieces, none of which is sent early", () => {
    const cutter = new StopCutter(["END"]);
    const each = [open(), delta("one E"), delta("N"), delta("D two")].map((event) =>
      cutter.take(event),
    );

    expect(each).toEqual([[], [open(), delta("one ")], [], [close(), cut("END")]]);
  });

  test("and a partial match is sent as soon as it cannot become one", () => {
    const cutter = new StopCutter(["END"]);
    const each = [open(), delta("E"), delta("NE"), delta("N!")].map((event) => cutter.take(event));

    expect(each).toEqual([[], [], [open(), delta("E"), delta("N")], [delta("E"), delta("N!")]]);
  });

  test("or continues unchanged without one", () => {
    const events = [open(), delta("one EN"), close(), finish()];

    expect(told(["END"], events)).toEqual({
      events: [open(), delta("one "), delta("EN"), close(), finish()],
      isDone: false,
    });
  });

  test("also if it spans two consecutive texts", () => {
    const events = [open(), delta("one E"), close(), open(), delta("ND two"), close(), finish()];

    expect(told(["END"], events).events).toEqual([open(), delta("one "), close(), cut("END")]);
  });

  test("but not across a tool call, nor in reasoning", () => {
    const events = [
      open(0, "reasoning"),
      delta("END"),
      close(),
      open(),
      delta("E"),
      close(),
      call(),
      delta("END"),
      close(),
      open(),
      delta("ND"),
      close(),
      finish(),
    ];

    expect(told(["END"], events).events).toEqual(events);
  });

  test("and has no text if it begins with one", () => {
    expect(told(["END"], [open(), delta("END"), close(), finish()]).events).toEqual([cut("END")]);
  });

  test("separately in each choice, and it is over once all are", () => {
    const events = [open(0), delta("aEND", 0), open(1), delta("b", 1)];

    expect(told(["END"], events, 2).isDone).toBe(false);
    expect(told(["END"], [...events, delta("END", 1)], 2)).toEqual({
      events: [
        open(0),
        delta("a", 0),
        close(0),
        cut("END", 0),
        open(1),
        delta("b", 1),
        close(1),
        cut("END", 1),
      ],
      isDone: true,
    });
  });

  test("and other choices may end by themselves", () => {
    const events = [open(0), delta("aEND", 0), open(1), delta("b", 1), close(1), finish(1)];

    expect(told(["END"], events, 2).isDone).toBe(true);
    expect(told(["END"], events.slice(2), 1).isDone).toBe(false);
  });

  test("also if a stop event belongs to no choice", () => {
    const start: ChatEvent = { type: "start", id: "1", model: "m", createdAt: 1 };

    expect(told(["END"], [start, open(), delta("END")])).toEqual({
      events: [start, cut("END")],
      isDone: true,
    });
  });

  test("and a text that was closed before is not closed again", () => {
    const events = [open(), delta("a"), close(), open(), delta("END")];

    expect(told(["END"], events).events).toEqual([open(), delta("a"), close(), cut("END")]);
  });

  test("also if the sequence begins again within itself", () => {
    const text = "aabaaabaaac";

    expect(told(["aabaaac"], [open(), delta(text)]).events).toEqual([
      open(),
      delta("aaba"),
      close(),
      cut("aabaaac"),
    ]);
    expect(told(["abab!"], [open(), delta("ababab!")]).events).toEqual([
      open(),
      delta("ab"),
      close(),
      cut("abab!"),
    ]);
  });

  test("and the end of a text without buffered characters is sent at once", () => {
    const cutter = new StopCutter(["END"]);
    const each = [open(), delta("one"), close()].map((event) => cutter.take(event));

    expect(each).toEqual([[], [open(), delta("one")], [close()]]);
  });

  test("at the longest of those that end at the same place", () => {
    expect(told(["c", "bc"], [open(), delta("abc")]).events.at(-1)).toEqual(cut("bc"));
  });
});

describe("stop sequences that an upstream supports", () => {
  const stopsIn = ({ stop }: JsonObject): readonly string[] => (stop ?? []) as readonly string[];
  const unasked = (
    stop: readonly string[] | undefined,
    body: JsonObject,
    outbound: object,
  ): unknown => unaskedStops(stop === undefined ? {} : { stop }, body, { outbound } as never);

  test("are not searched for, but all others are, once each", () => {
    expect(unasked(["a", "b", "c", "b"], { stop: ["a"] }, { stopsIn })).toEqual(["b", "c"]);
    expect(unasked(["a"], { stop: ["a"] }, {})).toEqual(["a"]);
    expect(unasked(["a"], { stop: ["a"] }, { stopsIn })).toEqual([]);
    expect(unasked(undefined, {}, { stopsIn })).toEqual([]);
  });

  test("are limited, and an empty one is ignored", () => {
    const many = Array.from({ length: 70 }, (_, at) => `stop ${at}`);
    const longest = "x".repeat(1_024);

    expect(unasked(many, {}, { stopsIn })).toEqual(many.slice(0, 64));
    expect(unasked(["", longest, `${longest}x`], {}, { stopsIn })).toEqual([longest]);
  });

  const loses = (body: JsonObject, endpoint: object, facts: object = {}): boolean =>
    losesStops(
      { body: { json: body }, facts, header: () => undefined } as never,
      {
        endpoint: { style: { outbound: { stopsIn } }, ...endpoint },
        upstreamModel: "m",
        traits: {},
        channel: { baseUrl: "" },
        provider: {},
      } as never,
    );
  const BODY = { stop: ["a", "b"] };

  test("are lost if the model or its vendor accepts fewer than requested", () => {
    const fitting = { outbound: { stopsIn, fitRequest: () => ({ stop: ["a"] }) } };

    expect(loses(BODY, {})).toBe(false);
    expect(loses(BODY, { style: fitting })).toBe(true);
    expect(loses(BODY, { adaptRequest: () => ({ stop: undefined }) })).toBe(true);
    expect(loses(BODY, { adaptRequest: () => ({ other: 1 }) })).toBe(false);
  });

  test("are not lost if there are none, if the style has none, or if the call is not parsed", () => {
    const adaptRequest = () => ({ stop: undefined });

    expect(loses({}, { adaptRequest })).toBe(false);
    expect(loses(BODY, { adaptRequest, style: { outbound: {} } })).toBe(false);
    expect(loses(BODY, { adaptRequest }, { unknownValue: new Error("unknown") })).toBe(false);
  });
});

test("a request may have a limited number of stop sequences of limited length", () => {
  const stops = (count: number, length: number) => ({
    stop: Array.from({ length: count }, () => "x".repeat(length)),
  });

  expect([
    canSearch(stops(64, 1_024)),
    canSearch(stops(65, 1)),
    canSearch(stops(1, 1_025)),
  ]).toEqual([true, false, false]);
  expect(canSearch({})).toBe(true);
});

/** The first to end; of those that end there, the longest. */
function expected(text: string, stops: readonly string[]) {
  for (let end = 1; end <= text.length; end++) {
    const [found] = stops
      .filter((stop) => text.slice(0, end).endsWith(stop))
      .toSorted((a, b) => b.length - a.length);
    if (found !== undefined) return { text: text.slice(0, end - found.length), found };
  }
  return { text, found: undefined };
}

test("with any split, a response ends at the same place, and nothing is sent early", () => {
  const next = random(SEED);
  const letters = (most: number, least = 0): string => {
    const length = least + Math.floor(next() * most);
    return Array.from({ length }, () => "ab😀"[Math.floor(next() * 4)]).join("");
  };
  for (let round = 0; round < times(2_000, 50_000); round++) {
    const stops = Array.from({ length: 1 + Math.floor(next() * 3) }, () => letters(5, 1));
    const text = letters(40);
    const cutter = new StopCutter(stops);
    const want = expected(text, stops);
    const events: ChatEvent[] = [...cutter.take(open())];
    for (let at = 0; at < text.length;) {
      const end = at + 1 + Math.floor(next() * 6);
      events.push(...cutter.take(delta(text.slice(at, end))));
      at = end;
      const left = events.map((event) => (event.type === "delta" ? event.text : "")).join("");
      expect([stops, want.text.startsWith(left)]).toEqual([stops, true]);
    }
    events.push(...cutter.take(close()), ...cutter.take(finish()));

    const said = events.map((event) => (event.type === "delta" ? event.text : "")).join("");
    const last = events.at(-1);
    expect({ stops, text, said, last }).toEqual({
      stops,
      text,
      said: want.text,
      last: want.found === undefined ? finish() : cut(want.found),
    });
    const opened = events.filter(({ type }) => type === "open").length;
    expect(events.filter(({ type }) => type === "close")).toHaveLength(opened);
  }
});

describe("the cost of a cut response can be measured", () => {
  const controlled = { traits: { reasoningControls: { toggle: true as const } } };

  test("if its model does not reason", () => {
    expect(isMeasurable({}, { traits: {} })).toBe(true);
    expect(isMeasurable({ reasoning: { enabled: true } }, { traits: {} })).toBe(true);
  });

  test("or if the request turns reasoning off and the model allows that", () => {
    const off = { reasoning: { enabled: false } };

    expect(isMeasurable(off, controlled)).toBe(true);
    expect(isMeasurable(off, { traits: { reasoningControls: { efforts: ["low"] } } })).toBe(false);
  });

  test("but not if the model may reason", () => {
    expect(isMeasurable({}, controlled)).toBe(false);
    expect(isMeasurable({ reasoning: { enabled: true } }, controlled)).toBe(false);
  });
});
