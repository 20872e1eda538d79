import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ChatEvent, ChatRequest, FinishReason, OpenBlock } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { readSignature } from "#core/signature.ts";
import { NO_USAGE } from "#core/usage.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { formatSse, readEvents, SseDecoder, type SseEvent } from "#lib/sse.ts";
import { listOf, objectOf, textOf } from "#lib/values.ts";
import { messagesStreamFaults } from "#test/grammar/messages.ts";
import { SEED, times } from "#test/seed.ts";
import { hubFaults, saidIn } from "#test/translate/chat-answers.ts";
import { messageIn } from "#test/translate/messages-corpus.ts";
import { parseResponse } from "./answer/response-in.ts";
import { buildResponse } from "./answer/response-out.ts";
import { openDecoder } from "./answer/stream-in.ts";
import { openEncoder } from "./answer/stream-out.ts";

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  sampling: {},
  reasoning: { enabled: true, visible: true },
};
const USAGE = { input_tokens: 3, output_tokens: 2 };

const START = {
  type: "message_start",
  message: { id: "msg_1", model: "m", content: [], usage: { input_tokens: 3, output_tokens: 1 } },
};
const STOP = {
  type: "message_delta",
  delta: { stop_reason: "end_turn", stop_sequence: null },
  usage: { output_tokens: 2 },
};
const END = { type: "message_stop" };

function opened(block: JsonObject, index = 0): JsonObject {
  return { type: "content_block_start", index, content_block: block };
}

function piece(delta: JsonObject, index = 0): JsonObject {
  return { type: "content_block_delta", index, delta };
}

function closed(index = 0): JsonObject {
  return { type: "content_block_stop", index };
}

function textBlock(text: string, index = 0): JsonObject[] {
  return [
    opened({ type: "text", text: "" }, index),
    piece({ type: "text_delta", text }, index),
    closed(index),
  ];
}

function toEvents(bodies: readonly JsonObject[]): SseEvent[] {
  return bodies.map((body) => ({ event: textOf(body["type"]) ?? "", data: JSON.stringify(body) }));
}

function decoded(bodies: readonly JsonObject[]): ChatEvent[] {
  return read(toEvents(bodies));
}

function read(events: readonly SseEvent[]): ChatEvent[] {
  const decoder = openDecoder();
  const out = events.flatMap((event) => [...decoder.read(event)]);
  const all = [...out, ...decoder.end()];
  expect(hubFaults(all)).toEqual([]);
  return all;
}

function encoded(events: readonly ChatEvent[], request = REQUEST): string {
  const encoder = openEncoder(request);
  return events.map((event) => encoder.encode(event)).join("") + encoder.end();
}

/** The stream of an answer, which keeps to the style's order. */
function streamed(events: readonly ChatEvent[], request = REQUEST): JsonObject {
  const stream = encoded(events, request);
  expect(messagesStreamFaults(stream)).toEqual([]);
  return messageIn(stream);
}

function answer(...blocks: ChatEvent[]): ChatEvent[] {
  return [
    { type: "start", id: "abc", model: "m", createdAt: 0, inputTokens: 7 },
    ...blocks,
    { type: "finish", choice: 0, reason: "stop" },
    { type: "usage", usage: { ...NO_USAGE, inputTokens: 3, outputTokens: 2 } },
  ];
}

function block(
  head: OpenBlock,
  texts: readonly string[],
  close: Partial<ChatEvent> = {},
): ChatEvent[] {
  return [
    { type: "open", choice: 0, block: head },
    ...texts.map((text): ChatEvent => ({ type: "delta", choice: 0, text })),
    { choice: 0, ...close, type: "close" } as ChatEvent,
  ];
}

function failure(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
}

