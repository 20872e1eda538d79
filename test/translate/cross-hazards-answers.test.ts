import { describe, expect, test } from "bun:test";
import type { ChatEvent } from "#core/chat.ts";
import { GatewayError, type FaultCode } from "#core/error.ts";
import type { TextStyle } from "#core/style.ts";
import { parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { chat } from "#styles/text/chat/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { messagesCaller } from "#test/matrix/callers/messages.ts";
import { nativeCaller } from "#test/matrix/callers/native.ts";
import { responsesCaller } from "#test/matrix/callers/responses.ts";
import { asObject, objectsIn, translated } from "./cross-hazards.ts";
import { decode, encode } from "./cross-recorded.ts";
import { SHOW_ALL, STYLES } from "./cross-styles.ts";
import { toldIn } from "./cross-told.ts";

/** What a vendor of each style writes when it says and calls the same. */
const ANSWERS: readonly (readonly [string, TextStyle, JsonObject])[] = [
  [
    "chat",
    chat,
    {
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "Let me look.",
            reasoning_content: "Hm.",
            tool_calls: [
              { id: "a", type: "function", function: { name: "look", arguments: '{"at":"a"}' } },
              { id: "b", type: "function", function: { name: "now", arguments: "" } },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: {
        prompt_tokens: 110,
        completion_tokens: 30,
        total_tokens: 140,
        prompt_tokens_details: { cached_tokens: 100 },
        completion_tokens_details: { reasoning_tokens: 10 },
      },
    },
  ],
  [
    "responses",
    responses,
    {
      id: "resp_1",
      object: "response",
      created_at: 1,
      model: "m",
      status: "completed",
      output: [
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }] },
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          content: [{ type: "output_text", text: "Let me look.", annotations: [] }],
        },
        { type: "function_call", call_id: "a", name: "look", arguments: '{"at":"a"}' },
        { type: "function_call", call_id: "b", name: "now", arguments: "" },
      ],
      usage: {
        input_tokens: 110,
        output_tokens: 30,
        total_tokens: 140,
        input_tokens_details: { cached_tokens: 100 },
        output_tokens_details: { reasoning_tokens: 10 },
      },
    },
  ],
  [
    "messages",
    messages,
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "a", name: "look", input: { at: "a" } },
        { type: "tool_use", id: "b", name: "now", input: {} },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 0,
        output_tokens: 30,
        output_tokens_details: { thinking_tokens: 10 },
      },
    },
  ],
  [
    "gemini",
    gemini,
    {
      candidates: [
        {
          content: {
            role: "model",
            parts: [
              { text: "Hm.", thought: true },
              { text: "Let me look." },
              { functionCall: { name: "look", args: { at: "a" } } },
              { functionCall: { name: "now" } },
            ],
          },
          finishReason: "STOP",
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: 110,
        cachedContentTokenCount: 100,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 10,
        totalTokenCount: 140,
      },
      modelVersion: "m",
      responseId: "r",
    },
  ],
];

