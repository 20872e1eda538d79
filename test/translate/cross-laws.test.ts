import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Block, ChatEvent, ChatRequest, Message } from "#core/chat.ts";
import { FAULTS, GatewayError, type FaultCode } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import { writeSignature } from "#core/signature.ts";
import type { TextStyle } from "#core/style.ts";
import { NO_USAGE } from "#core/usage.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { readEvents, SseDecoder } from "#lib/sse.ts";
import { geminiRequestFaults } from "#test/grammar/gemini-request.ts";
import { messagesRequestFaults } from "#test/grammar/messages-request.ts";
import { SEED, times } from "#test/seed.ts";
import { hubFaults } from "./chat-answers.ts";
import { expectedOf, fitted } from "./cross-expected.ts";
import { differences, meaningOf, pairingFaults } from "./cross-meaning.ts";
import { decode, encode } from "./cross-recorded.ts";
import { SHOW_ALL, STYLES, type Judged } from "./cross-styles.ts";
import { toldIn } from "./cross-told.ts";
import { originalNames } from "#styles/text/tool-names.ts";

const EACH = STYLES.map((judged) => [judged.style.id, judged] as const);
const ISSUERS = STYLES.map(({ style }) => style.id);

/** Blank, empty, and of signs that are two UTF-16 units. */
const words = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", " ", "\n\n", "𝒳 😀", "{}", '"', "data: x\n\n", "</think>"),
);
const picture = fc.oneof(
  fc.constantFrom("https://a.example/1.png", "https://a.example/2.png").map((url): Block => ({
    type: "image",
    source: { kind: "url", url },
  })),
  fc.constantFrom("iVBORw0KGgoAAA==", "iVBORw0KGgoBBB==").map((base64): Block => ({
    type: "image",
    source: { kind: "data", base64 },
    mediaType: "image/png",
  })),
);
const text = words.map((value): Block => ({ type: "text", text: value }));
/** Of two issuers no two are the same, nor one a part of the other. */
const signature = fc.tuple(fc.constantFrom(...ISSUERS), fc.nat(1e9)).map(([issuer, n]) => ({
  issuer,
  value: Buffer.from(`${issuer}'s proof ${n}`).toString("base64"),
}));
const reasoning = fc
  .tuple(words, fc.option(signature, { nil: undefined }))
  .map(([thought, proof]): Block => ({
    type: "reasoning",
    text: thought,
    ...(proof === undefined ? {} : { signature: proof }),
  }));
const names = fc.constantFrom("f", "get_weather", "Read-File");
const args = fc.oneof(
  fc.constantFrom("", "{}", '{"x":1}', '{"a":{"b":[null,"😀"]}}', '{"cut":"of', "5", "null"),
  fc
    .dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    .map((one) => JSON.stringify(one)),
);

describe(`any conversation (seed ${SEED})`, () => {
  test.each(EACH)(
    "[A4.3-02] written for an upstream of the %s style and read back has the same text, calls and results",
    (_, to) => {
      holds(
        fc.property(orderly, (messages) => {
          const request: ChatRequest = { ...ASKED, messages };
          const { built, lost } = write(request, to.style);
          const again = read(to.style, built);
          const untold = differences(meaningOf(request), meaningOf(again)).filter(
            ({ field }) => !(field === "reasoning said" && lost.includes("reasoning")),
          );

          expect(untold).toEqual([]);
        }),
        300,
      );
    },
  );

  test.each(EACH)(
    "[A4.3-02] reaches an upstream of the %s style without others' signatures, and with its own",
    (id, to) => {
      holds(
        fc.property(orderly, (messages) => {
          const proofs = messages
            .flatMap(({ blocks }) => blocks)
            .flatMap((block) => ("signature" in block ? [block.signature] : []));
          const { built, lost } = write({ ...ASKED, messages }, to.style);
          const sent = JSON.stringify(built);

          for (const { issuer, value } of proofs) {
            if (issuer !== id) expect(sent).not.toContain(value);
            if (issuer !== id) expect(sent).not.toContain(writeSignature({ issuer, value }, id));
            if (!sent.includes(value)) expect(lost).toContain("reasoning");
          }
        }),
        300,
      );
    },
  );

  test.each(EACH)(
    "in any order, becomes one that a vendor of the %s style accepts, without a lost text",
    (_, to) => {
      holds(
        fc.property(anyhow, (messages) => {
          const request: ChatRequest = { ...ASKED, messages };
          const { built, lost } = write(request, to.style);
          const again = read(to.style, built);
          const told = JSON.stringify(meaningOf(again));

          expect(faultsOf(to.style, built)).toEqual([]);
          expect(pairingFaults(again.messages)).toEqual([]);
          for (const word of wordsIn(messages)) {
            if (!told.includes(word))
              expect([word, lost]).toEqual([
                word,
                expect.arrayContaining(["messages.tool_result"]),
              ]);
          }
        }),
        400,
      );
    },
  );
});

