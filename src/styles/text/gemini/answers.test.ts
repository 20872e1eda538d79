import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { NO_USAGE } from "#core/usage.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { geminiStreamFaults } from "#test/grammar/gemini.ts";
import { SEED, times } from "#test/seed.ts";
import { hubFaults, saidIn, type SaidChoice } from "#test/translate/chat-answers.ts";
import { decodeSse, decodeStream, encodeStream } from "#test/translate/streams.ts";
import { parseMessages } from "./conversation/content-in.ts";
import { gemini } from "./index.ts";
import { joinParts } from "./conversation/join-parts.ts";

const REQUEST: ChatRequest = {
  model: "asked",
  messages: [],
  stream: true,
  sampling: {},
  reasoning: { visible: true },
};
const HEAD = { modelVersion: "m", responseId: "r", createTime: "2026-01-02T03:04:05.678901Z" };
const STOP = chunk([], { finishReason: "STOP", safetyRatings: [] });

/** One chunk with one candidate. */
function chunk(parts: Json[], more: JsonObject = {}): JsonObject {
  return { candidates: [{ content: { role: "model", parts }, index: 0, ...more }], ...HEAD };
}

async function decoded(chunks: readonly Json[]): Promise<ChatEvent[]> {
  const data = chunks.map((one) => ({
    data: typeof one === "string" ? one : JSON.stringify(one),
  }));
  const events = await Array.fromAsync(decodeStream(gemini, each(data)));
  expect(hubFaults(events)).toEqual([]);
  return events;
}

async function said(chunks: readonly Json[]): Promise<SaidChoice | undefined> {
  return saidIn(await decoded(chunks)).choices[0];
}

async function encoded(events: readonly ChatEvent[], request = REQUEST): Promise<string> {
  return (await Array.fromAsync(encodeStream(gemini, each(events), request))).join("");
}

function chunksIn(stream: string): JsonObject[] {
  return readEvents(stream).map(({ data }) => JSON.parse(data));
}

function partsIn(stream: string): Json[] {
  return chunksIn(stream).flatMap((one) => answerIn(one).candidates[0]?.content.parts ?? []);
}

function answerIn(json: JsonObject): Answer {
  return JSON.parse(JSON.stringify(json));
}

interface Answer {
  readonly candidates: readonly { readonly content: { readonly parts: readonly Json[] } }[];
}