describe("irregular responses of servers are read correctly", () => {
  const call = opened({ type: "tool_use", id: "toolu_1", name: "f", input: {} });

  test.each<[string, readonly JsonObject[], JsonObject]>([
    ["text", [START, ...textBlock("hi"), STOP, END], { text: "hi" }],
    [
      "pings and unknown events",
      [
        START,
        { type: "ping" },
        ...textBlock("hi"),
        { type: "news", text: "x" },
        STOP,
        { type: "ping" },
        END,
      ],
      { text: "hi" },
    ],
    [
      "no end mark, but a reason",
      [START, ...textBlock("hi"), STOP],
      { text: "hi", finish: "stop" },
    ],
    [
      "an end mark and a count, without a reason",
      [START, ...textBlock("hi"), { ...STOP, delta: {} }, END],
      { text: "hi", finish: "other" },
    ],
    ["no start", [...textBlock("hi"), STOP, END], { text: "hi" }],
    ["two starts", [START, START, ...textBlock("hi"), STOP, END], { text: "hi" }],
    [
      "no block begun",
      [START, piece({ type: "text_delta", text: "hi" }), STOP, END],
      { text: "hi" },
    ],
    [
      "no block ended",
      [
        START,
        opened({ type: "text", text: "" }),
        piece({ type: "text_delta", text: "a" }),
        opened({ type: "text", text: "b" }, 1),
        STOP,
        END,
      ],
      { text: "ab" },
    ],
    [
      "text in the head of its block",
      [START, opened({ type: "text", text: "hi" }), closed(), STOP, END],
      { text: "hi" },
    ],
    [
      "blocks in the first event",
      [
        { ...START, message: { ...START.message, content: [{ type: "text", text: "hi" }] } },
        STOP,
        END,
      ],
      { text: "hi" },
    ],
    [
      "one number for every block",
      [START, ...textBlock("a", 0), ...textBlock("b", 0), STOP, END],
      { text: "ab" },
    ],
    [
      "thinking, and text in the same block",
      [
        START,
        opened({ type: "thinking", thinking: "" }),
        piece({ type: "thinking_delta", thinking: "w" }),
        piece({ type: "text_delta", text: "hi" }),
        STOP,
        END,
      ],
      { text: "hi", reasoning: "w" },
    ],
    [
      "arguments in pieces",
      [
        START,
        call,
        piece({ type: "input_json_delta", partial_json: "" }),
        piece({ type: "input_json_delta", partial_json: '{"a"' }),
        piece({ type: "input_json_delta", partial_json: ":1}" }),
        closed(),
        STOP,
        END,
      ],
      { calls: [{ id: "toolu_1", name: "f", arguments: '{"a":1}' }], finish: "tool_calls" },
    ],
    [
      "arguments in the head",
      [
        START,
        opened({ type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } }),
        closed(),
        STOP,
        END,
      ],
      { calls: [{ id: "toolu_1", name: "f", arguments: '{"a":1}' }] },
    ],
    [
      "no arguments",
      [START, call, closed(), STOP, END],
      { calls: [{ id: "toolu_1", name: "f", arguments: "{}" }] },
    ],
    [
      "calls whose reason does not say so",
      [START, call, closed(), STOP, END],
      { finish: "tool_calls" },
    ],
    [
      "calls that were cut short",
      [START, call, closed(), { ...STOP, delta: { stop_reason: "max_tokens" } }, END],
      { finish: "length" },
    ],
    ["events without a name", [{ ...START }, ...textBlock("hi"), STOP, END], { text: "hi" }],
  ])("%s", (_what, bodies, expected) => {
    expect(saidIn(decoded(bodies)).choices[0]).toMatchObject(expected);
    const unnamed = toEvents(bodies).map(({ data }) => ({ data }));
    expect(saidIn(read(unnamed)).choices[0]).toMatchObject(expected);
  });

  test("the event's name counts if the data has no type", () => {
    const bodies = [START, ...textBlock("hi"), STOP, END];
    const typeless = bodies.map(({ type, ...rest }) => ({
      event: textOf(type) ?? "",
      data: JSON.stringify(rest),
    }));

    expect(saidIn(read(typeless)).choices[0]?.text).toBe("hi");
  });

  test("lines that are no JSON are ignored", () => {
    const events = toEvents([START, ...textBlock("hi"), STOP, END]);

    expect(saidIn(read([...events, { data: "[DONE]" }])).choices[0]?.text).toBe("hi");
  });

  test.each<[string, JsonObject, FinishReason, string | undefined]>([
    ["end_turn", { stop_reason: "end_turn" }, "stop", undefined],
    ["a stop text", { stop_reason: "stop_sequence", stop_sequence: "END" }, "stop", "END"],
    ["max_tokens", { stop_reason: "max_tokens" }, "length", undefined],
    ["a full window", { stop_reason: "model_context_window_exceeded" }, "length", undefined],
    ["refusal", { stop_reason: "refusal" }, "content_filter", undefined],
    ["a pause", { stop_reason: "pause_turn" }, "other", undefined],
    ["an unknown value", { stop_reason: "bored" }, "other", undefined],
  ])("a finish reason: %s", (_what, delta, reason, stopSequence) => {
    const events = decoded([START, ...textBlock("hi"), { ...STOP, delta }, END]);

    expect(events.find(({ type }) => type === "finish")).toMatchObject({
      reason,
      ...(stopSequence === undefined ? {} : { stopSequence }),
    });
  });
});

