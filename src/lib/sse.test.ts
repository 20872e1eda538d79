import { describe, expect, spyOn, test } from "bun:test";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { decodeSse } from "#test/translate/streams.ts";
import { formatSse, readEvents, SseDecoder, SseFramer, SseOverflow, type SseEvent } from "./sse.ts";

const encoder = new TextEncoder();
const MAX = 1024;

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    if (cut > from) yield bytes.subarray(from, cut);
    from = Math.max(from, cut);
  }
}

/** A text cut anywhere at all, bytes and characters alike. */
const stream = fc
  .array(
    fc.record({
      name: fc.constantFrom("", "event: x", "event: ", "event:y", ": comment", "id: 7"),
      data: fc.string({ unit: "grapheme" }),
      end: fc.constantFrom("\n", "\n", "\n", "\r\n", "\r"),
    }),
    { minLength: 1 },
  )
  .map((events) =>
    events
      .map(({ name, data, end }) => {
        const first = name === "" ? "" : name + end;
        return `${first}data: ${data.replaceAll(/[\r\n\u0000]/g, " ")}${end}${end}`;
      })
      .join(""),
  )
  .chain((text) => {
    const bytes = encoder.encode(text);
    return fc.record({
      text: fc.constant(text),
      bytes: fc.constant(bytes),
      cuts: fc.array(fc.nat({ max: bytes.length })),
    });
  });

describe("decoding", () => {
  test("gives the same events for every split of the bytes", async () => {
    const property = fc.asyncProperty(stream, async ({ text, bytes, cuts }) => {
      const events = await Array.fromAsync(decodeSse(pieces(bytes, cuts), MAX));

      expect(events).toEqual(readEvents(text));
    });
    await fc.assert(property, { seed: SEED, numRuns: 300 });
  });

  const framings: [string, string, SseEvent[]][] = [
    ["a missing space after the colon", "data:a\n\n", [{ data: "a" }]],
    ["several data lines", "data: a\ndata: b\n\n", [{ data: "a\nb" }]],
    ["comments, ids and retries", ": ping\nid: 1\nretry: 5\ndata: a\n\n", [{ data: "a" }]],
    ["an event name", "event: x\ndata: a\n\n", [{ event: "x", data: "a" }]],
    ["a byte order mark", "\uFEFFdata: a\n\n", [{ data: "a" }]],
    [
      "mixed line ends",
      "data: a\r\n\ndata: b\r\rdata: c\n\r\n",
      [{ data: "a" }, { data: "b" }, { data: "c" }],
    ],
    ["no blank line at the end", "data: a\n\ndata: b", [{ data: "a" }, { data: "b" }]],
  ];
  test.each(framings)("accepts %s", async (_what, text, expected) => {
    expect(await Array.fromAsync(decodeSse(pieces(encoder.encode(text), []), MAX))).toEqual(
      expected,
    );
  });

  test("removes a byte order mark at the beginning only, with any split of the bytes", async () => {
    const bytes = encoder.encode("\uFEFFdata: \uFEFFé\n\ndata: \uFEFFb\n\n");
    for (let first = 1; first < bytes.length; first++) {
      for (let second = first + 1; second < bytes.length; second++) {
        expect(await Array.fromAsync(decodeSse(pieces(bytes, [first, second]), MAX))).toEqual([
          { data: "\uFEFFé" },
          { data: "\uFEFFb" },
        ]);
      }
    }
  });

  test.each(["\n", "\r\n", "\r"])("returns an event once its blank line is there (%j)", (end) => {
    const decoder = new SseDecoder(MAX);

    expect(decoder.push(encoder.encode(`data: a${end}${end}data: b${end}`))).toEqual([
      { data: "a" },
    ]);
    expect(decoder.push(encoder.encode(`${end}event: x${end}data: c${end}${end}.`))).toEqual([
      { data: "b" },
      { event: "x", data: "c" },
    ]);
  });

  const LONG = "x".repeat(300_000);
  const longEvents: [string, string, SseEvent][] = [
    ["one data line", `event: x\ndata: ${LONG}\n\n`, { event: "x", data: LONG }],
    ["two data lines", `data: ${LONG}\ndata: b\n\n`, { data: `${LONG}\nb` }],
    ["carriage returns", `data: ${LONG}\r\r`, { data: LONG }],
  ];
  test.each(longEvents)("reads an event of many chunks with %s", async (_what, text, event) => {
    const bytes = encoder.encode(`${text}data: last\n\n`);
    const cuts = Array.from({ length: 30 }, (_, at) => at * 10_007);

    const events = await Array.fromAsync(decodeSse(pieces(bytes, cuts), 1_000_000));
    expect(events).toEqual([event, { data: "last" }]);
  });

  test("ends if an event exceeds its limit", async () => {
    const endless = pieces(encoder.encode(`data: ${"x".repeat(3 * MAX)}`), [MAX, 2 * MAX]);

    expect(Array.fromAsync(decodeSse(endless, MAX))).rejects.toThrow(SseOverflow);
  });
});