async function failure(run: Promise<unknown>): Promise<string> {
  return run.then(
    () => "no failure",
    (error: unknown) => (error instanceof GatewayError ? error.code : String(error)),
  );
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** A choice of the hub. */
function choice(...events: DistributedOmit[]): ChatEvent[] {
  return [
    { type: "start", id: "abc", model: "m", createdAt: Date.UTC(2026, 0, 2) },
    ...events.map((event) => ({ ...event, choice: 0 }) as ChatEvent),
  ];
}

type DistributedOmit = ChatEvent extends infer E
  ? E extends { choice: number }
    ? Omit<E, "choice">
    : never
  : never;

const USAGE: ChatEvent = {
  type: "usage",
  usage: { ...NO_USAGE, inputTokens: 7, cachedInputTokens: 2, outputTokens: 5, reasoningTokens: 3 },
};
const TEXT: DistributedOmit = { type: "open", block: { type: "text" } };
const CALL: DistributedOmit = {
  type: "open",
  block: { type: "tool_call", id: "call_1", name: "f", kind: "function" },
};
const CLOSE: DistributedOmit = { type: "close" };
const END: DistributedOmit = { type: "finish", reason: "stop" };

function delta(text: string): DistributedOmit {
  return { type: "delta", text };
}

describe("an upstream's response becomes blocks", () => {
  test("of reasoning, text and calls, one after the other", async () => {
    const events = await decoded([
      chunk([{ text: "why", thought: true }]),
      chunk([{ text: "a" }]),
      chunk([{ text: "b" }, { functionCall: { id: "1", name: "f", args: { x: 1 } } }]),
      chunk([{ functionCall: { name: "g" } }]),
      STOP,
    ]);

    expect(saidIn(events).choices[0]).toMatchObject({
      reasoning: "why",
      text: "ab",
      calls: [
        { id: "1", name: "f", arguments: '{"x":1}' },
        { name: "g", arguments: "{}" },
      ],
      finish: "tool_calls",
    });
    expect(events[0]).toMatchObject({ type: "start", id: "r", model: "m" });
    expect(events[0]).toHaveProperty("createdAt", Date.parse(HEAD.createTime));
  });

  test("calls without an id get an id", async () => {
    const events = await said([
      chunk([{ functionCall: { name: "f", args: {} } }, { functionCall: { name: "f", args: {} } }]),
      STOP,
    ]);
    const ids = events?.calls.map((call) => call.id) ?? [];

    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^call_[A-Za-z0-9]{24}$/);
  });

  test("arguments in parts are merged, and the next call ends the one before", async () => {
    const pieces = (...partialArgs: JsonObject[]): JsonObject => ({
      functionCall: { partialArgs, willContinue: true },
    });
    const events = await said([
      chunk([{ functionCall: { name: "f", willContinue: true } }]),
      chunk([pieces({ jsonPath: "$.a[1].b", stringValue: "on", willContinue: true })]),
      chunk([pieces({ jsonPath: "$.a[1].b", stringValue: "e" })]),
      chunk([
        pieces({ jsonPath: "$['x y']", boolValue: true }, { jsonPath: "$.n", nullValue: null }),
      ]),
      chunk([
        pieces(
          { jsonPath: "$.__proto__.z", numberValue: 1 },
          { jsonPath: "$.a[99999]", numberValue: 1 },
        ),
      ]),
      chunk([{ functionCall: { name: "g", willContinue: true } }]),
      STOP,
    ]);

    expect(events?.calls).toMatchObject([
      { name: "f", arguments: '{"a":[null,{"b":"one"}],"x y":true,"n":null}' },
      { name: "g", arguments: "{}" },
    ]);
  });

  test("a call of a tool with an escaped name is a call of that tool", async () => {
    const calls = [
      { functionCall: { name: "_.1.20tool.3ax", args: {} } },
      { functionCall: { name: "patch.-text", args: { input: "*** x" } } },
    ];
    const events = await decoded([chunk(calls), STOP]);

    expect(saidIn(events).choices[0]?.calls).toMatchObject([
      { name: "1 tool:x", arguments: "{}" },
      { name: "patch", arguments: "*** x" },
    ]);
    expect(events.flatMap((one) => (one.type === "open" ? [one.block] : []))).toMatchObject([
      { kind: "function" },
      { kind: "custom" },
    ]);
  });

  test("a signature stays with its content", async () => {
    const proof = (value: string): JsonObject => ({ issuer: "gemini", value });
    const events = await decoded([
      chunk([{ text: "why", thought: true, thoughtSignature: "MQ==" }]),
      chunk([{ text: "a" }]),
      chunk([{ text: "b", thoughtSignature: "Mg==" }]),
      chunk([{ text: "c" }, { text: "", thoughtSignature: "Mw==" }]),
      chunk([{ functionCall: { name: "f" }, thoughtSignature: "NA==" }]),
      chunk([{ text: "", thoughtSignature: "NQ==" }]),
      STOP,
    ]);
    const closed = events.flatMap((event) => (event.type === "close" ? [event.signature] : []));

    expect<unknown>(closed).toEqual(["MQ==", "Mg==", "Mw==", "NA==", "NQ=="].map(proof));
    expect(events.flatMap((one) => (one.type === "open" ? [one.block.type] : []))).toEqual([
      "reasoning",
      "text",
      "text",
      "tool_call",
      "reasoning",
    ]);
  });

  test("[A4.7-e] an image is a block, but one within the reasoning is no result", async () => {
    const picture = (data: string): JsonObject => ({ inlineData: { mimeType: "image/png", data } });
    const events = await said([
      chunk([{ ...picture("draft"), thought: true }, picture("final")]),
      STOP,
    ]);

    expect(events?.images).toEqual(["final"]);
  });

  test("audio in parts is one recording", async () => {
    const sound = (data: string): JsonObject => ({ inlineData: { mimeType: "audio/L16", data } });
    const events = await decoded([chunk([sound("AAAA")]), chunk([sound("BBBB")]), STOP]);

    expect(saidIn(events).choices[0]?.audio).toBe("AAAABBBB");
    expect(events.filter((event) => event.type === "open")).toHaveLength(1);
  });

  test("content of this style only is kept for clients of this style", async () => {
    const part = { executableCode: { language: "PYTHON", code: "1" } };
    const events = await decoded([chunk([{ text: "a" }, part, { text: "b" }]), STOP]);

    expect(events).toContainEqual({
      type: "open",
      choice: 0,
      block: { type: "other", style: "gemini", data: part },
    });
    expect(partsIn(await encoded(events))).toEqual([
      { text: "a" },
      part,
      { text: "b" },
      { text: "" },
    ]);
  });

  test("several candidates are several choices", async () => {
    const events = await decoded([
      {
        candidates: [
          { content: { parts: [{ text: "a" }] } },
          { content: { parts: [{ text: "b" }] }, index: 1 },
        ],
      },
      { candidates: [{ index: 1, finishReason: "STOP" }] },
      { candidates: [{ index: 0, finishReason: "MAX_TOKENS" }] },
    ]);

    expect(saidIn(events).choices).toMatchObject({
      0: { text: "a", finish: "length" },
      1: { text: "b", finish: "stop" },
    });
    expect(geminiStreamFaults(await encoded(events))).toEqual([]);
  });

  test("probabilities come with their tokens", async () => {
    const logprobsResult = {
      chosenCandidates: [{ token: "ü", tokenId: 5, logProbability: -0.5 }],
      topCandidates: [{ candidates: [{ token: "u", logProbability: -1 }] }],
    };
    const events = await decoded([chunk([{ text: "ü" }], { logprobsResult }), STOP]);

    expect(saidIn(events).choices[0]?.logprobs).toEqual([
      {
        token: "ü",
        logprob: -0.5,
        bytes: [195, 188],
        top_logprobs: [{ token: "u", logprob: -1, bytes: [117] }],
      },
    ]);
    expect(chunksIn(await encoded(events))).toContainEqual(
      expect.objectContaining({
        candidates: [expect.objectContaining({ logprobsResult })],
      }),
    );
  });
});