describe("usage is counted once, cached input included", () => {
  const delta = (usage: JsonObject): JsonObject => ({ ...STOP, usage });
  const start = (usage: JsonObject): JsonObject => ({
    ...START,
    message: { ...START.message, usage },
  });

  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ["in two events", START, STOP, { inputTokens: 3, outputTokens: 2 }],
    [
      "cached, and kept for later",
      start({
        input_tokens: 3,
        cache_read_input_tokens: 90,
        cache_creation_input_tokens: 7,
        output_tokens: 1,
      }),
      STOP,
      { inputTokens: 100, cachedInputTokens: 90, cacheWriteTokens: 7, outputTokens: 2 },
    ],
    [
      "again at the end, if it is a sum",
      start({ input_tokens: 3, output_tokens: 1 }),
      delta({ input_tokens: 50, output_tokens: 20, cache_read_input_tokens: 10 }),
      { inputTokens: 60, cachedInputTokens: 10, outputTokens: 20 },
    ],
    [
      "at the end only",
      start({}),
      delta({ input_tokens: 50, output_tokens: 20 }),
      { inputTokens: 50, outputTokens: 20 },
    ],
    [
      "unsaid at the start",
      start({ input_tokens: 0, output_tokens: 0 }),
      delta({ input_tokens: 50, output_tokens: 20 }),
      { inputTokens: 50, outputTokens: 20 },
    ],
    [
      "taken back at the end",
      start({ input_tokens: 50, output_tokens: 1 }),
      delta({ input_tokens: 0, output_tokens: 20 }),
      { inputTokens: 50, outputTokens: 20 },
    ],
    [
      "with thinking in it",
      START,
      delta({ output_tokens: 20, output_tokens_details: { thinking_tokens: 15 } }),
      { outputTokens: 20, reasoningTokens: 15 },
    ],
  ])("%s", (_what, first, last, expected) => {
    expect(saidIn(decoded([first, ...textBlock("hi"), last, END])).usage).toMatchObject(expected);
  });

  test("and is missing without a plausible value", () => {
    const odd = { input_tokens: -1, output_tokens: "many" };

    expect(saidIn(decoded([start({}), ...textBlock("a"), delta({}), END])).usage).toBeUndefined();
    expect(saidIn(decoded([start(odd), ...textBlock("a"), delta(odd), END])).usage).toBeUndefined();
  });

  test("and written without cached input, which this style counts separately", () => {
    const usage = {
      ...NO_USAGE,
      inputTokens: 100,
      cachedInputTokens: 90,
      cacheWriteTokens: 4,
      outputTokens: 5,
    };
    const events: ChatEvent[] = [
      ...answer(...block({ type: "text" }, ["a"])).slice(0, -1),
      { type: "usage", usage },
    ];
    const expected = {
      input_tokens: 6,
      cache_read_input_tokens: 90,
      cache_creation_input_tokens: 4,
      output_tokens: 5,
    };

    expect(streamed(events)["usage"]).toEqual(expected);
    expect(buildResponse(events, REQUEST)["usage"]).toEqual(expected);
  });

  test("and other counts of an upstream, such as searches, are kept", () => {
    const more = { server_tool_use: { web_search_requests: 1 }, service_tier: "standard" };
    const events = decoded([START, ...textBlock("a"), delta({ output_tokens: 2, ...more }), END]);

    expect(streamed(events)["usage"]).toMatchObject(more);
    expect(buildResponse(events, REQUEST)["usage"]).toMatchObject(more);
  });
});

