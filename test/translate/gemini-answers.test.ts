import { describe, expect, test } from "bun:test";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { geminiStreamFaults } from "#test/grammar/gemini.ts";
import { random, SEED } from "#test/seed.ts";
import { countOf, HAS_VENDORS, withShared } from "#test/shared.ts";
import { decodeSse, decodeStream, encodeStream } from "#test/translate/streams.ts";
import { hubFaults, saidIn } from "./chat-answers.ts";
import { cut, cutAt } from "./chat-corpus.ts";
import {
  nativeChunks,
  nativeEvents,
  readNativeCorpus,
  saidNatively,
  type SaidNatively,
} from "./gemini-corpus.ts";

/** Every recorded answer through the hub and back: nothing that both ends know may be lost. */
withShared("corpus", () =>
  describe(`recorded native responses, translated (seed ${SEED})`, () => {
    const good = readNativeCorpus().filter(({ status }) => status === 200);
    const streams = good.flatMap(({ file, sse, pieces }) =>
      sse === undefined ? [] : [{ file, sse, pieces }],
    );
    const bodies = good.flatMap(({ file, body }) => (body === undefined ? [] : [{ file, body }]));

    test("are as many as the index lists", () => {
      expect([streams.length > countOf(95, 3), bodies.length > countOf(125, 6)]).toEqual([
        true,
        true,
      ]);
    });

    test("[A2.6] keep text, reasoning, calls, signatures, finish reason and usage, if complete", () => {
      for (const { file, body } of bodies) {
        const events = gemini.outbound.parseResponse(body);
        const built = gemini.inbound.buildResponse(events, REQUEST);

        expect([file, hubFaults(events)]).toEqual([file, []]);
        expect([file, named(saidNatively([built]))]).toEqual([file, named(saidNatively([body]))]);
        expect<unknown>([file, built["usageMetadata"]]).toEqual([file, body["usageMetadata"]]);
        expect([file, totalOf(events)]).toEqual([file, totalIn(body)]);
      }
    });

    test("[A2.6] have every member that the specification names", () => {
      for (const { file, body } of bodies) {
        const built = gemini.inbound.buildResponse(gemini.outbound.parseResponse(body), REQUEST);

        expect([file, structuredClone(built)]).toMatchObject([file, REQUIRED]);
      }
    });

    test("[A4.7-b] keep the same in a stream, in the form that clients read", async () => {
      for (const { file, sse } of streams) {
        const events = await decode(nativeEvents(sse));
        const out = await encode(events);

        expect([file, hubFaults(events)]).toEqual([file, []]);
        expect([file, geminiStreamFaults(out)]).toEqual([file, []]);
        expect([file, nativeChunks(out).every(({ createTime }) => createTime)]).toEqual([
          file,
          true,
        ]);
        expect([file, wholeCalls(sse, nativeChunks(out))]).toEqual([
          file,
          wholeCalls(sse, nativeChunks(sse)),
        ]);
        expect([file, totalOf(events)]).toEqual([file, lastTotal(nativeChunks(sse))]);
      }
    });

    test.if(HAS_VENDORS)("have calls with arguments in parts as a whole", async () => {
      const pieced = streams.filter(({ sse }) => sse.includes("partialArgs"));

      expect(pieced.length).toBeGreaterThan(2);
      for (const { file, sse } of pieced) {
        const calls = saidIn(await decode(nativeEvents(sse))).choices[0]?.calls ?? [];

        expect([file, calls.length > 0]).toEqual([file, true]);
        for (const call of calls) expect(isObject(JSON.parse(call.arguments))).toBe(true);
      }
      expect(await argumentsIn(pieced, "google/stream-generate-content/0061.json")).toEqual([
        '{"location":"Boston"}',
        '{"location":"San Francisco"}',
      ]);
      expect(await argumentsIn(pieced, "google/stream-generate-content/0060.json")).toEqual([
        "{}",
        '{"id":"A"}',
        '{"id":"B"}',
        '{"id":"C"}',
      ]);
    });

    test("omit reasoning for a client that did not request it, and keep the rest", async () => {
      const request: ChatRequest = { ...REQUEST, reasoning: {} };
      for (const { file, sse } of streams) {
        const out = await encode(await decode(nativeEvents(sse)), request);
        const expected = wholeCalls(sse, nativeChunks(sse));

        expect([file, geminiStreamFaults(out, { showsThoughts: false })]).toEqual([file, []]);
        expect([file, wholeCalls(sse, nativeChunks(out))]).toEqual([
          file,
          { ...expected, thoughts: "" },
        ]);
      }
    });

    test("have the same content as a stream and as a complete response", async () => {
      for (const { file, sse } of streams) {
        const events = await decode(nativeEvents(sse));
        const built = gemini.inbound.buildResponse(events, REQUEST);
        const unary = saidIn(gemini.outbound.parseResponse(built));

        expect([file, withoutIds(unary)]).toEqual([file, withoutIds(saidIn(events))]);
      }
    });

    test("decode to the same events with any split", async () => {
      for (const { file, sse, pieces } of streams) {
        const bytes = new TextEncoder().encode(`${sse}\n\n`);
        const expected = comparable(await decode(nativeEvents(sse)));
        for (const transport of [cutAt(bytes, pieces), cut(bytes, random(SEED))]) {
          const events = await Array.fromAsync(
            decodeStream(gemini, decodeSse(each(transport), 1_000_000_000)),
          );

          expect([file, comparable(events)]).toEqual([file, expected]);
        }
      }
    });

    test("are a failure without the last part of their stream, never an end", async () => {
      for (const { file, sse } of streams) {
        const events = nativeEvents(sse);
        const atReason = events.findIndex(({ data }) => data.includes('"finishReason"'));
        const seen = await decode(events.slice(0, atReason)).then(
          () => "ended",
          (error: Error) => (error instanceof GatewayError ? error.code : String(error)),
        );

        expect([file, seen]).toEqual([file, "upstream_failed"]);
      }
    });

    test.if(HAS_VENDORS)("have sources at the text that they support", () => {
      const grounded = bodies.filter(({ body }) => JSON.stringify(body).includes('"uri"'));
      const cited = grounded.map(({ body }) => citationsIn(gemini.outbound.parseResponse(body)));

      expect(cited.flat().length).toBeGreaterThan(10);
      for (const { words, url } of cited.flat()) {
        expect(url).toMatch(/^https?:/);
        expect(JSON.stringify(grounded.map(({ body }) => body))).toContain(
          JSON.stringify(words).slice(1, -1),
        );
      }
    });
  }),
);