describe(`any tool name (seed ${SEED})`, () => {
  test.each(EACH)(
    "[A4.3-02] is accepted by a vendor of the %s style, and restored if the tool is called",
    (id, to) => {
      holds(
        fc.property(fc.uniqueArray(anyName, { minLength: 1, maxLength: 6 }), (all) => {
          const tools = all.map((name) => ({ kind: "function" as const, name }));
          const { built } = write({ ...ASKED, messages: [QUESTION], tools }, to.style);
          const written = (read(to.style, built).tools ?? []).map(({ name }) => name);
          const called = written.map((name, at) => callOf(`call_${at}`, name, "{}")).flat();
          const out = encode(to.style, [START, ...called, ...END]);
          // Spelt out, a name may be too long: then it is shortened, and the request knows it.
          const answer = decode(to.style, readEvents(out));
          const told = toldIn(answer.map(originalNames({ tools, messages: [] })));

          expect(written.filter((name) => !NAMES[id]?.test(name))).toEqual([]);
          expect(told.choices[0]?.calls.map(({ name }) => name)).toEqual(all);
        }),
        300,
      );
    },
  );
});

/** Short enough for every vendor, also where each of its characters must be spelt out. */
const anyName = fc
  .oneof(
    fc.constantFrom(
      "a.b",
      "mcp::tool",
      "1 x",
      "ünï",
      "g_x2e_h",
      "_.x",
      "f.-text",
      "f_xtext_",
      "😀",
    ),
    fc.string({ minLength: 1, maxLength: 12 }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
  )
  .filter((name) => [...name].length <= 14);

/** As their vendors publish them. */
const NAMES: Readonly<Record<string, RegExp>> = {
  chat: /^[A-Za-z0-9_-]+$/,
  responses: /^[A-Za-z0-9_-]+$/,
  messages: /^[A-Za-z0-9_-]{1,128}$/,
  gemini: /^[A-Za-z_][A-Za-z0-9_.:-]*$/,
};

describe(`any response (seed ${SEED})`, () => {
  test.each(EACH)(
    "[A6-a] [A6-b] is a valid stream for clients of the %s style, without a loss",
    (_, to) => {
      holds(
        fc.property(anyAnswer, (events) => {
          const out = encode(to.style, events);
          const again = decode(to.style, readEvents(out));
          const wanted = expectedOf(events, undefined, to, "stream");

          expect(to.streamFaults(out)).toEqual([]);
          expect(hubFaults(again)).toEqual([]);
          expect(fitted(toldIn(again), undefined, to)).toEqual(wanted);
          expect(fitted(to.reader.readStream(out), undefined, to)).toEqual(wanted);
        }),
        400,
      );
    },
  );

  test.each(EACH)(
    "[A2.3] [A2.4] [A2.5] [A2.6] has the same complete content for clients of the %s style",
    (_, to) => {
      holds(
        fc.property(anyAnswer, (events) => {
          const text = JSON.stringify(to.style.inbound.buildResponse(events, SHOW_ALL));
          const body = parseJson(text);
          const again = decode(to.style, isObject(body) ? body : {});
          const wanted = expectedOf(events, undefined, to, "whole");

          expect(fitted(toldIn(again), undefined, to)).toEqual(wanted);
          expect(fitted(to.reader.readWhole(isObject(body) ? body : {}), undefined, to)).toEqual(
            wanted,
          );
        }),
        400,
      );
    },
  );

  test.each(EACH)("[A6-a] [A6-b] of the %s style has the same content with any split", (_, to) => {
    holds(
      fc.property(
        anyAnswer,
        fc.infiniteStream(fc.integer({ min: 1, max: 60 })),
        (events, sizes) => {
          const bytes = new TextEncoder().encode(encode(to.style, events));
          const sse = new SseDecoder(1_000_000);
          const wire = [];
          for (let at = 0; at < bytes.length;) {
            const end = at + (sizes.next().value ?? 1);
            wire.push(...sse.push(bytes.subarray(at, end)));
            at = end;
          }
          wire.push(...sse.end());

          expect(wire).toEqual(readEvents(new TextDecoder().decode(bytes)));
          expect(toldIn(decode(to.style, wire))).toEqual(
            toldIn(decode(to.style, readEvents(new TextDecoder().decode(bytes)))),
          );
        },
      ),
      200,
    );
  });

  test.each(EACH)(
    "[A7] that fails at any point is a failed stream of the %s style, and never an end",
    (id, to) => {
      holds(
        fc.property(anyAnswer, fc.nat(), fc.constantFrom(...CODES), (events, place, code) => {
          const encoder = to.style.inbound.openEncoder(SHOW_ALL);
          const before = events
            .slice(0, place % events.length)
            .map((event) => encoder.encode(event));
          const out = before.join("") + encoder.fail(new GatewayError(code, "It broke."));
          const last = readEvents(out).at(-1);

          expect(failureOf(to, out)).toBeInstanceOf(GatewayError);
          expect(last?.data).toContain("It broke.");
          expect(out).not.toMatch(ENDS[id] ?? /./);
          expect(out.endsWith("\n\n")).toBe(true);
          if (id === "responses") expect(to.streamFaults(out)).toEqual([]);
        }),
        400,
      );
    },
  );

  test.each(EACH)("[A6-a] [A6-b] without an end gets none in the %s style", (_, to) => {
    holds(
      fc.property(anyAnswer, (events) => {
        const unended = events.filter(({ type }) => type !== "finish");

        expect(() => encode(to.style, unended)).toThrow(GatewayError);
      }),
      50,
    );
  });

  test.each(EACH)(
    "[A6-a] [A6-b] of the %s style that breaks off anywhere is a failure",
    (id, to) => {
      holds(
        fc.property(anyAnswer, fc.nat(), (events, place) => {
          const frames = encode(to.style, events).split(/(?<=\n\n)/);
          const end = frames.findIndex((frame) => (MARKS[id] ?? /./).test(frame));
          const out = frames.slice(0, place % (end + 1)).join("");

          expect(failureOf(to, out)).toBeInstanceOf(GatewayError);
        }),
        200,
      );
    },
  );
});

/** What ends a stream well. */
const ENDS: Readonly<Record<string, RegExp>> = {
  chat: /data: \[DONE\]/,
  responses: /event: response\.(completed|incomplete)/,
  messages: /event: message_stop/,
  gemini: /"finishReason"/,
};

/** From where on a stream may have been whole. */
const MARKS: Readonly<Record<string, RegExp>> = {
  ...ENDS,
  chat: /"finish_reason":"/,
  messages: /event: message_delta/,
};

const CODES = Object.keys(FAULTS).filter((code): code is FaultCode => code in FAULTS);

function failureOf({ style }: Judged, stream: string): unknown {
  try {
    return decode(style, readEvents(stream));
  } catch (error) {
    return error;
  }
}

const START: ChatEvent = {
  type: "start",
  id: "a".repeat(24),
  model: "m",
  createdAt: 1_700_000_000_000,
};
const END: readonly ChatEvent[] = [
  { type: "finish", choice: 0, reason: "tool_calls" },
  { type: "usage", usage: { ...NO_USAGE, inputTokens: 3, outputTokens: 2 } },
];

function callOf(id: string, name: string, written: string): readonly ChatEvent[] {
  return [
    { type: "open", choice: 0, block: { type: "tool_call", id, name, kind: "function" } },
    { type: "delta", choice: 0, text: written },
    { type: "close", choice: 0 },
  ];
}

/** Cut between any two units, also those of one sign. */
const pieces = fc
  .tuple(fc.oneof(words, fc.lorem()), fc.array(fc.nat({ max: 40 }), { maxLength: 4 }))
  .map(([whole, places]) => {
    const cuts = [0, ...places.map((at) => Math.min(at, whole.length)), whole.length].sort(
      (a, b) => a - b,
    );
    return cuts.slice(1).map((end, n) => whole.slice(cuts[n], end));
  });

type Piece = readonly ChatEvent[];

const said = fc
  .tuple(fc.constantFrom("text", "refusal" as const), pieces, fc.boolean())
  .map(([type, parts, isCited]): Piece => [
    { type: "open", choice: 0, block: { type } },
    ...parts.map((part): ChatEvent => ({ type: "delta", choice: 0, text: part })),
    ...(isCited && type === "text" ? [CITE] : []),
    { type: "close", choice: 0 },
  ]);

const CITE: ChatEvent = {
  type: "cite",
  choice: 0,
  citation: { url: "https://a.example/", title: "A" },
};

const thought = fc
  .tuple(pieces, fc.option(signature, { nil: undefined }))
  .map(([parts, proof]): Piece => [
    { type: "open", choice: 0, block: { type: "reasoning" } },
    ...parts.map((part): ChatEvent => ({ type: "delta", choice: 0, text: part })),
    { type: "close", choice: 0, ...(proof === undefined ? {} : { signature: proof }) },
  ]);

const called = fc
  .tuple(names, args, fc.nat({ max: 20 }), fc.option(signature, { nil: undefined }))
  .map(([name, written, cut, proof]): Piece => [
    { type: "open", choice: 0, block: { type: "tool_call", id: "", name, kind: "function" } },
    ...[written.slice(0, cut), written.slice(cut)]
      .filter((part) => part !== "")
      .map((part): ChatEvent => ({ type: "delta", choice: 0, text: part })),
    { type: "close", choice: 0, ...(proof === undefined ? {} : { signature: proof }) },
  ]);

const shown = fc.constantFrom("iVBORw0KGgo=", "/9j/4AAQ").map((data): Piece => [
  { type: "open", choice: 0, block: { type: "image", mediaType: "image/png" } },
  { type: "delta", choice: 0, text: data },
  { type: "close", choice: 0 },
]);

const count = fc.nat({ max: 50_000 });
const usage = fc
  .tuple(count, count, count, count)
  .map(([plain, cached, visible, hidden]): ChatEvent => ({
    type: "usage",
    usage: {
      ...NO_USAGE,
      inputTokens: plain + cached + 1,
      cachedInputTokens: cached,
      outputTokens: visible + hidden,
      reasoningTokens: hidden,
    },
  }));

/** Blocks in any order, and a reason that goes with them. */
const anyAnswer = fc
  .tuple(
    fc.array(fc.oneof(said, said, thought, called, called, shown), { maxLength: 7 }),
    fc.constantFrom("stop", "length", "content_filter", "other" as const),
    usage,
  )
  .map(([blocks, reason, used]): readonly ChatEvent[] => {
    const events = blocks.flat().map(withId);
    const hasCalls = events.some(
      (event) => event.type === "open" && event.block.type === "tool_call",
    );
    const isDefault = reason === "stop" || reason === "other";
    return [
      START,
      ...events,
      { type: "finish", choice: 0, reason: hasCalls && isDefault ? "tool_calls" : reason },
      used,
    ];
  });

function withId(event: ChatEvent, at: number): ChatEvent {
  return event.type === "open" && event.block.type === "tool_call"
    ? { ...event, block: { ...event.block, id: `call_${at}` } }
    : event;
}

const ASKED: ChatRequest = { model: "m", messages: [], stream: true, sampling: {} };

interface Step {
  readonly asked: readonly Block[];
  readonly instruction: string | undefined;
  readonly reasoned: readonly Block[];
  readonly said: readonly Block[];
  readonly calls: readonly { readonly name: string; readonly args: string }[];
  /** How each call is answered; `undefined` where its caller was interrupted. */
  readonly answers: readonly (Answer | undefined)[];
}

interface Answer {
  readonly said: string;
  readonly isError: boolean;
  readonly shown: readonly Block[];
}

const answer = fc.record({
  said: words,
  isError: fc.boolean(),
  shown: fc.array(picture, { maxLength: 1 }),
});
const step: fc.Arbitrary<Step> = fc.record({
  asked: fc.array(fc.oneof(text, picture), { maxLength: 3 }),
  instruction: fc.option(words, { nil: undefined, freq: 4 }),
  reasoned: fc.array(reasoning, { maxLength: 2 }),
  said: fc.array(text, { maxLength: 2 }),
  calls: fc.array(fc.record({ name: names, args }), { maxLength: 3 }),
  answers: fc.array(fc.option(answer, { nil: undefined, freq: 5 }), { minLength: 3, maxLength: 3 }),
});

const QUESTION: Message = { role: "user", blocks: [{ type: "text", text: "And?" }] };

/** Everything in its place; but calls without answers, and instructions between the turns. */
const orderly = fc
  .array(step, { maxLength: 4 })
  .map((steps) => [...steps.flatMap((one, at) => messagesOf(one, at)), QUESTION]);

function messagesOf(
  { asked, instruction, reasoned, said, calls, answers }: Step,
  at: number,
): readonly Message[] {
  return [
    ...(instruction === undefined
      ? []
      : [{ role: "system" as const, blocks: [{ type: "text" as const, text: instruction }] }]),
    { role: "user", blocks: asked },
    {
      role: "assistant",
      blocks: [
        ...reasoned,
        ...said,
        ...calls.map(({ name, args: written }, n): Block => ({
          type: "tool_call",
          id: `call_${at}_${n}`,
          name,
          arguments: written,
          kind: "function",
        })),
      ],
    },
    ...calls.flatMap((_, n): Message[] => {
      const given = answers[n];
      if (given === undefined) return [];
      const blocks: Block[] = [{ type: "text", text: given.said }, ...given.shown];
      const result: Block = {
        type: "tool_result",
        callId: `call_${at}_${n}`,
        blocks,
        ...(given.isError ? { isError: true } : {}),
      };
      return [{ role: "tool", blocks: [result] }];
    }),
  ];
}

const ids = fc.constantFrom("a", "b", "c", "a b/c", "x".repeat(80));
const mark = fc.nat(1e6).map((n) => `word${n}.`);
const markedText = mark.map((said): Block => ({ type: "text", text: said }));
const markedCall = fc.tuple(ids, names, mark).map(([id, name, said]): Block => ({
  type: "tool_call",
  id,
  name,
  arguments: JSON.stringify({ said }),
  kind: "function",
}));
const markedResult = fc
  .tuple(ids, mark, fc.boolean(), fc.array(picture, { maxLength: 1 }))
  .map(([callId, said, isError, shown]): Block => ({
    type: "tool_result",
    callId,
    blocks: [{ type: "text", text: said }, ...shown],
    ...(isError ? { isError } : {}),
  }));
const saidBy = {
  system: fc.array(markedText, { maxLength: 2 }),
  developer: fc.array(markedText, { maxLength: 2 }),
  user: fc.array(fc.oneof(markedText, markedResult, picture), { maxLength: 3 }),
  assistant: fc.array(fc.oneof(markedText, markedCall, reasoning), { maxLength: 4 }),
  tool: fc.array(markedResult, { minLength: 1, maxLength: 2 }),
};

/** Results before their calls or long after them or of no call, calls with one id, and instructions anywhere. */
const anyhow = fc
  .array(
    fc
      .constantFrom("system", "developer", "user", "assistant", "tool" as const)
      .chain((role) => saidBy[role].map((blocks): Message => ({ role, blocks }))),
    { maxLength: 8 },
  )
  .map((messages) => [...messages, QUESTION]);

/** Texts, arguments and results; each is a word of its own. */
function wordsIn(messages: readonly Message[]): readonly string[] {
  const blocks = messages.flatMap((message) => message.blocks);
  return JSON.stringify(blocks).match(/word\d+\./g) ?? [];
}

function faultsOf({ id }: TextStyle, body: JsonObject): readonly string[] {
  if (id === "messages") return messagesRequestFaults(body);
  return id === "gemini" ? geminiRequestFaults(body) : [];
}

function holds<T>(property: fc.IPropertyWithHooks<T> | fc.IProperty<T>, runs: number): void {
  fc.assert(property, { seed: SEED, numRuns: times(Math.ceil(runs / 2), runs * 30) });
}

function write(
  request: ChatRequest,
  { outbound }: TextStyle,
): { readonly built: JsonObject; readonly lost: readonly string[] } {
  const report = new LossReport();
  const built = parseJson(JSON.stringify(outbound.buildRequest(request, { report, model: {} })));
  return { built: isObject(built) ? built : {}, lost: report.fields };
}

function read({ inbound }: TextStyle, body: JsonObject): ChatRequest {
  return inbound.parseRequest(body, inbound.readRequest(body, { model: "m", stream: true }));
}
