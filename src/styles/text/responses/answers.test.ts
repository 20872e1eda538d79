import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Block, ChatEvent, ChatRequest, OpenBlock } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { NO_USAGE } from "#core/usage.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { responsesStreamFaults } from "#test/grammar/responses.ts";
import { SEED, times } from "#test/seed.ts";
import { hubFaults, saidIn, type SaidChoice } from "#test/translate/chat-answers.ts";
import { decodeSse, decodeStream, encodeStream } from "#test/translate/streams.ts";
import { responses } from "./index.ts";

const USAGE = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
const CREATED: JsonObject = {
  type: "response.created",
  response: { id: "resp_1", model: "m", created_at: 7, status: "in_progress", output: [] },
};

function completed(output: readonly Json[] = [], more: JsonObject = {}): JsonObject {
  const response = { id: "resp_1", status: "completed", output, usage: USAGE, ...more };
  return { type: "response.completed", response };
}

function item(type: string, more: JsonObject, step = "added", index = 0): JsonObject {
  return {
    type: `response.output_item.${step}`,
    output_index: index,
    item: { type, id: `${type}_${index}`, ...more },
  };
}

function piece(type: string, more: JsonObject, index = 0): JsonObject {
  return { type: `response.${type}`, output_index: index, content_index: 0, ...more };
}

async function decoded(wire: readonly JsonObject[]): Promise<ChatEvent[]> {
  const events = await Array.fromAsync(
    decodeStream(responses, each(wire.map((one) => ({ data: JSON.stringify(one) })))),
  );
  expect(hubFaults(events)).toEqual([]);
  return events;
}