describe("a response that broke off is a failure, never an end", () => {
  test.each<[string, readonly JsonObject[]]>([
    ["nothing at all", []],
    ["its start", [START]],
    [
      "an open block",
      [START, opened({ type: "text", text: "" }), piece({ type: "text_delta", text: "a" })],
    ],
    ["everything but the end", [START, ...textBlock("a")]],
    ["an end without anything before it", [END]],
    ["an end without a reason", [START, ...textBlock("hi"), END]],
    ["a count without any content", [START, { ...STOP, delta: {} }, END]],
    [
      "usage without a reason",
      [START, ...textBlock("a"), { type: "message_delta", delta: {}, usage: USAGE }],
    ],
    ["a call without a name", [START, opened({ type: "tool_use", id: "a", input: {} }), STOP, END]],
    [
      "arguments of no call",
      [START, piece({ type: "input_json_delta", partial_json: "{}" }), STOP, END],
    ],
    [
      "arguments of a call that is over",
      [
        START,
        opened({ type: "tool_use", id: "a", name: "f" }),
        opened({ type: "tool_use", id: "b", name: "f" }, 1),
        piece({ type: "input_json_delta", partial_json: "{}" }, 0),
        STOP,
        END,
      ],
    ],
  ])("%s", (_what, bodies) => {
    expect(failure(() => decoded(bodies))).toBe("upstream_failed");
  });

  test("an unreadable event counts as lost content", () => {
    expect(failure(() => read([{ data: '{"type":"content_block_delta","delta":{"te' }]))).toBe(
      "upstream_failed",
    );
  });

  test.each<[string, JsonObject, string]>([
    ["busy", { type: "overloaded_error", message: "Overloaded" }, "upstream_overloaded"],
    ["too many calls", { type: "rate_limit_error", message: "m" }, "upstream_rate_limited"],
    ["our account", { type: "authentication_error", message: "m" }, "upstream_auth"],
    ["our bill", { type: "billing_error", message: "m" }, "upstream_auth"],
    [
      "a prompt that is too long",
      { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 5 maximum" },
      "context_length_exceeded",
    ],
    ["something", { type: "api_error", message: "m" }, "upstream_failed"],
  ])("a failure reported within the stream is that failure: %s", (_what, error, code) => {
    const bodies = [START, ...textBlock("a"), { type: "error", error }];

    expect(failure(() => decoded(bodies))).toBe(code);
    expect(failure(() => parseResponse({ type: "error", error }))).toBe(code);
  });

  test("a complete response without a message is invalid", () => {
    expect(failure(() => parseResponse({}))).toBe("upstream_failed");
    expect(failure(() => parseResponse({ type: "message", content: null }))).toBe(
      "upstream_failed",
    );
  });

  test("a source without an end gets none, and a failure is a separate event at any point", () => {
    const encoder = openEncoder(REQUEST);
    const begun = answer(...block({ type: "text" }, ["a"])).slice(0, 3);
    const out = begun.map((event) => encoder.encode(event)).join("");
    const failed = encoder.fail(new GatewayError("upstream_timeout", "Too late."));

    expect(failure(() => encoder.end())).toBe("upstream_failed");
    expect(readEvents(out).map(({ event }) => event)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
    ]);
    expect(readEvents(failed)).toEqual([
      {
        event: "error",
        data: '{"type":"error","error":{"type":"timeout_error","message":"Too late."}}',
      },
    ]);
  });
});