describe("the grammar check detects errors that break clients", () => {
  const candidate = { content: { role: "model", parts: [{ text: "a" }] }, index: 0 };
  const head = { modelVersion: "m", responseId: "r", createTime: "2026-01-01T00:00:00.000Z" };
  const event = (candidates: JsonObject[], more: JsonObject = {}): string =>
    `data: ${JSON.stringify({ candidates, ...more, ...head })}\n\n`;
  const end = event([{ ...candidate, finishReason: "STOP" }]);
  const withPart = (part: JsonObject): string =>
    event([{ ...candidate, content: { role: "model", parts: [part] } }]) + end;

  test("but none in a valid stream", () => {
    expect(geminiStreamFaults(event([candidate]) + end)).toEqual([]);
  });

  test.each<[string, string]>([
    ["an end mark", `${end}data: [DONE]\n\n`],
    ["a comment", `: ping\n\n${end}`],
    ["no last blank line", end.trimEnd()],
    ["no end", event([candidate])],
    ["two ends", end + end],
    ["an error", `${end}data: {"error":{}}\n\n`],
    ["a call in pieces", withPart({ functionCall: { name: "f" } })],
    ["two kinds in one part", withPart({ text: "a", functionCall: { name: "f", args: {} } })],
    ["a signature that is not base64", withPart({ text: "a", thoughtSignature: "ü" })],
    [
      "counts that do not add up",
      event([{ ...candidate, finishReason: "STOP" }], {
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 4 },
      }),
    ],
  ])("%s", (_what, stream) => {
    expect(geminiStreamFaults(stream)).not.toEqual([]);
  });

  test("as reasoning for a client that did not request it", () => {
    const stream = withPart({ text: "a", thought: true });

    expect(geminiStreamFaults(stream)).toEqual([]);
    expect(geminiStreamFaults(stream, { showsThoughts: false })).not.toEqual([]);
  });
});

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  sampling: {},
  reasoning: { visible: true },
};