describe("[A2.6] sources are cited at their positions", () => {
  const metadata = (segments: JsonObject[]): JsonObject => ({
    groundingChunks: [
      { web: { uri: "https://a.example", title: "A" } },
      { web: { uri: "https://b.example" } },
    ],
    groundingSupports: segments.map((segment, at) => ({
      segment,
      groundingChunkIndices: at === 0 ? [0] : [0, 1],
    })),
  });

  test("from bytes to UTF-16 units", async () => {
    const groundingMetadata = metadata([
      { endIndex: 7, text: "Grüße" },
      { startIndex: 8, endIndex: 12, text: "👋" },
    ]);
    const events = await decoded([
      chunk([{ text: "Grüße " }]),
      chunk([{ text: "👋" }], { finishReason: "STOP", groundingMetadata }),
    ]);
    const cited = events.flatMap((event) => (event.type === "cite" ? [event.citation] : []));

    expect(cited).toEqual([
      { url: "https://a.example", title: "A", start: 0, end: 5 },
      { url: "https://a.example", title: "A", start: 6, end: 8 },
      { url: "https://b.example", start: 6, end: 8 },
    ]);
  });

  test("and from UTF-16 units to bytes", async () => {
    const events = choice(
      TEXT,
      delta("Grüße "),
      CLOSE,
      TEXT,
      delta("an 👋 alle"),
      { type: "cite", citation: { url: "https://a.example", title: "A", start: 3, end: 5 } },
      { type: "cite", citation: { url: "https://b.example" } },
      CLOSE,
      END,
    );
    const groundingMetadata = {
      groundingChunks: [
        { web: { uri: "https://a.example", title: "A" } },
        { web: { uri: "https://b.example" } },
      ],
      groundingSupports: [
        { segment: { startIndex: 11, endIndex: 15, text: "👋" }, groundingChunkIndices: [0] },
      ],
    };

    expect(chunksIn(await encoded(events)).at(-1)).toMatchObject({
      candidates: [{ groundingMetadata }],
    });
    expect(gemini.inbound.buildResponse(events, REQUEST)).toMatchObject({
      candidates: [{ groundingMetadata }],
    });
  });

  test("moved text is found again, and an invalid position is omitted", async () => {
    const groundingMetadata = metadata([{ startIndex: 90, endIndex: 99, text: "b" }]);
    const lost = metadata([{ startIndex: 0, endIndex: 1, text: "zz" }]);
    const place = async (found: JsonObject): Promise<Json | undefined> => {
      const events = await decoded([
        chunk([{ text: "ab" }], { finishReason: "STOP", groundingMetadata: found }),
      ]);
      const cited = events.find((event) => event.type === "cite");
      return cited === undefined ? undefined : { ...cited.citation };
    };

    expect(await place(groundingMetadata)).toMatchObject({ start: 1, end: 2 });
    expect(await place(lost)).toEqual({ url: "https://a.example", title: "A" });
  });

  test("sources without positions are cited as well", async () => {
    const events = await said([
      chunk([{ functionCall: { name: "f" } }], {
        finishReason: "STOP",
        groundingMetadata: metadata([]),
      }),
    ]);

    expect(events?.citations).toEqual(["https://a.example", "https://b.example"]);
  });
});