describe("thinking and its signature", () => {
  const proof = { issuer: "messages", value: "c2ln" };

  test("[A4.5-d] is shown in a stream, signature last; a complete response has the rest", () => {
    const events = answer(
      ...block({ type: "reasoning" }, ["why", " so"], { signature: proof }),
      ...block({ type: "text" }, ["hi"]),
    );

    expect(streamed(events)["content"]).toEqual([
      { type: "thinking", thinking: "why so", signature: "c2ln" },
      { type: "text", text: "hi" },
    ]);
    expect(buildResponse(events, REQUEST)["content"]).toEqual([{ type: "text", text: "hi" }]);
  });

  test("without a signature has an empty one, since clients expect one", () => {
    const events = answer(...block({ type: "reasoning" }, ["why"]));

    expect(streamed(events)["content"]).toEqual([
      { type: "thinking", thinking: "why", signature: "" },
    ]);
  });

  test("of another vendor is marked as such, so that it can be returned", () => {
    const signature = { issuer: "gemini", value: "eHl6" };
    const { content } = streamed(answer(...block({ type: "reasoning" }, [], { signature })));
    const shown = objectOf(listOf(content)[0]);

    expect(shown).toMatchObject({ type: "thinking", thinking: "" });
    expect(readSignature(textOf(shown?.["signature"]) ?? "", "messages")).toEqual(signature);
  });

  test("that was not requested opens no stream, with or without text", () => {
    const { reasoning: _, ...unasked } = REQUEST;
    for (const texts of [["why"], []]) {
      const events = answer(
        ...block({ type: "reasoning" }, texts, { signature: proof }),
        ...block({ type: "text" }, ["hi"]),
      );

      expect(streamed(events, unasked)["content"]).toEqual([{ type: "text", text: "hi" }]);
      const effort = { ...unasked, reasoning: { effort: "high" } };
      expect(streamed(events, effort)["content"]).toEqual([{ type: "text", text: "hi" }]);
    }
  });

  test("that is hidden has its signature only", () => {
    const omitted = { ...REQUEST, reasoning: { enabled: true, visible: false } };
    const events = answer(...block({ type: "reasoning" }, ["why"], { signature: proof }));

    expect(streamed(events, omitted)["content"]).toEqual([
      { type: "thinking", thinking: "", signature: "c2ln" },
    ]);
  });

  test("without text and signature is omitted", () => {
    expect(streamed(answer(...block({ type: "reasoning" }, [])))["content"]).toEqual([]);
  });

  test.each<[string, JsonObject]>([
    ["encrypted as a whole", { type: "redacted_thinking", data: "ZGF0YQ==" }],
    ["left out, but proven", { type: "thinking", thinking: "", signature: "c2ln" }],
    ["shown", { type: "thinking", thinking: "why", signature: "c2ln" }],
  ])("is read back unchanged: %s", (_what, wire) => {
    const events = parseResponse({ id: "msg_1", content: [wire], stop_reason: "end_turn" });

    expect(streamed(events)["content"]).toEqual([wire]);
  });
});

describe("tool calls", () => {
  test("of a free-text tool are delivered as a whole, and read back as an object", () => {
    const text = 'a "b"\n\u{1F600}';
    const json = JSON.stringify({ input: text });
    const events = decoded([
      START,
      opened({ type: "tool_use", id: "toolu_1", name: "patch_xtext_", input: {} }),
      piece({ type: "input_json_delta", partial_json: json.slice(0, 9) }),
      piece({ type: "input_json_delta", partial_json: json.slice(9) }),
      closed(),
      STOP,
      END,
    ]);

    expect(events).toContainEqual({
      type: "open",
      choice: 0,
      block: { type: "tool_call", id: "toolu_1", name: "patch", kind: "custom" },
    });
    expect(saidIn(events).choices[0]?.calls[0]?.arguments).toBe(text);
    expect(streamed(events)["content"]).toMatchObject([{ name: "patch", input: { input: text } }]);
    expect(buildResponse(events, REQUEST)["content"]).toMatchObject([{ input: { input: text } }]);
  });

  test("of a tool with an escaped name have the original name", () => {
    const events = parseResponse({
      content: [{ type: "tool_use", id: "toolu_1", name: "files_x2e_read", input: {} }],
    });

    expect(saidIn(events).choices[0]?.calls).toEqual([
      { id: "toolu_1", name: "files.read", arguments: "{}" },
    ]);
  });

  test("without an id get one, and keep other members", () => {
    const [, open] = parseResponse({
      content: [{ type: "tool_use", name: "f", input: {}, caller: { type: "direct" } }],
    });

    expect(open).toMatchObject({
      block: { id: expect.stringMatching(/^toolu_\w{24}$/), extra: { messages: { caller: {} } } },
    });
  });

  test.each<[FinishReason, string]>([
    ["stop", "tool_use"],
    ["other", "tool_use"],
    ["tool_calls", "tool_use"],
    ["length", "max_tokens"],
    ["content_filter", "refusal"],
  ])("ended by %s get the finish reason %s, which clients need", (reason, expected) => {
    const call: OpenBlock = { type: "tool_call", id: "toolu_1", name: "f", kind: "function" };
    const events = answer(...block(call, ["{}"])).map((event) =>
      event.type === "finish" ? { ...event, reason } : event,
    );

    expect(streamed(events)["stop_reason"]).toBe(expected);
    expect(buildResponse(events, REQUEST)["stop_reason"]).toBe(expected);
  });

  test("with arguments that are no object get an object in a complete response", () => {
    const call: OpenBlock = { type: "tool_call", id: "toolu_1", name: "f", kind: "function" };
    const input = (args: string): unknown => {
      const { content } = buildResponse(answer(...block(call, [args])), REQUEST);
      return objectOf(listOf(content)[0])?.["input"];
    };

    expect(input("")).toEqual({});
    expect(input('{"a":')).toEqual({ _raw: '{"a":' });
  });
});