async function said(...wire: readonly JsonObject[]): Promise<SaidChoice | undefined> {
  return saidIn(await decoded([CREATED, ...wire, completed()])).choices[0];
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

const TEXT = item("message", { role: "assistant", content: [] });

describe("a wrong part index", () => {
  const whole = (...texts: string[]): JsonObject[] =>
    texts.map((text) => ({ type: "output_text", text, annotations: [] }));
  const delta = (text: string, at: number): JsonObject =>
    piece("output_text.delta", { content_index: at, delta: text });

  test.each<[string, JsonObject[], JsonObject[], string]>([
    ["counted over the whole answer", [delta("Hel", 1), delta("lo", 1)], whole("Hello"), "Hello"],
    [
      "with another text at the part's end",
      [delta("Hello", 1), piece("output_text.done", { content_index: 0, text: "Hello" })],
      whole("Hello"),
      "Hello",
    ],
    ["not all of it streamed", [delta("Hel", 3)], whole("Hello"), "Hello"],
    ["of two parts", [delta("ab", 1), delta("cd", 2)], whole("ab", "cd"), "abcd"],
    ["two that say the same", [delta("a", 0)], whole("a", "a"), "aa"],
    [
      "two that say the same, counted from one",
      [delta("a", 1), delta("a", 2)],
      whole("a", "a"),
      "aa",
    ],
  ])("%s: the text is read once", async (_what, deltas, content, text) => {
    const done = item("message", { role: "assistant", content }, "done");
    const answer = await said(TEXT, ...deltas, done);

    expect(answer?.text).toBe(text);
  });

  test("of a summary: it is read once", async () => {
    const summary = [{ type: "summary_text", text: "why" }];
    const answer = await said(
      item("reasoning", { summary: [] }),
      piece("reasoning_summary_text.delta", { summary_index: 4, delta: "why" }),
      item("reasoning", { summary }, "done"),
      item("message", { role: "assistant", content: [] }, "added", 1),
    );

    expect(answer?.reasoning).toBe("why");
  });
});

describe("text is read in every server's form", () => {
  const part = { type: "output_text", text: "Hello", annotations: [] };

  test.each<[string, JsonObject[]]>([
    [
      "as the style has it",
      [
        TEXT,
        piece("content_part.added", { part: { ...part, text: "" } }),
        piece("output_text.delta", { delta: "Hel" }),
        piece("output_text.delta", { delta: "lo" }),
        piece("output_text.done", { text: "Hello" }),
        piece("content_part.done", { part }),
        item("message", { content: [part] }, "done"),
      ],
    ],
    ["in pieces alone", [piece("output_text.delta", { delta: "Hello" })]],
    [
      "without the beginning of its item",
      [
        piece("output_text.delta", { delta: "Hel", item_id: "a" }),
        piece("output_text.done", { text: "Hello", item_id: "a" }),
      ],
    ],
    ["at the end of its text only", [TEXT, piece("output_text.done", { text: "Hello" })]],
    ["at the end of its part only", [TEXT, piece("content_part.done", { part })]],
    ["at the end of its item only", [TEXT, item("message", { content: [part] }, "done")]],
    ["as an item that was never announced", [item("message", { content: [part] }, "done")]],
    ["at the end of the response only", [completed([{ type: "message", content: [part] }])]],
    [
      "with ids that change",
      [
        item("message", { id: "x", content: [] }),
        piece("output_text.delta", { delta: "Hel", item_id: "y" }),
        item("message", { id: "z", content: [part] }, "done"),
      ],
    ],
    [
      "among events that say nothing",
      [
        { type: "keepalive" },
        TEXT,
        { type: "response.thing_of_tomorrow", delta: "no" },
        piece("output_text.delta", { delta: "" }),
        piece("output_text.delta", { delta: null }),
        piece("output_text.delta", { delta: "Hello" }),
      ],
    ],
  ])("%s", async (_how, wire) => {
    expect((await said(...wire))?.text).toBe("Hello");
  });

  test("the event name counts if the data has no type", async () => {
    const events = await Array.fromAsync(
      decodeStream(
        responses,
        each([
          { event: "response.output_text.delta", data: '{"delta":"Hello"}' },
          {
            event: "response.completed",
            data: JSON.stringify({ response: { status: "completed" } }),
          },
          { data: "[DONE]" },
        ]),
      ),
    );

    expect(saidIn(events).choices[0]).toMatchObject({ text: "Hello", finish: "stop" });
  });

  test("several parts and messages keep their order", async () => {
    const events = await decoded([
      CREATED,
      TEXT,
      piece("output_text.delta", { delta: "a" }),
      piece("output_text.delta", { delta: "b", content_index: 1 }),
      piece("refusal.delta", { delta: "c", content_index: 2 }),
      item("message", { content: [] }, "added", 1),
      piece("output_text.delta", { delta: "d" }, 1),
      completed(),
    ]);
    const texts = events.flatMap((event) =>
      event.type === "delta" ? [event.text] : event.type === "open" ? [event.block.type] : [],
    );

    expect(texts).toEqual(["text", "a", "text", "b", "refusal", "c", "text", "d"]);
  });

  test("text of an item after another item is a separate block", async () => {
    const answer = await said(
      TEXT,
      piece("output_text.delta", { delta: "a" }),
      item("message", { content: [] }, "added", 1),
      piece("output_text.delta", { delta: "b" }, 1),
      piece("output_text.delta", { delta: "c" }, 0),
      item("message", { content: [{ type: "output_text", text: "ac" }] }, "done"),
    );

    expect(answer?.text).toBe("abc");
  });

  test("citations and probabilities are read once", async () => {
    const cited = {
      type: "url_citation",
      url: "https://x.test",
      title: "t",
      start_index: 0,
      end_index: 5,
    };
    const file = { type: "file_citation", file_id: "f" };
    const logprobs = [{ token: "Hello", logprob: -1, top_logprobs: [] }];
    const whole = { ...part, annotations: [cited, file], logprobs };
    const events = await decoded([
      CREATED,
      TEXT,
      piece("output_text.delta", { delta: "Hello", logprobs }),
      piece("output_text.annotation.added", { annotation: cited, annotation_index: 0 }),
      piece("content_part.done", { part: whole }),
      item("message", { content: [whole] }, "done"),
      completed(),
    ]);

    expect(events.filter(({ type }) => type === "cite")).toEqual([
      {
        type: "cite",
        choice: 0,
        citation: { url: "https://x.test", title: "t", start: 0, end: 5 },
      },
    ]);
    expect(saidIn(events).choices[0]?.logprobs).toEqual(logprobs);
    expect(events.find(({ type }) => type === "close")).toMatchObject({
      extra: { responses: { annotations: [file] } },
    });
  });
});

describe("[A4.4-f] tool calls are read in every server's form", () => {
  const CALL = { call_id: "c1", name: "f", arguments: "" };
  const WHOLE = { ...CALL, arguments: '{"x":1}' };

  test.each<[string, JsonObject[]]>([
    [
      "as the style has it",
      [
        item("function_call", CALL),
        piece("function_call_arguments.delta", { delta: '{"x"' }),
        piece("function_call_arguments.delta", { delta: ":1}" }),
        piece("function_call_arguments.done", { arguments: '{"x":1}' }),
        item("function_call", WHOLE, "done"),
      ],
    ],
    [
      "without a delta",
      [
        item("function_call", CALL),
        piece("function_call_arguments.done", { arguments: '{"x":1}' }),
        item("function_call", WHOLE, "done"),
      ],
    ],
    ["as an item alone", [item("function_call", WHOLE, "done")]],
    ["at the end of the response only", [completed([{ type: "function_call", ...WHOLE }])]],
    [
      "with its name at the end",
      [
        item("function_call", { call_id: "c1" }),
        piece("function_call_arguments.delta", { delta: '{"x":1}' }),
        item("function_call", WHOLE, "done"),
      ],
    ],
    [
      "with an object as arguments",
      [item("function_call", { ...CALL, arguments: { x: 1 } }, "done")],
    ],
  ])("%s", async (_how, wire) => {
    const answer = await said(...wire);

    expect(answer?.calls).toEqual([{ id: "c1", name: "f", arguments: '{"x":1}' }]);
    expect(answer?.finish).toBe("tool_calls");
  });

  test("interleaved calls become consecutive", async () => {
    const answer = await said(
      item("function_call", { ...CALL, call_id: "c1" }),
      item("function_call", { ...CALL, call_id: "c2" }, "added", 1),
      piece("function_call_arguments.delta", { delta: '{"b"' }, 1),
      piece("function_call_arguments.delta", { delta: '{"a"' }, 0),
      piece("function_call_arguments.delta", { delta: ":2}" }, 1),
      piece("function_call_arguments.delta", { delta: ":1}" }, 0),
      piece("function_call_arguments.done", { arguments: '{"a":1}' }, 0),
      piece("function_call_arguments.done", { arguments: '{"b":2}' }, 1),
    );

    expect(answer?.calls.map((call) => call.arguments)).toEqual(['{"a":1}', '{"b":2}']);
  });

  test("empty arguments are an empty object, and free text is unchanged", async () => {
    const answer = await said(
      item("function_call", CALL, "done"),
      item("custom_tool_call", { call_id: "c2", name: "p", input: "" }, "added", 1),
      piece("custom_tool_call_input.delta", { delta: "ra" }, 1),
      piece("custom_tool_call_input.done", { input: "raw" }, 1),
    );

    expect(answer?.calls.map((call) => call.arguments)).toEqual(["{}", "raw"]);
  });

  test("a free-text call that was never announced is read as well", async () => {
    const events = await decoded([
      CREATED,
      piece("custom_tool_call_input.delta", { delta: "raw", item_id: "ctc_1" }),
      item("custom_tool_call", { id: "ctc_1", call_id: "c2", name: "p", input: "raw" }, "done"),
      completed(),
    ]);

    expect(events[1]).toMatchObject({ block: { name: "p", id: "c2", kind: "custom" } });
    expect(saidIn(events).choices[0]?.calls[0]?.arguments).toBe("raw");
  });

  test("escaped names are restored", async () => {
    const answer = await said(item("function_call", { ...WHOLE, name: "a_x2e_b" }, "done"));

    expect(answer?.calls[0]?.name).toBe("a.b");
  });

  test("a call without a tool name is the upstream's failure", async () => {
    expect(await failure(said(item("function_call", { call_id: "c1" }, "done")))).toBe(
      "upstream_failed",
    );
  });
});

describe("reasoning is read in every server's form", () => {
  async function thought(...wire: readonly JsonObject[]): Promise<unknown> {
    const events = await decoded([CREATED, ...wire, completed()]);
    const closed = events.find((event) => event.type === "close");
    return [saidIn(events).choices[0]?.reasoning, closed?.signature];
  }

  test.each<[string, JsonObject[], unknown]>([
    [
      "a summary in parts, joined by a blank line",
      [
        item("reasoning", { summary: [] }),
        piece("reasoning_summary_text.delta", { summary_index: 0, delta: "one" }),
        piece("reasoning_summary_text.delta", { summary_index: 1, delta: "tw" }),
        piece("reasoning_summary_text.delta", { summary_index: 1, delta: "o" }),
        item("reasoning", { summary: [], encrypted_content: "gAAA" }, "done"),
      ].map((one) => ({ ...one, content_index: null })),
      ["one\n\ntwo", { issuer: "responses", value: "gAAA" }],
    ],
    [
      "a summary that only the item holds",
      [
        item(
          "reasoning",
          {
            summary: [
              { type: "summary_text", text: "one" },
              { type: "summary_text", text: "two" },
            ],
          },
          "done",
        ),
      ],
      ["one\n\ntwo", undefined],
    ],
    [
      "the reasoning itself",
      [
        item("reasoning", { summary: [] }),
        piece("reasoning_text.delta", { delta: "raw" }),
        item("reasoning", { content: [{ type: "reasoning_text", text: "raw" }] }, "done"),
      ],
      ["raw", undefined],
    ],
    [
      "both, of which the summary was first",
      [
        item(
          "reasoning",
          {
            summary: [{ type: "summary_text", text: "short" }],
            content: [{ type: "reasoning_text", text: "long" }],
          },
          "done",
        ),
      ],
      ["short", undefined],
    ],
    [
      "proof alone",
      [item("reasoning", { summary: [], encrypted_content: "gAAA" }, "done")],
      ["", { issuer: "responses", value: "gAAA" }],
    ],
    [
      "a signature that is complete only at the end",
      [
        item("reasoning", { summary: [], encrypted_content: "gAA" }),
        item("reasoning", { summary: [], encrypted_content: "gAAA" }, "done"),
      ],
      ["", { issuer: "responses", value: "gAAA" }],
    ],
    [
      "no signature if only its beginning arrived",
      [
        item("reasoning", { summary: [], encrypted_content: "gAA" }),
        piece("reasoning_text.delta", { delta: "why" }),
        item("reasoning", { summary: [] }, "done"),
      ],
      ["why", undefined],
    ],
    ["nothing of it", [item("reasoning", { summary: [] }, "done")], ["", undefined]],
  ])("%s", async (_how, wire, expected) => {
    expect(await thought(...wire)).toEqual(expected);
  });

  test("its signature may arrive after later text, and keeps its position", async () => {
    const events = await decoded([
      CREATED,
      item("reasoning", { summary: [] }),
      piece("reasoning_text.delta", { delta: "why" }),
      item("message", { content: [] }, "added", 1),
      piece("output_text.delta", { delta: "so" }, 1),
      item("message", { content: [] }, "done", 1),
      item("reasoning", { summary: [], encrypted_content: "gAAA" }, "done"),
      completed(),
    ]);
    const order = events.flatMap((event) => (event.type === "open" ? [event.block.type] : []));

    expect(order).toEqual(["reasoning", "text"]);
    expect(events.find((event) => event.type === "close")).toMatchObject({
      signature: { value: "gAAA" },
    });
  });
});

describe("content of this style is returned to it", () => {
  const SEARCH = {
    type: "web_search_call",
    id: "ws_1",
    status: "completed",
    action: { type: "search", query: "q" },
  };

  test("a server tool's activity", async () => {
    const events = await decoded([
      CREATED,
      item("web_search_call", { id: "ws_1", status: "in_progress" }),
      piece("web_search_call.searching", { item_id: "ws_1" }),
      { type: "response.output_item.done", output_index: 0, item: SEARCH },
      TEXT,
      completed(),
    ]);

    expect(events.filter(({ type }) => type === "open")).toEqual([
      { type: "open", choice: 0, block: { type: "other", style: "responses", data: SEARCH } },
    ]);
  });

  test("an image", async () => {
    const image = { id: "ig_1", status: "completed", result: "AAAA", output_format: "webp" };
    const events = await decoded([
      CREATED,
      item("image_generation_call", image, "done"),
      completed(),
    ]);

    expect(events[1]).toMatchObject({ block: { type: "image", mediaType: "image/webp" } });
    expect(saidIn(events).choices[0]?.images).toEqual(["AAAA"]);
  });
});

describe("[A3.2] a response ends only with an end event", () => {
  test.each<[string, JsonObject, string]>([
    ["completed", {}, "stop"],
    [
      "the limit",
      { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
      "length",
    ],
    [
      "the filter",
      { status: "incomplete", incomplete_details: { reason: "content_filter" } },
      "content_filter",
    ],
    [
      "the limit, in another vendor's notation",
      { status: "incomplete", incomplete_details: { reason: "max_tokens" } },
      "length",
    ],
    ["an unknown reason", { status: "incomplete", incomplete_details: { reason: "x" } }, "other"],
  ])("%s", async (_how, more, finish) => {
    const type = more["status"] === "incomplete" ? "response.incomplete" : "response.completed";
    const events = await decoded([CREATED, { ...completed([], more), type }]);
    const whole = responses.outbound.parseResponse({ status: "completed", output: [], ...more });

    expect([saidIn(events).choices[0]?.finish, saidIn(whole).choices[0]?.finish]).toEqual([
      finish,
      finish,
    ]);
    expect(saidIn(events).usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
  });

  test.each<[string, JsonObject[], string]>([
    ["a stream that breaks off", [CREATED, TEXT], "upstream_failed"],
    ["nothing at all", [], "upstream_failed"],
    [
      "a response that failed",
      [
        CREATED,
        {
          type: "response.failed",
          response: { status: "failed", error: { code: "rate_limit_exceeded", message: "slow" } },
        },
      ],
      "upstream_rate_limited",
    ],
    [
      "a flat error",
      [CREATED, { type: "error", code: "server_error", message: "m", param: null }],
      "upstream_failed",
    ],
    [
      "a nested error",
      [CREATED, { type: "error", error: { type: "invalid_request_error", message: "m" } }],
      "upstream_rejected",
    ],
    [
      "an error that blames the prompt",
      [
        {
          type: "response.failed",
          response: { status: "failed", error: { code: "invalid_prompt", message: "m" } },
        },
      ],
      "content_filtered",
    ],
    ["a failure without a message", [{ type: "response.failed", response: {} }], "upstream_failed"],
  ])("%s is a failure", async (_what, wire, code) => {
    expect(await failure(decoded(wire))).toBe(code);
  });

  test.each<[string, JsonObject, string]>([
    ["still at work", { status: "in_progress", output: [] }, "upstream_failed"],
    ["cancelled", { status: "cancelled", output: [] }, "upstream_failed"],
    [
      "failed",
      { status: "failed", error: { code: "invalid_image", message: "m" }, output: [] },
      "upstream_rejected",
    ],
    ["another style's", { choices: [] }, "upstream_failed"],
    ["nothing", {}, "upstream_failed"],
  ])("a complete response that is %s is a failure", async (_what, body, code) => {
    expect(await failure((async () => responses.outbound.parseResponse(body))())).toBe(code);
  });

  test("an unreadable event counts as lost content; other data of a server is ignored", async () => {
    const read = (data: string): Promise<unknown> =>
      Array.fromAsync(
        decodeStream(responses, each([{ data }, { data: JSON.stringify(completed()) }])),
      );

    expect(await failure(read('{"type":'))).toBe("upstream_failed");
    expect(await failure(read("OPENROUTER PROCESSING"))).toBe("no failure");
    expect(await failure(read("[1]"))).toBe("no failure");
  });
});

const START: ChatEvent = {
  type: "start",
  id: "abcdefghijklmnopqrstuvwx",
  model: "m",
  createdAt: 7_000,
};

function block(
  head: OpenBlock,
  texts: readonly string[] = [],
  close: JsonObject = {},
): ChatEvent[] {
  return [
    { type: "open", choice: 0, block: head },
    ...texts.map((text) => ({ type: "delta", choice: 0, text }) as const),
    { type: "close", choice: 0, ...close },
  ];
}

function ended(reason: "stop" | "length" | "tool_calls" | "content_filter" | "other"): ChatEvent[] {
  return [
    { type: "finish", choice: 0, reason },
    {
      type: "usage",
      usage: { ...NO_USAGE, inputTokens: 3, cachedInputTokens: 1, outputTokens: 2 },
    },
  ];
}

function requestWith(fields: JsonObject): ChatRequest {
  const body = { model: "m", input: "hi", ...fields };
  return responses.inbound.parseRequest(body, responses.inbound.readRequest(body, {}));
}

async function encoded(
  events: readonly ChatEvent[],
  fields: JsonObject = {},
): Promise<JsonObject[]> {
  const pieces = encodeStream(responses, each(events), requestWith(fields));
  const stream = (await Array.fromAsync(pieces)).join("");
  expect(responsesStreamFaults(stream)).toEqual([]);
  const wire = readEvents(stream)
    .map(({ data }) => parseJson(data))
    .filter(isObject);
  const whole = responses.inbound.buildResponse(events, requestWith(fields));
  expect(withoutIds(whole)).toEqual(withoutIds(wire.at(-1)?.["response"] ?? null));
  return wire;
}

/** Made-up ids differ from writing to writing. */
function withoutIds(value: Json): Json {
  return parseJson(JSON.stringify(value).replaceAll(/"(msg|fc|rs|ctc|ig)_\w{24}"/g, '""')) ?? null;
}

function typesOf(wire: readonly JsonObject[]): Json[] {
  return wire.map(({ type }) => type ?? null);
}

function finalIn(wire: readonly JsonObject[]): JsonObject {
  const last = wire.at(-1)?.["response"];
  return isObject(last) ? last : {};
}

const CALL: OpenBlock = { type: "tool_call", id: "call_1", name: "f", kind: "function" };

describe("[A6-b] a stream has every event that clients need to assemble a response", () => {
  test("for text", async () => {
    const wire = await encoded([
      START,
      ...block({ type: "text" }, ["Hel", "lo"]),
      ...ended("stop"),
    ]);

    expect(typesOf(wire)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(wire[0]).toMatchObject({ response: { status: "in_progress", usage: null, output: [] } });
  });

  test("[A4.4-f] for calls, with and without arguments, after text", async () => {
    const custom: OpenBlock = { type: "tool_call", id: "call_2", name: "p", kind: "custom" };
    const wire = await encoded([
      START,
      ...block({ type: "text" }, ["so"]),
      ...block(CALL, ['{"x":', "1}"]),
      ...block(custom, []),
      ...ended("tool_calls"),
    ]);

    expect(typesOf(wire).slice(8, -1)).toEqual([
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.custom_tool_call_input.done",
      "response.output_item.done",
    ]);
    expect(finalIn(wire)).toMatchObject({
      status: "completed",
      output: [
        { type: "message", content: [{ text: "so" }] },
        { type: "function_call", call_id: "call_1", name: "f", arguments: '{"x":1}' },
        { type: "custom_tool_call", call_id: "call_2", name: "p", input: "" },
      ],
    });
  });

  test("for reasoning, in every field", async () => {
    const wire = await encoded(
      [
        START,
        ...block({ type: "reasoning" }, ["why"]),
        ...block({ type: "text" }, ["so"]),
        ...block({ type: "reasoning" }, ["again"]),
        ...block(CALL, ["{}"]),
        ...ended("tool_calls"),
      ],
      { reasoning: { summary: "auto" } },
    );

    expect(typesOf(wire).slice(2, 8)).toEqual([
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
    ]);
    expect(finalIn(wire)).toMatchObject({
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "why" }] },
        { type: "message" },
        { type: "reasoning", summary: [{ text: "again" }] },
        { type: "function_call" },
      ],
    });
  });

  test("consecutive texts and refusals are parts of one message, including citations", async () => {
    const wire = await encoded([
      START,
      ...block({ type: "text" }, ["a"]),
      { type: "open", choice: 0, block: { type: "text" } },
      { type: "delta", choice: 0, text: "b" },
      {
        type: "cite",
        choice: 0,
        citation: { url: "https://x.test", title: "t", start: 0, end: 1 },
      },
      { type: "close", choice: 0 },
      ...block({ type: "refusal" }, ["c"]),
      ...ended("stop"),
    ]);

    expect(finalIn(wire)["output"]).toMatchObject([
      {
        type: "message",
        content: [
          { type: "output_text", text: "a", annotations: [] },
          {
            type: "output_text",
            text: "b",
            annotations: [
              {
                type: "url_citation",
                url: "https://x.test",
                title: "t",
                start_index: 0,
                end_index: 1,
              },
            ],
          },
          { type: "refusal", refusal: "c" },
        ],
      },
    ]);
  });

  test("for an image, a server tool, and audio, which becomes its transcript", async () => {
    const data = { type: "web_search_call", id: "ws_1", status: "completed", action: {} };
    const wire = await encoded([
      START,
      ...block({ type: "other", style: "responses", data }),
      ...block({ type: "other", style: "messages", data: { type: "server_tool_use" } }),
      ...block({ type: "image", mediaType: "image/webp" }, ["AA", "AA"]),
      { type: "open", choice: 0, block: { type: "audio" } },
      { type: "delta", choice: 0, text: "QUJD", transcript: "words" },
      { type: "close", choice: 0 },
      ...ended("stop"),
    ]);

    expect(finalIn(wire)["output"]).toMatchObject([
      data,
      { type: "image_generation_call", result: "AAAA", output_format: "webp" },
      { type: "message", content: [{ text: "words" }] },
    ]);
  });

  test("for an empty response", async () => {
    const wire = await encoded([START, ...ended("stop")]);

    expect([typesOf(wire), finalIn(wire)["output"]]).toEqual([
      ["response.created", "response.in_progress", "response.completed"],
      [],
    ]);
  });
});