describe("the finish reason of a response", () => {
  test.each<[string, string]>([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["IMAGE_SAFETY", "content_filter"],
    ["SPII", "content_filter"],
    ["BLOCKLIST", "content_filter"],
    ["OTHER", "other"],
    ["LANGUAGE", "other"],
    ["BRAND_NEW", "other"],
  ])("%s is %s", async (finishReason, expected) => {
    expect(await said([chunk([{ text: "a" }], { finishReason })])).toMatchObject({
      finish: expected,
    });
  });

  test("of calls is the plain stop; a cut stays a cut", async () => {
    const call = { functionCall: { name: "f" } };
    const reason = async (finishReason: string): Promise<string | undefined> =>
      (await said([chunk([call], { finishReason })]))?.finish;

    expect(await reason("STOP")).toBe("tool_calls");
    expect(await reason("UNEXPECTED_TOOL_CALL")).toBe("tool_calls");
    expect(await reason("MAX_TOKENS")).toBe("length");
  });

  test("without content is still a valid response", async () => {
    expect(await said([{ candidates: [{ finishReason: "MAX_TOKENS" }] }])).toMatchObject({
      text: "",
      finish: "length",
    });
  });

  test("in the middle is not the end", async () => {
    const events = await said([
      chunk([{ functionCall: { name: "f" } }], { finishReason: "STOP" }),
      chunk([{ text: "more" }]),
      STOP,
    ]);

    expect(events).toMatchObject({ text: "more", finish: "tool_calls" });
  });

  test.each<[string, Json[], string]>([
    ["without a reason", [chunk([{ text: "a" }])], "upstream_failed"],
    [
      "with a reason for one of two",
      [{ candidates: [{ finishReason: "STOP" }, { index: 1 }] }],
      "upstream_failed",
    ],
    ["without a candidate", [{ usageMetadata: { promptTokenCount: 1 } }], "upstream_failed"],
    ["with nothing", [], "upstream_failed"],
    [
      "with a call that cannot be read",
      [chunk([], { finishReason: "MALFORMED_FUNCTION_CALL" })],
      "upstream_failed",
    ],
    ["with broken JSON", ['{"candidates":['], "upstream_failed"],
    [
      "with an error",
      [chunk([{ text: "a" }]), { error: { code: 429, status: "RESOURCE_EXHAUSTED" } }],
      "upstream_rate_limited",
    ],
    [
      "with an error in a list",
      [[{ error: { code: 500, status: "INTERNAL" } }]],
      "upstream_failed",
    ],
    ["with a blocked prompt", [{ promptFeedback: { blockReason: "SAFETY" } }], "content_filtered"],
  ])("a response %s is a failure", async (_what, chunks, code) => {
    expect(await failure(decoded(chunks))).toBe(code);
  });

  test("keep-alive data of a server is ignored", async () => {
    expect(
      await said(["hello", "null", "[]", "[DONE]", chunk([{ text: "a" }]), STOP]),
    ).toMatchObject({ text: "a" });
  });
});