describe("other content of a response", () => {
  test("citations are kept with their vendor's data, or translated to the style", () => {
    const own = {
      type: "web_search_result_location",
      url: "https://a.example",
      title: "A",
      encrypted_index: "x",
      cited_text: "q",
    };
    const place = { type: "char_location", cited_text: "p", document_index: 0 };
    const content = [{ type: "text", text: "hi", citations: [own, place] }];
    const events = parseResponse({ content, stop_reason: "end_turn" });
    const cite: ChatEvent = {
      type: "cite",
      choice: 0,
      citation: { url: "https://b.example", quote: "r" },
    };
    const [open, delta, close] = block({ type: "text" }, ["yo"]);
    const foreign = answer(...[open, cite, delta, close].filter((one) => one !== undefined));

    expect(events).toContainEqual({
      type: "cite",
      choice: 0,
      citation: {
        url: "https://a.example",
        title: "A",
        quote: "q",
        extra: { messages: { citation: own } },
      },
    });
    expect(streamed(events)["content"]).toEqual(content);
    expect(buildResponse(events, REQUEST)["content"]).toEqual(content);
    expect(streamed(foreign)["content"]).toMatchObject([
      {
        text: "yo",
        citations: [
          {
            type: "web_search_result_location",
            url: "https://b.example",
            title: "",
            encrypted_index: "",
            cited_text: "r",
          },
        ],
      },
    ]);
  });

  test("an upstream's own tools are shown to clients of this style", () => {
    const content = [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ type: "x" }] },
      { type: "mcp_tool_use", id: "m1", name: "x", server_name: "s", input: {} },
      { type: "text", text: "so" },
    ];
    const events = parseResponse({ content, stop_reason: "end_turn" });
    const inPieces = decoded([
      START,
      opened({ type: "server_tool_use", id: "s", name: "web_search", input: {} }),
      piece({ type: "input_json_delta", partial_json: '{"query":' }),
      piece({ type: "input_json_delta", partial_json: '"q"}' }),
      closed(),
      opened({ type: "compaction", content: null }, 1),
      piece({ type: "compaction_delta", content: "sum" }, 1),
      closed(1),
      STOP,
      END,
    ]);

    expect(streamed(events)["content"]).toEqual(content);
    expect(buildResponse(events, REQUEST)["content"]).toEqual(content);
    expect(buildResponse(inPieces, REQUEST)["content"]).toEqual([
      { type: "server_tool_use", id: "s", name: "web_search", input: { query: "q" } },
      { type: "compaction", content: "sum" },
    ]);
  });

  test("content of another style is omitted without a gap", () => {
    const events = answer(
      ...block({ type: "other", style: "responses", data: { type: "x" } }, []),
      ...block({ type: "text" }, ["hi"]),
    );

    expect(streamed(events)["content"]).toEqual([{ type: "text", text: "hi" }]);
    expect(buildResponse(events, REQUEST)["content"]).toEqual([{ type: "text", text: "hi" }]);
  });

  test("a refusal is text, an image is shown as text, and audio as its transcript", () => {
    const sound: ChatEvent[] = [
      { type: "open", choice: 0, block: { type: "audio" } },
      { type: "delta", choice: 0, text: "AAAA", transcript: "hey" },
      { type: "close", choice: 0 },
    ];
    const events = answer(
      ...block({ type: "refusal" }, ["no"]),
      ...block({ type: "image", mediaType: "image/webp" }, ["AA", "BB"]),
      ...sound,
    );
    const expected = [
      { type: "text", text: "no" },
      { type: "text", text: "![image](data:image/webp;base64,AABB)" },
      { type: "text", text: "hey" },
    ];

    expect(streamed(events)["content"]).toEqual(expected);
    expect(buildResponse(events, REQUEST)["content"]).toEqual(expected);
  });

  test.each<[string, JsonObject]>([
    ["a pause to go on from", { stop_reason: "pause_turn" }],
    ["a full window", { stop_reason: "model_context_window_exceeded" }],
    [
      "a refusal and why",
      { stop_reason: "refusal", stop_details: { type: "refusal", category: "x" } },
    ],
    [
      "changes of the context",
      { stop_reason: "end_turn", context_management: { applied_edits: [] } },
    ],
    ["a kept container", { stop_reason: "end_turn", container: { id: "c1" } }],
  ])("the end of a response is kept: %s", (_what, end) => {
    const events = parseResponse({ content: [{ type: "text", text: "a" }], ...end });

    expect(streamed(events)).toMatchObject(end);
    expect(buildResponse(events, REQUEST)).toMatchObject(end);
  });

  test("empty text is omitted, since it could not be sent back", () => {
    const events = answer(...block({ type: "text" }, [""]), ...block({ type: "text" }, []));

    expect(streamed(events)["content"]).toEqual([]);
    expect(buildResponse(events, REQUEST)["content"]).toEqual([]);
  });

  test("only the first of several choices is sent", () => {
    const [start, ...rest] = answer(...block({ type: "text" }, ["a"]));
    const second: ChatEvent[] = [
      { type: "open", choice: 1, block: { type: "text" } },
      { type: "delta", choice: 1, text: "b" },
      { type: "close", choice: 1 },
      { type: "finish", choice: 1, reason: "length" },
    ];
    const events = [...(start === undefined ? [] : [start]), ...second, ...rest];

    expect(streamed(events)).toMatchObject({ content: [{ text: "a" }], stop_reason: "end_turn" });
    expect(buildResponse(events, REQUEST)["content"]).toEqual([{ type: "text", text: "a" }]);
  });
});