describe("[A3.2] a response has the status of its end", () => {
  test.each([
    ["stop", "completed", null, "completed"],
    ["other", "completed", null, "completed"],
    ["length", "incomplete", { reason: "max_output_tokens" }, "incomplete"],
    ["content_filter", "incomplete", { reason: "content_filter" }, "incomplete"],
  ] as const)("%s", async (reason, status, details, ofItem) => {
    const wire = await encoded([START, ...block({ type: "text" }, ["a"]), ...ended(reason)]);

    expect(wire.at(-1)?.["type"]).toBe(`response.${status}`);
    expect(finalIn(wire)).toMatchObject({
      status,
      incomplete_details: details,
      output: [{ status: ofItem }],
      usage: {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 1 },
        output_tokens: 2,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 5,
      },
    });
  });

  test("a call that the limit truncated is incomplete", async () => {
    const wire = await encoded([START, ...block(CALL, ['{"x":']), ...ended("length")]);

    expect(finalIn(wire)["output"]).toMatchObject([{ status: "incomplete", arguments: '{"x":' }]);
  });

  test("nothing about the end is sent before the end", () => {
    const encoder = responses.inbound.openEncoder(requestWith({}));
    const events = [START, ...block({ type: "text" }, ["a"]), ...ended("stop")];
    const before = events.map((event) => encoder.encode(event)).join("");

    expect(before).not.toContain("response.completed");
    expect(encoder.end()).toStartWith("event: response.completed\n");
  });

  test("a response without a finish reason has not ended", () => {
    const encoder = responses.inbound.openEncoder(requestWith({}));
    encoder.encode(START);

    expect(() => encoder.end()).toThrow("ended before it was complete");
  });
});