describe("framing", () => {
  test("returns every byte, in order, at event boundaries only", async () => {
    const property = fc.asyncProperty(stream, async ({ text, bytes, cuts }) => {
      const framer = new SseFramer(bytes.length);
      let out = "";
      for await (const piece of pieces(bytes, cuts)) {
        const events = framer.push(piece);
        if (events === undefined) continue;
        const decoded = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(events);
        expect(decoded).toMatch(/(\n|\r)(\r\n|\n|\r)$/);
        out += decoded;
      }

      expect(out + new TextDecoder("utf-8", { ignoreBOM: true }).decode(framer.rest)).toBe(text);
    });
    await fc.assert(property, { seed: SEED, numRuns: 300 });
  });

  test("does not copy a chunk that ends with an event", () => {
    const chunk = encoder.encode("data: a\n\ndata: b\n\n");

    expect(new SseFramer(MAX).push(chunk)).toBe(chunk);
  });

  test("stores an incomplete event until it is complete", () => {
    const framer = new SseFramer(MAX);

    expect(framer.push(encoder.encode("data: a\n\ndata: b"))).toEqual(
      encoder.encode("data: a\n\n"),
    );
    expect(framer.push(encoder.encode("c\n"))).toBeUndefined();
    expect(framer.push(encoder.encode("\n"))).toEqual(encoder.encode("data: bc\n\n"));
    expect(framer.rest.length).toBe(0);
  });

  test("completes an event with the beginning of a large chunk, and copies no more of it", () => {
    for (const end of ["\n\n", "\r\n\r\n", "\r\r"]) {
      const text = `data: ${"x".repeat(1_000)}${end}`.repeat(300);
      const bytes = encoder.encode(text);
      for (const cut of [1, 1_005, 1_006, 1_007, 1_008, 1_009, 1_010, 1_011, 1_500]) {
        const framer = new SseFramer(1_000_000);
        const pieces: Uint8Array[] = [];
        for (const chunk of [bytes.slice(0, cut), bytes.slice(cut, -7), bytes.slice(-7)]) {
          for (const piece of [framer.push(chunk), framer.takeMore()]) {
            if (piece !== undefined) pieces.push(piece);
          }
        }

        const sizes = pieces.map(({ length }) => length);
        expect(Buffer.concat([...pieces, framer.rest]).equals(bytes)).toBe(true);
        expect({ end, cut, size: Math.max(...sizes) > 200_000 }).toEqual({ end, cut, size: true });
        for (const piece of pieces) expect(Buffer.from(piece).toString()).toMatch(/[\r\n]{2}$/);
      }
    }
  });

  test("copies an event of many chunks only a few times", () => {
    const pieceBytes = 1_000;
    const pieceCount = 1_000;
    const framer = new SseFramer(2 * pieceBytes * pieceCount);
    const copied = spyOn(Uint8Array.prototype, "set");

    for (let each = 0; each < pieceCount; each++) framer.push(new Uint8Array(pieceBytes).fill(120));
    const event = framer.push(encoder.encode("\n\n"));
    const copiedBytes = copied.mock.calls.reduce((sum, [bytes]) => sum + bytes.length, 0);
    copied.mockRestore();

    expect(event?.length).toBe(pieceBytes * pieceCount + 2);
    expect(copiedBytes).toBeLessThan(5 * pieceBytes * pieceCount);
  });

  test("refuses an endless event", () => {
    const framer = new SseFramer(MAX);
    const fill = (): void => {
      for (let i = 0; i < 3; i++) framer.push(encoder.encode("x".repeat(MAX / 2)));
    };

    expect(fill).toThrow(SseOverflow);
  });
});

test("an event in the usual form is read as the general parser reads it", () => {
  const part = fc.constantFrom(
    "data: ",
    "data:",
    "event: ",
    "x",
    " ",
    "\n",
    "\n\n",
    "\r",
    ":",
    "{",
  );
  const property = fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
    const text = `${parts.join("")}\n\n`;
    const expected: SseEvent[] = [];
    const parser = createParser({
      onEvent: ({ event, data }) => expected.push(event === undefined ? { data } : { event, data }),
    });
    parser.feed(text);

    expect(readEvents(text)).toEqual(expected);
  });
  fc.assert(property, { seed: SEED, numRuns: 2_000 });
  expect(readEvents("event: a\ndata: b\n\n")).toEqual([{ event: "a", data: "b" }]);
});

test("a formatted event is parsed back", () => {
  const property = fc.property(fc.string(), (text) => {
    const data = text.replaceAll(/[\r\u0000]/g, "");
    expect(readEvents(formatSse(data, "e"))).toEqual([{ event: "e", data }]);
  });
  fc.assert(property, { seed: SEED, numRuns: 300 });
});