describe.each(ANSWERS)("a response of the %s style with text and calls", (_, from, wire) => {
  const events = named(from.outbound.parseResponse(wire));

  test("has both for clients of every style, complete and streamed", () => {
    for (const { style, reader } of STYLES) {
      const whole = reader.readWhole(built(style, events)).choices[0];
      const streamed = reader.readStream(encode(style, events)).choices[0];

      for (const told of [whole, streamed]) {
        expect([style.id, told?.text]).toEqual([style.id, "Let me look."]);
        expect(told?.calls.map(({ name, args }) => [name, args])).toEqual([
          ["look", { at: "a" }],
          ["now", {}],
        ]);
        expect([style.id, told?.finish]).toEqual([style.id, "tool_calls"]);
      }
      expect([style.id, streamed?.reasoning]).toEqual([style.id, "Hm."]);
    }
  });

  test("does not mix reasoning into the text", () => {
    for (const { style, reader } of STYLES) {
      expect(reader.readWhole(built(style, events)).choices[0]?.text).not.toContain("Hm.");
    }
  });

  test("numbers its calls separately if clients use indexes", () => {
    const calls = chunksIn(encode(chat, events))
      .flatMap((chunk) => listOf(chunk["choices"]))
      .flatMap((choice) => listOf(memberOf(memberOf(choice, "delta"), "tool_calls")))
      .filter((call) => memberOf(call, "id") !== undefined);

    expect(calls.map((call) => memberOf(call, "index"))).toEqual([0, 1]);
  });

  test("counts cached input and reasoning within the totals, once, or separately if the style does", () => {
    expect(built(chat, events)["usage"]).toMatchObject({
      prompt_tokens: 110,
      completion_tokens: 30,
      total_tokens: 140,
      prompt_tokens_details: { cached_tokens: 100 },
      completion_tokens_details: { reasoning_tokens: 10 },
    });
    expect(built(responses, events)["usage"]).toMatchObject({
      input_tokens: 110,
      output_tokens: 30,
      total_tokens: 140,
      input_tokens_details: { cached_tokens: 100 },
      output_tokens_details: { reasoning_tokens: 10 },
    });
    expect(built(messages, events)["usage"]).toMatchObject({
      input_tokens: 10,
      cache_read_input_tokens: 100,
      output_tokens: 30,
    });
    expect(built(gemini, events)["usageMetadata"]).toMatchObject({
      promptTokenCount: 110,
      cachedContentTokenCount: 100,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 10,
      totalTokenCount: 140,
    });
  });

  test("that was truncated within a call still has the length finish reason", () => {
    const cut = events.map((event): ChatEvent =>
      event.type === "finish" ? { ...event, reason: "length", extra: {} } : event,
    );
    for (const { style, reader } of STYLES) {
      expect([style.id, reader.readWhole(built(style, cut)).choices[0]?.finish]).toEqual([
        style.id,
        "length",
      ]);
      expect([style.id, reader.readStream(encode(style, cut)).choices[0]?.finish]).toEqual([
        style.id,
        "length",
      ]);
    }
  });
});

/** Words of vendors for an end, and the words of each style for it. */
const ENDS: readonly (readonly [TextStyle, string, Readonly<Record<string, string>>])[] = [
  [chat, "stop", { chat: "stop", responses: "completed", messages: "end_turn", gemini: "STOP" }],
  [
    chat,
    "length",
    {
      chat: "length",
      responses: "max_output_tokens",
      messages: "max_tokens",
      gemini: "MAX_TOKENS",
    },
  ],
  [
    chat,
    "content_filter",
    { chat: "content_filter", responses: "content_filter", messages: "refusal", gemini: "SAFETY" },
  ],
  [
    responses,
    "max_output_tokens",
    {
      chat: "length",
      responses: "max_output_tokens",
      messages: "max_tokens",
      gemini: "MAX_TOKENS",
    },
  ],
  [
    responses,
    "content_filter",
    { chat: "content_filter", responses: "content_filter", messages: "refusal", gemini: "SAFETY" },
  ],
  [
    messages,
    "end_turn",
    { chat: "stop", responses: "completed", messages: "end_turn", gemini: "STOP" },
  ],
  [messages, "stop_sequence", { chat: "stop", responses: "completed", gemini: "STOP" }],
  [
    messages,
    "max_tokens",
    {
      chat: "length",
      responses: "max_output_tokens",
      messages: "max_tokens",
      gemini: "MAX_TOKENS",
    },
  ],
  [
    messages,
    "model_context_window_exceeded",
    { chat: "length", responses: "max_output_tokens", gemini: "MAX_TOKENS" },
  ],
  [
    messages,
    "refusal",
    { chat: "content_filter", responses: "content_filter", messages: "refusal", gemini: "SAFETY" },
  ],
  [
    messages,
    "pause_turn",
    { chat: "stop", responses: "completed", messages: "pause_turn", gemini: "OTHER" },
  ],
  [gemini, "STOP", { chat: "stop", responses: "completed", messages: "end_turn", gemini: "STOP" }],
  [
    gemini,
    "MAX_TOKENS",
    {
      chat: "length",
      responses: "max_output_tokens",
      messages: "max_tokens",
      gemini: "MAX_TOKENS",
    },
  ],
  ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"].map(
    (word) =>
      [
        gemini,
        word,
        { chat: "content_filter", responses: "content_filter", messages: "refusal", gemini: word },
      ] as const,
  ),
  [
    gemini,
    "OTHER",
    { chat: "stop", responses: "completed", messages: "end_turn", gemini: "OTHER" },
  ],
  [
    gemini,
    "LANGUAGE",
    { chat: "stop", responses: "completed", messages: "end_turn", gemini: "LANGUAGE" },
  ],
];