describe("[A7] a failure is the last event, in any position", () => {
  const events = [
    START,
    ...block({ type: "reasoning" }, ["why"]),
    ...block({ type: "text" }, ["a", "b"]),
    ...block(CALL, ["{", "}"]),
  ];
  const error = new GatewayError("upstream_overloaded", "The upstream is busy.");

  test.each(Array.from({ length: events.length + 1 }, (_, count) => [count]))(
    "after %d events",
    (count) => {
      const encoder = responses.inbound.openEncoder(
        requestWith({ reasoning: { summary: "auto" } }),
      );
      const begun = events.slice(0, count).map((event) => encoder.encode(event));
      const stream = begun.join("") + encoder.fail(error);
      const last = parseJson(readEvents(stream).at(-1)?.data ?? "");

      expect(responsesStreamFaults(stream)).toEqual([]);
      expect(last).toMatchObject({
        type: "response.failed",
        response: {
          status: "failed",
          error: { code: "server_is_overloaded", message: "The upstream is busy." },
        },
      });
    },
  );
});

describe("reasoning in a response follows the client's options", () => {
  const events: ChatEvent[] = [
    START,
    ...block({ type: "reasoning" }, ["why"], { signature: { issuer: "messages", value: "sig" } }),
    ...block({ type: "text" }, ["so"]),
    ...ended("stop"),
  ];
  const summary = [{ type: "summary_text", text: "why" }];
  const proof = Buffer.from("sluice:messages:sig").toString("base64");
  const include = ["reasoning.encrypted_content"];

  test.each<[string, JsonObject, Json, Json | undefined]>([
    ["nothing", {}, [], undefined],
    ["[A4.4-e] a summary", { reasoning: { summary: "detailed" } }, summary, undefined],
    ["[A4.4-e] no summary", { reasoning: { summary: "none" }, include }, [], proof],
    ["signatures, which come with their reasoning", { include }, summary, proof],
  ])("%s", async (_what, fields, shown, encrypted) => {
    const [thought] = finalIn(await encoded(events, fields))["output"] as JsonObject[];

    expect<unknown>([thought?.["summary"], thought?.["encrypted_content"]]).toEqual([
      shown,
      encrypted,
    ]);
  });

  test("and is read back when it is returned", async () => {
    const output = finalIn(await encoded(events, { include }))["output"] ?? null;
    const { messages } = requestWith({ input: output });

    expect(messages[0]?.blocks[0]).toMatchObject({
      type: "reasoning",
      text: "why",
      signature: { issuer: "messages", value: "sig" },
    } satisfies Partial<Block>);
  });
});