test("[A2.5] a complete response has the members that clients need", () => {
  const events = answer(...block({ type: "text" }, ["hi"])).map((event) =>
    event.type === "finish" ? { ...event, stopSequence: "END" } : event,
  );

  expect(buildResponse(events, REQUEST)).toEqual({
    id: "msg_abc",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "hi" }],
    stop_reason: "stop_sequence",
    stop_sequence: "END",
    usage: {
      input_tokens: 3,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 2,
    },
  });
});

test("[A6-a] a stream has named events, in the exact order", () => {
  const call: OpenBlock = { type: "tool_call", id: "toolu_1", name: "f", kind: "function" };
  const events = answer(...block({ type: "text" }, ["a"]), ...block(call, ["{}"]));

  expect(encoded(events)).toBe(
    [
      formatSse(
        '{"type":"message_start","message":{"id":"msg_abc","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}',
        "message_start",
      ),
      formatSse(
        '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        "content_block_start",
      ),
      formatSse(
        '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}',
        "content_block_delta",
      ),
      formatSse('{"type":"content_block_stop","index":0}', "content_block_stop"),
      formatSse(
        '{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}',
        "content_block_start",
      ),
      formatSse(
        '{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}',
        "content_block_delta",
      ),
      formatSse('{"type":"content_block_stop","index":1}', "content_block_stop"),
      formatSse(
        '{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}}',
        "message_delta",
      ),
      formatSse('{"type":"message_stop"}', "message_stop"),
    ].join(""),
  );
});

test("the finish reason is sent with the usage, which upstreams may report later", () => {
  const encoder = openEncoder(REQUEST);
  const events = answer(...block({ type: "text" }, ["a"]));
  const early = events
    .slice(0, -1)
    .map((event) => encoder.encode(event))
    .join("");

  expect(early).not.toContain("message_delta");
  expect(encoder.end()).toContain('"stop_reason":"end_turn"');
});