test.each(ENDS.map(([from, word, words]) => [from.id, word, from, words] as const))(
  "a response of the %s style that ends with %s has each style's finish reason",
  (_, word, from, words) => {
    const events = from.outbound.parseResponse(ending(from, word));
    const seen = Object.fromEntries(
      STYLES.map(({ style }) => [style.id, endOf(built(style, events))]),
    );

    expect(seen).toMatchObject(words);
  },
);

test("an invalid tool call of a model is an upstream failure", () => {
  expect(
    failure(() => gemini.outbound.parseResponse(ending(gemini, "MALFORMED_FUNCTION_CALL"))),
  ).toBe("upstream_failed");
});

test("a prompt that the vendor blocks completely is refused for its content", () => {
  const wire = {
    promptFeedback: { blockReason: "SAFETY" },
    usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 },
  };

  expect(failure(() => gemini.outbound.parseResponse(wire))).toBe("content_filtered");
});

test("a response of reasoning only is valid, with empty text, in every style", () => {
  const events = gemini.outbound.parseResponse({
    candidates: [
      {
        content: { role: "model", parts: [{ text: "Hm.", thought: true }] },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 5 },
  });
  for (const { style, reader, streamFaults } of STYLES) {
    const out = encode(style, events);

    expect([style.id, streamFaults(out)]).toEqual([style.id, []]);
    expect([style.id, reader.readStream(out).choices[0]]).toMatchObject([
      style.id,
      { text: "", finish: "stop" },
    ]);
    expect([style.id, reader.readWhole(built(style, events)).choices[0]]).toMatchObject([
      style.id,
      { text: "", finish: "stop" },
    ]);
  }
});

test("content after a call, and reasoning between texts, keep their order if the style has one", () => {
  const blocks = ["reasoning", "text", "reasoning", "tool_call", "text", "tool_call"] as const;
  const events: readonly ChatEvent[] = [
    START,
    ...blocks.flatMap((type, at): ChatEvent[] => [
      {
        type: "open",
        choice: 0,
        block:
          type === "tool_call"
            ? { type, id: `call_${at}`, name: "look", kind: "function" }
            : { type },
      },
      { type: "delta", choice: 0, text: type === "tool_call" ? "{}" : `${type}${at}` },
      { type: "close", choice: 0 },
    ]),
    { type: "finish", choice: 0, reason: "tool_calls" },
    USAGE,
  ];
  const message = listOf(objectsIn(built(messages, events))[0]?.["content"]).map((block) =>
    memberOf(block, "type"),
  );
  const items = listOf(built(responses, events)["output"]).map((item) => memberOf(item, "type"));
  const parts = objectsIn(built(gemini, events)["candidates"])
    .filter((one) => "functionCall" in one || "text" in one)
    .map((one) => textOf(one["text"]) ?? "call");

  expect(message).toEqual(["text", "tool_use", "text", "tool_use"]);
  expect(items).toEqual([
    "reasoning",
    "message",
    "reasoning",
    "function_call",
    "message",
    "function_call",
  ]);
  expect(parts).toEqual(["reasoning0", "text1", "reasoning2", "call", "text4", "call"]);
  const told = toldIn(decode(chat, readEvents(encode(chat, events)))).choices[0];
  expect([told?.text, told?.reasoning, told?.calls.length]).toEqual([
    "text1text4",
    "reasoning0reasoning2",
    2,
  ]);
});

test("reasoning summaries in parts are separated for clients with one text for all", () => {
  const parts = ["First.", "Second."].map((text) => ({ type: "summary_text", text }));
  const events = responses.outbound.parseResponse({
    id: "resp_1",
    object: "response",
    status: "completed",
    model: "m",
    output: [
      { type: "reasoning", id: "rs_1", summary: parts },
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "So.", annotations: [] }],
      },
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  });

  for (const { style, reader } of STYLES) {
    expect(reader.readStream(encode(style, events)).choices[0]?.reasoning).toBe(
      "First.\n\nSecond.",
    );
  }
});

test("keep-alives are no content", () => {
  const [, , wire] = ANSWERS[2] ?? [];
  const out = encode(messages, named(messages.outbound.parseResponse(wire ?? {})));
  const pinged = out.replaceAll(/(?<=\n\n)(?=event: )/g, 'event: ping\ndata: {"type":"ping"}\n\n');

  expect(decode(messages, readEvents(pinged))).toEqual(decode(messages, readEvents(out)));
});