describe("[A2.4] the response object repeats the request's options", () => {
  test("with the documented defaults for missing ones", async () => {
    expect(finalIn(await encoded([START, ...ended("stop")]))).toEqual({
      id: "resp_abcdefghijklmnopqrstuvwx",
      object: "response",
      created_at: 7,
      completed_at: 7,
      frequency_penalty: 0,
      presence_penalty: 0,
      user: null,
      status: "completed",
      background: false,
      error: null,
      incomplete_details: null,
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      model: "m",
      output: [],
      parallel_tool_calls: true,
      previous_response_id: null,
      prompt_cache_key: null,
      reasoning: { effort: null, summary: null },
      safety_identifier: null,
      service_tier: "default",
      store: true,
      temperature: 1,
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools: [],
      top_logprobs: 0,
      top_p: 0.98,
      truncation: "disabled",
      usage: {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 1, cache_write_tokens: 0 },
        output_tokens: 2,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 5,
      },
      metadata: {},
    });
  });

  test("[A4.4-c] [A4.4-d] [A4.4-e] and the client's values otherwise", async () => {
    const asked = {
      instructions: "i",
      max_output_tokens: 9,
      max_tool_calls: 2,
      parallel_tool_calls: false,
      previous_response_id: "resp_0",
      store: false,
      temperature: 0.5,
      top_p: 0.5,
      truncation: "auto",
      user: "u",
      metadata: { a: "b" },
      text: { format: { type: "json_object" }, verbosity: "low" },
      reasoning: { effort: "low", summary: "auto" },
      prompt_cache_key: "k",
    };
    const response = finalIn(
      await encoded([START, ...ended("stop")], {
        ...asked,
        tools: [{ type: "function", function: { name: "f" } }, { type: "web_search" }],
        tool_choice: { type: "function", function: { name: "f" } },
      }),
    );

    expect(response).toMatchObject(asked);
    expect([response["tools"], response["tool_choice"]]).toEqual([
      [
        { type: "function", name: "f", description: null, parameters: null, strict: false },
        { type: "web_search" },
      ],
      { type: "function", name: "f" },
    ]);
  });

  test("an id in the form of a response id is unchanged", () => {
    const built = responses.inbound.buildResponse(
      [{ ...START, id: "resp_up" }, ...ended("stop")],
      requestWith({}),
    );

    expect(built["id"]).toBe("resp_up");
  });

  test("items from an upstream of the same style keep their ids and their phase", async () => {
    const wire = await encoded([
      START,
      ...block({ type: "text", extra: { responses: { id: "msg_a", phase: "commentary" } } }, ["a"]),
      ...block({ type: "text", extra: { responses: { id: "msg_b" } } }, ["b"]),
      ...block({ ...CALL, extra: { responses: { id: "fc_a" } } }, ["{}"]),
      ...ended("tool_calls"),
    ]);

    expect(finalIn(wire)["output"]).toMatchObject([
      { id: "msg_a", phase: "commentary" },
      { id: "msg_b" },
      { id: "fc_a", call_id: "call_1" },
    ]);
  });
});