const WORDS = fc.constantFrom("a", "", "ü👋", '"\\', "\n\n", "data: x");
const HEAD = fc.oneof(
  fc.constantFrom<OpenBlock>(
    { type: "text" },
    { type: "refusal" },
    { type: "reasoning" },
    { type: "image" },
    { type: "audio" },
    { type: "other", style: "gemini", data: { type: "x" } },
    { type: "other", style: "messages", data: { type: "web_search_tool_result", content: [] } },
  ),
  fc
    .constantFrom<"function" | "custom">("function", "custom")
    .map((kind): OpenBlock => ({ type: "tool_call", id: "toolu_", name: "f", kind })),
);
const BLOCKS = fc.array(
  fc.record({
    head: HEAD,
    texts: fc.array(WORDS, { maxLength: 3 }),
    issuer: fc.constantFrom(undefined, "messages", "gemini"),
  }),
  { maxLength: 5 },
);

test(`any hub events become a stream that clients can read (seed ${SEED})`, () => {
  fc.assert(
    fc.property(
      BLOCKS,
      fc.constantFrom<FinishReason>("stop", "length", "content_filter", "other"),
      (blocks, reason) => {
        const events = answer(
          ...blocks.flatMap(({ head, texts, issuer }, at) =>
            block(
              head.type === "tool_call" ? { ...head, id: `toolu_${at}` } : head,
              head.type === "other" ? [] : texts,
              issuer === undefined ? {} : { signature: { issuer, value: "s" } },
            ),
          ),
        ).map((event) => (event.type === "finish" ? { ...event, reason } : event));
        const stream = encoded(events);
        const again = saidIn(read(readEvents(stream))).choices[0];
        const said = saidIn(events).choices[0];

        expect(messagesStreamFaults(stream)).toEqual([]);
        expect(again?.reasoning).toBe(said?.reasoning ?? "");
        expect(again?.calls.length).toBe(said?.calls.length ?? 0);
      },
    ),
    { seed: SEED, numRuns: times(120, 20_000) },
  );
});

test(`a stream with any split gives the same events (seed ${SEED})`, () => {
  const stream = [
    START,
    ...textBlock("Grüße 👋"),
    opened({ type: "tool_use", id: "toolu_1", name: "f", input: {} }, 1),
    piece({ type: "input_json_delta", partial_json: '{"a":"ß"}' }, 1),
    closed(1),
    STOP,
    END,
  ]
    .map((body) => formatSse(JSON.stringify(body), textOf(body["type"]) ?? ""))
    .join("");
  const bytes = new TextEncoder().encode(stream);
  const whole = read(readEvents(stream));

  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 6 }), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const sse = new SseDecoder(1_000_000);
      const events = places
        .slice(1)
        .flatMap((end, at) => [...sse.push(bytes.subarray(places[at], end))]);

      expect(read([...events, ...sse.end()])).toEqual(whole);
    }),
    { seed: SEED, numRuns: times(150, 10_000) },
  );
});

test("a response of any form is read or refused with the gateway's own error", () => {
  const any = fc.jsonValue({ maxDepth: 4 });
  const word = fc.constantFrom(
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "error",
    "text",
    "tool_use",
    "thinking",
    "text_delta",
    "input_json_delta",
    "x",
  );
  const odd = fc.record(
    {
      type: fc.oneof(word, any),
      index: any,
      message: fc.oneof(any, fc.record({ content: any, usage: any, id: any, model: any })),
      content_block: fc.oneof(
        any,
        fc.record({ type: word, text: any, input: any, name: any, id: any }),
      ),
      delta: fc.oneof(
        any,
        fc.record({ type: word, text: any, partial_json: any, stop_reason: any }),
      ),
      usage: any,
      error: any,
    },
    { requiredKeys: ["type"] },
  );
  const codes = new Set(["upstream_failed", "upstream_rejected", "upstream_auth", undefined]);

  fc.assert(
    fc.property(fc.array(odd, { maxLength: 6 }), any, (bodies, body) => {
      const json = parseJson(JSON.stringify(body));
      const streamOutcome = failure(() => {
        const decoder = openDecoder();
        for (const one of bodies) decoder.read({ data: JSON.stringify(one) });
        decoder.end();
      });

      expect(codes.has(streamOutcome)).toBe(true);
      expect(codes.has(failure(() => parseResponse(isObject(json) ? json : {})))).toBe(true);
    }),
    { seed: SEED, numRuns: times(500, 20_000) },
  );
});