describe("sources are cited at the same text, in each style's units", () => {
  const text = "😀 naïve: the sky is blue. Really.";
  const words = "the sky is blue";
  const start = text.indexOf(words);
  const bytes = Buffer.byteLength(text.slice(0, start));
  const native = {
    candidates: [
      {
        content: { role: "model", parts: [{ text }] },
        finishReason: "STOP",
        index: 0,
        groundingMetadata: {
          groundingChunks: [{ web: { uri: "https://a.example/", title: "A" } }],
          groundingSupports: [
            {
              segment: { startIndex: bytes, endIndex: bytes + words.length, text: words },
              groundingChunkIndices: [0],
            },
          ],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
  };

  test("from bytes to UTF-16 units", () => {
    const events = gemini.outbound.parseResponse(native);
    for (const style of [chat, responses]) {
      const [cited] = objectsIn(built(style, events)).filter(
        (one) => typeof one["start_index"] === "number",
      );

      expect(text.slice(Number(cited?.["start_index"]), Number(cited?.["end_index"]))).toBe(words);
    }
  });

  test("and from UTF-16 units to bytes", () => {
    const events = gemini.outbound.parseResponse(native);
    for (const style of [chat, responses]) {
      const again = style.outbound.parseResponse(built(style, events));
      const [segment] = objectsIn(built(gemini, again)).filter((one) => "startIndex" in one);

      expect(segment).toEqual({ startIndex: bytes, endIndex: bytes + words.length, text: words });
    }
  });
});

/** Callers of the chat style are tested where the style is: only some of them send thoughts back. */
const RETURNING = [messagesCaller, responsesCaller, nativeCaller];

describe.each(STYLES.map(({ style }) => [style.id, style] as const))(
  "signed reasoning of an upstream of the %s style",
  (id, upstream) => {
    test.each(RETURNING.map((caller) => [caller.id, caller] as const))(
      "goes back to it, text and signature, through clients of the %s style, and to no other",
      (callerId, caller) => {
        const style = STYLES.find((one) => one.style.id === callerId)?.style ?? messages;
        const value = Buffer.from("a proof of it").toString("base64");
        const events: readonly ChatEvent[] = [
          START,
          { type: "open", choice: 0, block: { type: "reasoning" } },
          { type: "delta", choice: 0, text: "Because " },
          { type: "delta", choice: 0, text: "of it." },
          { type: "close", choice: 0, signature: { issuer: id, value } },
          {
            type: "open",
            choice: 0,
            block: { type: "tool_call", id: "call_1", name: "look", kind: "function" },
          },
          { type: "delta", choice: 0, text: "{}" },
          { type: "close", choice: 0 },
          { type: "finish", choice: 0, reason: "tool_calls" },
          USAGE,
        ];
        const seen = caller.readStream(encode(style, events));
        const { body } = caller.request({
          model: "m",
          stream: true,
          thinks: true,
          tools: [
            { name: "look", description: "Looks.", schema: { type: "object", properties: {} } },
          ],
          turns: [
            { role: "user", text: "Why?" },
            { role: "assistant", own: seen.own },
            { role: "tool", results: seen.calls.map((call) => ({ call, text: "ok" })) },
          ],
        });

        for (const to of STYLES.filter((one) => one.style.id !== "chat")) {
          const sent = JSON.stringify(translated(body, style, to.style).body);
          const isOwn = to.style === upstream;

          expect([to.style.id, sent.includes(value)]).toEqual([to.style.id, isOwn]);
          if (isOwn) expect(sent).toMatch(/Because .*of it\./);
          expect([to.style.id, sent.includes("ok")]).toEqual([to.style.id, true]);
        }
      },
    );
  },
);

/** How vendors refuse, and what callers are to understand. */
const REFUSALS: readonly (readonly [string, TextStyle, number, JsonObject, FaultCode])[] = [
  [
    "a prompt that is too long",
    messages,
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" },
    },
    "context_length_exceeded",
  ],
  [
    "a prompt that is too long",
    gemini,
    400,
    {
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "The input token count (9) exceeds the maximum number of tokens allowed (8).",
      },
    },
    "context_length_exceeded",
  ],
  [
    "a prompt that is too long",
    chat,
    400,
    {
      error: {
        message: "This model's maximum context length is 8 tokens.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
    "context_length_exceeded",
  ],
  [
    "an account that is not ours",
    messages,
    401,
    { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } },
    "upstream_auth",
  ],
  [
    "an account that is not ours",
    gemini,
    403,
    {
      error: {
        code: 403,
        status: "PERMISSION_DENIED",
        message: "no",
        details: [{ reason: "CONSUMER_SUSPENDED" }],
      },
    },
    "upstream_auth",
  ],
  [
    "a refusal for an unknown reason",
    gemini,
    403,
    { error: { code: 403, status: "PERMISSION_DENIED", message: "no" } },
    "upstream_refused",
  ],
  [
    "an account that is not ours",
    responses,
    401,
    {
      error: {
        message: "Incorrect API key provided: sk-abc",
        type: "invalid_request_error",
        code: "invalid_api_key",
      },
    },
    "upstream_auth",
  ],
  [
    "too many questions",
    gemini,
    429,
    { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "slow" } },
    "upstream_rate_limited",
  ],
  [
    "too much to do",
    messages,
    529,
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    "upstream_overloaded",
  ],
];

test.each(REFUSALS)(
  "[A7] %s, in the format of another style, has the same meaning for every client",
  (_, from, status, body, code) => {
    const refused = from.outbound.parseError(status, JSON.stringify(body));
    expect(refused.code).toBe(code);

    const error = new GatewayError(refused.code, refused.message);
    for (const { style } of STYLES) {
      const text = JSON.stringify(style.inbound.buildError(error));
      if (code === "context_length_exceeded")
        expect(text).toMatch(/context_length_exceeded|invalid_request_error|INVALID_ARGUMENT/);
      // The vendor does not know us: callers who took it for themselves would log out.
      if (code === "upstream_auth") {
        expect(error.fault.status).toBe(502);
        expect(text).not.toMatch(
          /authentication|permission|UNAUTHENTICATED|PERMISSION_DENIED|invalid_api_key|sk-abc|x-api-key/i,
        );
      }
      if (code === "upstream_rate_limited") expect(text).toMatch(/rate_limit|RESOURCE_EXHAUSTED/);
      if (code === "upstream_overloaded") expect(text).toMatch(/overloaded|unavailable/i);
    }
  },
);

const START: ChatEvent = { type: "start", id: "a".repeat(24), model: "m", createdAt: 1_000 };
const USAGE: ChatEvent = {
  type: "usage",
  usage: {
    inputTokens: 3,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    audioInputTokens: 0,
    outputTokens: 2,
    reasoningTokens: 0,
    audioOutputTokens: 0,
    isEstimated: false,
  },
};

/** Ids are the gateway's own where an answer is translated. */
function named(events: readonly ChatEvent[]): readonly ChatEvent[] {
  return events.map((event, at) =>
    event.type === "open" && event.block.type === "tool_call"
      ? { ...event, block: { ...event.block, id: `call_${at}`, extra: {} } }
      : event,
  );
}

function built({ inbound }: TextStyle, events: readonly ChatEvent[]): JsonObject {
  return asObject(inbound.buildResponse(events, SHOW_ALL));
}

function ending({ id }: TextStyle, word: string): JsonObject {
  switch (id) {
    case "chat":
      return {
        id: "c",
        model: "m",
        choices: [
          { index: 0, message: { role: "assistant", content: "So." }, finish_reason: word },
        ],
      };
    case "responses":
      return {
        id: "r",
        object: "response",
        model: "m",
        status: "incomplete",
        incomplete_details: { reason: word },
        output: [
          {
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: "So.", annotations: [] }],
          },
        ],
      };
    case "messages":
      return {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [{ type: "text", text: "So." }],
        stop_reason: word,
        stop_sequence: word === "stop_sequence" ? "END" : null,
        usage: { input_tokens: 1, output_tokens: 1 },
      };
    default:
      return {
        candidates: [
          { content: { role: "model", parts: [{ text: "So." }] }, finishReason: word, index: 0 },
        ],
      };
  }
}

/** The one word in which a style says why it ended. */
function endOf(body: JsonObject): Json | undefined {
  const choice = listOf(body["choices"] ?? body["candidates"])[0];
  return (
    memberOf(choice, "finish_reason") ??
    memberOf(choice, "finishReason") ??
    body["stop_reason"] ??
    memberOf(body["incomplete_details"], "reason") ??
    body["status"]
  );
}

function chunksIn(stream: string): readonly JsonObject[] {
  return readEvents(stream).flatMap(({ data }) => objectsIn(parseJson(data)).slice(0, 1));
}

function failure(run: () => unknown): string {
  try {
    run();
    return "no failure";
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
}