describe("the usage of a response", () => {
  function usage(wire: JsonObject): unknown {
    const events = gemini.outbound.parseResponse({ ...STOP, usageMetadata: wire });
    return events.find((event) => event.type === "usage")?.usage;
  }

  test("counts reasoning as output, and the input of the vendor's own tools as input", () => {
    expect(
      usage({
        promptTokenCount: 10,
        cachedContentTokenCount: 4,
        toolUsePromptTokenCount: 100,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 40,
        totalTokenCount: 155,
        promptTokensDetails: [
          { modality: "TEXT", tokenCount: 7 },
          { modality: "AUDIO", tokenCount: 3 },
        ],
        candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 2 }],
      }),
    ).toEqual({
      inputTokens: 110,
      cachedInputTokens: 4,
      cacheWriteTokens: 0,
      audioInputTokens: 3,
      outputTokens: 45,
      reasoningTokens: 40,
      audioOutputTokens: 2,
      servedBy: "m",
      isEstimated: false,
    });
  });

  test.each<[string, JsonObject, [number, number] | undefined]>([
    [
      "only thoughts",
      { promptTokenCount: 7, thoughtsTokenCount: 19, totalTokenCount: 26 },
      [7, 19],
    ],
    ["a missing part that the total has", { promptTokenCount: 7, totalTokenCount: 10 }, [7, 3]],
    [
      "a tool's part that the prompt has already",
      {
        promptTokenCount: 7,
        toolUsePromptTokenCount: 5,
        candidatesTokenCount: 1,
        totalTokenCount: 8,
      },
      [7, 1],
    ],
    ["nothing", {}, undefined],
    ["zeros", { promptTokenCount: 0, candidatesTokenCount: 0 }, undefined],
    ["wrong types", { promptTokenCount: "7", candidatesTokenCount: null }, undefined],
    ["impossible counts", { promptTokenCount: -7, candidatesTokenCount: 1 }, undefined],
  ])("%s", (_what, wire, expected) => {
    const found = usage(wire) as { inputTokens: number; outputTokens: number } | undefined;

    expect(found === undefined ? undefined : [found.inputTokens, found.outputTokens]).toEqual(
      expected,
    );
  });

  test("[A2.6] has the style's five counts, with reasoning counted separately", async () => {
    const events = [...choice(TEXT, delta("a"), CLOSE, END), USAGE];
    const usageMetadata = {
      promptTokenCount: 7,
      candidatesTokenCount: 2,
      totalTokenCount: 12,
      thoughtsTokenCount: 3,
      cachedContentTokenCount: 2,
    };

    expect(gemini.inbound.buildResponse(events, REQUEST)["usageMetadata"]).toEqual(usageMetadata);
    expect(chunksIn(await encoded(events)).at(-1)?.["usageMetadata"]).toEqual(usageMetadata);
  });
});