const REQUIRED = {
  candidates: [
    {
      content: { role: "model", parts: expect.any(Array) },
      finishReason: expect.any(String),
      index: 0,
      safetyRatings: expect.any(Array),
    },
  ],
  usageMetadata: { promptTokenCount: expect.any(Number), totalTokenCount: expect.any(Number) },
  modelVersion: expect.any(String),
  createTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/),
};

function decode(events: readonly SseEvent[]): Promise<ChatEvent[]> {
  return Array.fromAsync(decodeStream(gemini, each(events)));
}

async function encode(events: readonly ChatEvent[], request = REQUEST): Promise<string> {
  return (await Array.fromAsync(encodeStream(gemini, each(events), request))).join("");
}

async function argumentsIn(
  streams: readonly { file: string; sse: string }[],
  file: string,
): Promise<readonly string[] | undefined> {
  const found = streams.find((stream) => stream.file === file);
  if (found === undefined) return undefined;
  const { choices } = saidIn(await decode(nativeEvents(found.sse)));
  return choices[0]?.calls.map((call) => call.arguments);
}

/** Numbers for reasons become words. */
function named(said: SaidNatively): SaidNatively {
  const words = ["", "STOP", "MAX_TOKENS"];
  return { ...said, finish: typeof said.finish === "number" ? words[said.finish] : said.finish };
}

/** Without the calls of a stream that has them in pieces; those are compared elsewhere. */
function wholeCalls(recorded: string, chunks: readonly JsonObject[]): SaidNatively {
  const said = named(saidNatively(chunks));
  return recorded.includes("partialArgs") ? { ...said, calls: [] } : said;
}

function withoutIds(said: ReturnType<typeof saidIn>): unknown {
  const { choices, usage } = said;
  const calls = choices[0]?.calls.map(({ name, arguments: args }) => ({ name, args }));
  return { usage, choice: { ...choices[0], calls } };
}

/** Made-up ids differ from reading to reading. */
function comparable(events: readonly ChatEvent[]): unknown {
  return events.map((event) => {
    if (event.type === "open" && event.block.type === "tool_call")
      return { ...event, block: { ...event.block, id: "" } };
    return event.type === "start" ? { ...event, id: "" } : event;
  });
}

function totalOf(events: readonly ChatEvent[]): number | undefined {
  const usage = events.find((event) => event.type === "usage")?.usage;
  return usage === undefined ? undefined : usage.inputTokens + usage.outputTokens;
}

function totalIn(body: JsonObject): number | undefined {
  const usage = body["usageMetadata"];
  const total = isObject(usage) ? usage["totalTokenCount"] : undefined;
  return typeof total === "number" ? total : undefined;
}

/** Cumulative: the last is the sum. */
function lastTotal(chunks: readonly JsonObject[]): number | undefined {
  return chunks.map(totalIn).findLast((total) => total !== undefined);
}

function citationsIn(events: readonly ChatEvent[]): { words: string; url: string }[] {
  let text = "";
  const found: { words: string; url: string }[] = [];
  for (const event of events) {
    if (event.type === "open") text = "";
    else if (event.type === "delta") text += event.text;
    else if (event.type === "cite") {
      const { start = 0, end = 0, url } = event.citation;
      found.push({ words: text.slice(start, end), url });
    }
  }
  return found;
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