test(`any response, with any split, is read as it was written (seed ${SEED})`, async () => {
  const words = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }), {
    maxLength: 4,
  });
  const name = fc.stringMatching(/^[a-z][a-z0-9_.:-]{0,12}$/);
  const parts = fc.array(
    fc.oneof(
      words.map((texts) => block({ type: "text" }, texts)),
      words.map((texts) => block({ type: "refusal" }, texts)),
      fc
        .tuple(words, fc.option(fc.stringMatching(/^[A-Za-z0-9+/]{1,20}$/), { nil: undefined }))
        .map(([texts, value]) =>
          block(
            { type: "reasoning" },
            texts,
            value === undefined ? {} : { signature: { issuer: "gemini", value } },
          ),
        ),
      fc
        .tuple(name, words)
        .map(([tool, texts]) =>
          block({ type: "tool_call", id: `call_${tool}`, name: tool, kind: "custom" }, texts),
        ),
    ),
    { maxLength: 6 },
  );
  const request = requestWith({
    reasoning: { summary: "auto" },
    include: ["reasoning.encrypted_content"],
  });
  await fc.assert(
    fc.asyncProperty(parts, fc.array(fc.nat(), { maxLength: 8 }), async (blocks, cuts) => {
      const events = [START, ...blocks.flat(), ...ended("stop")];
      const stream = (await Array.fromAsync(encodeStream(responses, each(events), request))).join(
        "",
      );
      const bytes = new TextEncoder().encode(stream);
      const at = [...new Set(cuts.map((cut) => cut % bytes.length)), bytes.length].sort(
        (a, b) => a - b,
      );
      const pieces = at.map((end, index) => bytes.subarray(at[index - 1] ?? 0, end));
      const read = await Array.fromAsync(decodeStream(responses, decodeSse(each(pieces), 1e9)));

      expect(responsesStreamFaults(stream)).toEqual([]);
      expect(hubFaults(read)).toEqual([]);
      const calls = blocks.some(
        ([head]) => head?.type === "open" && head.block.type === "tool_call",
      );
      expect(meaning(read)).toEqual(meaning(events, calls ? "tool_calls" : "stop"));
    }),
    { seed: SEED, numRuns: times(150, 5_000) },
  );
});

function meaning(events: readonly ChatEvent[], finish?: string): unknown {
  const { choices, usage } = saidIn(events);
  const answer = choices[0];
  return {
    text: answer?.text,
    refusal: answer?.refusal,
    reasoning: answer?.reasoning,
    calls: answer?.calls.map((call) => ({ ...call, name: readable(call.name) })),
    proofs: events.flatMap((event) =>
      event.type === "close" && event.signature !== undefined ? [event.signature] : [],
    ),
    // An answer of this style always names a service tier.
    usage: usage && { ...usage, served: undefined },
    finish: finish ?? answer?.finish,
  };
}

/** A name that happens to look like a fitted one is read as what it would have been. */
function readable(name: string): string {
  return name.replaceAll(/_x[0-9a-f]{2,6}_/g, "");
}