describe("a stream for a client of this style", () => {
  test("[A4.7-b] [A2.6] is responses in parts; the last has the finish reason and the usage", async () => {
    const events = [...choice(TEXT, delta("a"), delta("b"), CLOSE, END), USAGE];
    const stream = await encoded(events);
    const head = { modelVersion: "m", createTime: "2026-01-02T00:00:00.000Z", responseId: "abc" };

    expect(geminiStreamFaults(stream)).toEqual([]);
    expect(chunksIn(stream)).toMatchObject([
      { candidates: [{ content: { parts: [{ text: "a" }], role: "model" }, index: 0 }], ...head },
      { candidates: [{ content: { parts: [{ text: "b" }] } }], ...head },
      { candidates: [{ finishReason: "STOP", safetyRatings: [] }], usageMetadata: {}, ...head },
    ]);
  });

  test("sends a call as a whole, with its id", async () => {
    const events = choice(CALL, delta('{"x"'), delta(":1}"), CLOSE, {
      type: "finish",
      reason: "tool_calls",
    });
    const stream = await encoded(events);

    expect(geminiStreamFaults(stream)).toEqual([]);
    expect(partsIn(stream)).toEqual([
      { functionCall: { id: "call_1", name: "f", args: { x: 1 } } },
      { text: "" },
    ]);
    expect(chunksIn(stream).at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }] });
  });

  test("adds no id to a call of an upstream of the same style", async () => {
    const events = await decoded([chunk([{ functionCall: { name: "f", args: {} } }]), STOP]);

    expect(partsIn(await encoded(events))[0]).toEqual({ functionCall: { name: "f", args: {} } });
  });

  test("shows reasoning to clients that requested it, with its signature of any vendor", async () => {
    const signature = { issuer: "messages", value: "p" };
    const events = choice(
      { type: "open", block: { type: "reasoning" } },
      delta("why"),
      { type: "close", signature },
      TEXT,
      delta("a"),
      CLOSE,
      END,
    );
    const shown = await encoded(events);
    const hidden = await encoded(events, { ...REQUEST, reasoning: {} });

    expect(geminiStreamFaults(shown)).toEqual([]);
    expect(partsIn(shown)).toMatchObject([
      { text: "why", thought: true },
      { text: "", thought: true, thoughtSignature: expect.any(String) },
      { text: "a" },
      { text: "" },
    ]);
    expect(partsIn(hidden)).toEqual([{ text: "a" }, { text: "" }]);
    expect(geminiStreamFaults(hidden, { showsThoughts: false })).toEqual([]);
  });

  describe("a signature of another style's reasoning without text opens no response", () => {
    const signature = { issuer: "responses", value: "p" };
    const thinking = [
      { type: "open", block: { type: "reasoning" } },
      { type: "close", signature },
    ] as const;

    test.each<[string, Parameters<typeof choice>, readonly object[]]>([
      [
        "text, whose end carries it",
        [TEXT, delta("a"), delta("b"), CLOSE],
        [
          { type: "reasoning", signature },
          { type: "text", text: "ab" },
        ],
      ],
      [
        "a call",
        [CALL, CLOSE],
        [
          { type: "reasoning", signature },
          { type: "tool_call", name: "f" },
        ],
      ],
      [
        "text and a call",
        [TEXT, delta("a"), CLOSE, CALL, CLOSE],
        [
          { type: "reasoning", signature },
          { type: "text", text: "a" },
          { type: "tool_call", name: "f" },
        ],
      ],
      ["nothing", [], [{ type: "reasoning", signature }]],
    ])("before %s", async (_, said, blocks) => {
      const events = choice(...thinking, ...said, END);
      const streamed = partsIn(await encoded(events)).slice(0, -1);
      const whole = answerIn(gemini.inbound.buildResponse(events, REQUEST)).candidates[0];
      const parts = whole?.content.parts ?? [];

      expect(streamed[0]).not.toMatchObject(said.length > 0 ? { text: "" } : { text: "a" });
      expect(parts.length).toBe(Math.max(1, blocks.length - 1));
      for (const sent of [joinParts(streamed.filter(isObject)), parts]) {
        const [back] = parseMessages({ contents: [{ role: "model", parts: sent }] });
        expect(back?.blocks).toMatchObject(blocks);
      }
    });
  });

  test("[A4.7-e] an image is sent as a whole, audio as it arrives", async () => {
    const events = choice(
      { type: "open", block: { type: "image", mediaType: "image/webp" } },
      delta("AA"),
      delta("BB"),
      CLOSE,
      { type: "open", block: { type: "audio", mediaType: "audio/wav" } },
      { type: "delta", text: "CCCC", transcript: "hel" },
      { type: "delta", text: "DDDD", transcript: "lo" },
      CLOSE,
      END,
    );
    const picture = { inlineData: { mimeType: "image/webp", data: "AABB" } };
    const sound = (data: string): JsonObject => ({ inlineData: { mimeType: "audio/wav", data } });

    expect(partsIn(await encoded(events))).toEqual([
      picture,
      sound("CCCC"),
      sound("DDDD"),
      { text: "hello" },
      { text: "" },
    ]);
    expect(answerIn(gemini.inbound.buildResponse(events, REQUEST)).candidates).toMatchObject([
      { content: { parts: [picture, sound("CCCCDDDD"), { text: "hello" }] } },
    ]);
  });

  test("a failure is the last event, even within a call, and never a normal end", () => {
    const encoder = gemini.inbound.openEncoder(REQUEST);
    const begun = choice(CALL, delta('{"x"')).map((event) => encoder.encode(event));
    const failed = encoder.fail(new GatewayError("upstream_failed", "It broke."));

    expect(begun.join("")).toBe("");
    expect(chunksIn(failed)).toEqual([
      { error: { code: 502, message: "It broke.", status: "INTERNAL" } },
    ]);
  });

  test("a response without an end gets none", async () => {
    expect(await failure(encoded(choice(TEXT, delta("a"), CLOSE)))).toBe("upstream_failed");
    expect(await failure(encoded([]))).toBe("upstream_failed");
    const one = choice(TEXT, delta("a"), CLOSE, END);
    const other: ChatEvent = { type: "open", choice: 1, block: { type: "text" } };
    expect(await failure(encoded([...one, other, USAGE]))).toBe("upstream_failed");
  });

  test("content of other styles is omitted", async () => {
    const other: DistributedOmit = {
      type: "open",
      block: { type: "other", style: "messages", data: { a: 1 } },
    };

    expect(partsIn(await encoded(choice(other, CLOSE, END)))).toEqual([{ text: "" }]);
  });
});

describe("a complete response", () => {
  test("merges adjacent text into one part", () => {
    const signature = { issuer: "gemini", value: "cA==" };
    const events = choice(
      { type: "open", block: { type: "reasoning" } },
      delta("w"),
      delta("hy"),
      CLOSE,
      TEXT,
      delta("a"),
      delta("b"),
      { type: "close", signature },
      TEXT,
      delta("c"),
      CLOSE,
      CALL,
      { type: "close", signature },
      END,
    );

    expect(answerIn(gemini.inbound.buildResponse(events, REQUEST)).candidates).toMatchObject([
      {
        content: {
          parts: [
            { text: "why", thought: true },
            { text: "ab", thoughtSignature: "cA==" },
            { text: "c" },
            { functionCall: { id: "call_1", name: "f", args: {} }, thoughtSignature: "cA==" },
          ],
        },
        finishReason: "STOP",
      },
    ]);
  });

  test("always has at least one part", () => {
    const built = gemini.inbound.buildResponse(choice(END), REQUEST);

    expect(built).toMatchObject({
      candidates: [{ content: { parts: [{ text: "" }], role: "model" }, finishReason: "STOP" }],
    });
  });
});

/** Blocks of an answer, in any order. */
const answers = fc
  .array(
    fc.oneof(
      fc.record({ text: fc.string({ minLength: 1 }) }),
      fc.record({ text: fc.string({ minLength: 1 }), thought: fc.constant(true) }),
      fc.record({ text: fc.string(), thoughtSignature: fc.base64String({ minLength: 4 }) }),
      fc.record({
        functionCall: fc.record({
          name: fc.constantFrom("f", "g"),
          args: fc.dictionary(fc.string(), fc.string()),
        }),
      }),
      fc.record({
        inlineData: fc.record({
          mimeType: fc.constant("image/png"),
          data: fc.base64String({ minLength: 4 }),
        }),
      }),
      fc.record({ executableCode: fc.record({ code: fc.string() }) }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => [
    ...parts.map((part) => chunk([JSON.parse(JSON.stringify(part)) as Json])),
    STOP,
  ]);

describe(`any response (seed ${SEED})`, () => {
  test("has the same content with any split", async () => {
    await fc.assert(
      fc.asyncProperty(
        answers,
        fc.infiniteStream(fc.integer({ min: 1, max: 30 })),
        async (chunks, sizes) => {
          const bytes = Buffer.from(
            chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join(""),
          );
          const pieces: Uint8Array[] = [];
          for (let at = 0; at < bytes.length;) {
            const size = Number(sizes.next().value);
            pieces.push(bytes.subarray(at, at + size));
            at += size;
          }
          const cut = await Array.fromAsync(
            decodeStream(gemini, decodeSse(each(pieces), 1_000_000)),
          );

          expect(withoutIds(cut)).toEqual(withoutIds(await decoded(chunks)));
        },
      ),
      { seed: SEED, numRuns: times(100, 3_000) },
    );
  });

  test("is written in valid order, and read back with the same content", async () => {
    await fc.assert(
      fc.asyncProperty(answers, async (chunks) => {
        const events = await decoded(chunks);
        const stream = await encoded(events);
        const again = await decoded(chunksIn(stream));

        expect(geminiStreamFaults(stream)).toEqual([]);
        expect(withoutIds(again)).toEqual(withoutIds(events));
      }),
      { seed: SEED, numRuns: times(200, 5_000) },
    );
  });
});

/** Made-up ids differ from reading to reading. */
function withoutIds(events: readonly ChatEvent[]): unknown {
  return JSON.parse(JSON.stringify(events).replaceAll(/call_[A-Za-z0-9]{24}/g, "id"));
}
