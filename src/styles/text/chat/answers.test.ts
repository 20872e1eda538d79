import { describe, expect, test } from "bun:test";
import type { ChatEvent, ChatRequest, Citation } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { chatStreamFaults } from "#test/grammar/chat.ts";
import { hubFaults, saidIn, type SaidChoice } from "#test/translate/chat-answers.ts";
import { parseResponse } from "./answer/response-in.ts";
import { buildResponse } from "./answer/response-out.ts";
import { decodeStream, encodeStream } from "#test/translate/streams.ts";
import { chat } from "./index.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";

const REQUEST: ChatRequest = { model: "asked", messages: [], stream: true, sampling: {} };
const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const STOP = choice({}, { finish_reason: "stop" });

/** One chunk with one choice. */
function choice(delta: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    id: "c1",
    object: "chat.completion.chunk",
    created: 7,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  };
}

function call(fragment: JsonObject): JsonObject {
  return choice({ tool_calls: [fragment] });
}

async function decoded(chunks: readonly Json[], isMarked = true): Promise<ChatEvent[]> {
  const data = chunks.map((chunk) => (typeof chunk === "string" ? chunk : JSON.stringify(chunk)));
  const events = await Array.fromAsync(
    decodeStream(
      chat,
      each([...data, ...(isMarked ? ["[DONE]"] : [])].map((one) => ({ data: one }))),
    ),
  );
  expect(hubFaults(events)).toEqual([]);
  return events;
}

/** What the one choice says. */
async function said(chunks: readonly Json[], isMarked = true): Promise<SaidChoice | undefined> {
  return saidIn(await decoded(chunks, isMarked)).choices[0];
}

async function encoded(events: readonly ChatEvent[], rawFields: JsonObject = {}): Promise<string> {
  const out = await Array.fromAsync(
    encodeStream(chat, each(events), { ...REQUEST, rawFields: { chat: rawFields } }),
  );
  return out.join("");
}

function choicesIn(stream: string): JsonObject[] {
  return readEvents(stream)
    .filter(({ data }) => data !== "[DONE]")
    .flatMap(({ data }) => JSON.parse(data).choices);
}

function contentOf({ delta }: JsonObject): string {
  return textOf(memberOf(delta, "content")) ?? "";
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

describe("[A4.3-02] tool calls are assembled from fragments of any size", () => {
  const first = { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } };
  const A = { id: "a", name: "f", arguments: '{"x":1}' };
  const B = { id: "b", name: "g", arguments: '{"y":2}' };

  test.each<[string, JsonObject[], { id: string; name: string; arguments: string }[]]>([
    [
      "as the style has it",
      [
        call(first),
        call({ index: 0, function: { arguments: '{"x"' } }),
        call({ index: 0, function: { arguments: ":1}" } }),
      ],
      [A],
    ],
    [
      "without an index",
      [call({ ...first, index: null }), call({ function: { arguments: '{"x":1}' } })],
      [A],
    ],
    [
      "with everything repeated",
      [
        call(first),
        call({ ...first, function: { name: "f", arguments: '{"x":' } }),
        call({ ...first, function: { name: "f", arguments: "1}" } }),
      ],
      [A],
    ],
    [
      "with an empty id and name later",
      [
        call(first),
        call({ index: 0, id: "", type: null, function: { name: "", arguments: '{"x":1}' } }),
      ],
      [A],
    ],
    [
      "with null for unchanged fields",
      [
        call(first),
        call({ index: 0, id: null, function: { name: null, arguments: '{"x":1}' } }),
        call({ index: 0, function: { arguments: null } }),
      ],
      [A],
    ],
    [
      "with arguments before the name",
      [
        call({ index: 0, id: "a", function: { arguments: '{"x"' } }),
        call({ index: 0, function: { name: "f", arguments: ":1}" } }),
      ],
      [A],
    ],
    [
      "whole in one chunk",
      [call({ ...first, function: { name: "f", arguments: '{"x":1}' } })],
      [A],
    ],
    [
      "with an object as arguments",
      [call({ ...first, function: { name: "f", arguments: { x: 1 } } })],
      [A],
    ],
    ["without arguments", [call(first)], [{ ...A, arguments: "{}" }]],
    [
      "two, one after the other",
      [
        call({ ...first, function: { name: "f", arguments: '{"x":1}' } }),
        call({ index: 1, id: "b", function: { name: "g", arguments: '{"y":2}' } }),
      ],
      [A, B],
    ],
    [
      "two with one index",
      [
        call({ ...first, function: { name: "f", arguments: '{"x":1}' } }),
        call({ index: 0, id: "b", function: { name: "g", arguments: '{"y":2}' } }),
      ],
      [A, B],
    ],
    [
      "two with one index, the second beginning with its name alone",
      [
        call({ ...first, function: { name: "f", arguments: '{"x":1}' } }),
        call({ index: 0, id: "b", function: { name: "g", arguments: "" } }),
        call({ index: 0, function: { arguments: '{"y":2}' } }),
      ],
      [A, B],
    ],
    [
      "two without an index",
      [
        call({ id: "a", function: { name: "f", arguments: '{"x":1}' } }),
        call({ id: "b", function: { name: "g", arguments: '{"y":2}' } }),
      ],
      [A, B],
    ],
    [
      "two interleaved calls",
      [
        call({ ...first, function: { name: "f", arguments: '{"x"' } }),
        call({ index: 1, id: "b", function: { name: "g", arguments: '{"y"' } }),
        call({ index: 0, function: { arguments: ":1}" } }),
        call({ index: 1, function: { arguments: ":2}" } }),
      ],
      [A, B],
    ],
    [
      "two in one chunk",
      [
        choice({
          tool_calls: [
            { ...first, function: { name: "f", arguments: '{"x":1}' } },
            { index: 1, id: "b", function: { name: "g", arguments: '{"y":2}' } },
          ],
        }),
      ],
      [A, B],
    ],
    [
      "a free text",
      [
        call({ index: 0, id: "a", type: "custom", custom: { name: "f", input: "ra" } }),
        call({ index: 0, custom: { input: "w" } }),
      ],
      [{ ...A, arguments: "raw" }],
    ],
    [
      "its type, beside an empty member for the other kind",
      [
        call({ ...first, type: "function", custom: { name: "", input: "" } }),
        call({ index: 0, function: { arguments: '{"x":1}' }, custom: { name: "", input: "" } }),
      ],
      [A],
    ],
    [
      "beside an empty one",
      [
        choice({
          tool_calls: [first, { index: 1, id: "", function: { name: "", arguments: "" } }],
          function_call: { name: "", arguments: "" },
        }),
        call({ index: 0, function: { arguments: '{"x":1}' } }),
      ],
      [A],
    ],
  ])("%s", async (_how, chunks, calls) => {
    const answer = await said([...chunks, STOP]);

    expect(answer?.calls).toEqual(calls);
    expect(answer?.finish).toBe("tool_calls");
  });

  test.each<[string, JsonObject, string]>([
    ["its type", { type: "function", function: { name: "f" }, custom: { name: "g" } }, "function"],
    ["its type too", { type: "custom", function: { name: "g" }, custom: { name: "f" } }, "custom"],
    ["its member", { custom: { name: "f" } }, "custom"],
    ["the usual one of two members", { function: { name: "f" }, custom: {} }, "function"],
  ])("the kind of a call is determined by %s", async (_how, fragment, kind) => {
    const events = await decoded([call({ index: 0, id: "a", ...fragment }), STOP]);

    expect(events.find(({ type }) => type === "open")).toMatchObject({
      block: { name: "f", kind },
    });
  });

  test("two calls without ids get separate ids", async () => {
    const same = { index: 0, id: "", function: { name: "f", arguments: '{"x":1}' } };
    const answer = await said([call(same), call(same), STOP]);
    const ids = answer?.calls.map(({ id }) => id) ?? [];

    expect([ids.length, new Set(ids).size, ids.every((id) => id.startsWith("call_"))]).toEqual([
      2,
      2,
      true,
    ]);
  });

  test("the older form is a tool call too", async () => {
    const answer = await said([
      choice({ function_call: { name: "f", arguments: "" } }),
      choice({ function_call: { arguments: '{"x":1}' } }),
      choice({}, { finish_reason: "function_call" }),
    ]);

    expect([answer?.calls[0]?.name, answer?.calls[0]?.arguments, answer?.finish]).toEqual([
      "f",
      '{"x":1}',
      "tool_calls",
    ]);
  });

  test("text between calls is delivered after them, and nothing is lost", async () => {
    const answer = await said([
      call({ ...first, function: { name: "f", arguments: '{"x"' } }),
      choice({ content: "so" }),
      call({ index: 0, function: { arguments: ":1}" } }),
      STOP,
    ]);

    expect([answer?.calls, answer?.text]).toEqual([[A], "so"]);
  });

  test("a call that is cut off by the limit keeps its finish reason", async () => {
    expect(
      (
        await said([
          call({ ...first, function: { name: "f", arguments: '{"x"' } }),
          choice({}, { finish_reason: "length" }),
        ])
      )?.finish,
    ).toBe("length");
  });

  test("a call without a tool name is the upstream's failure", async () => {
    expect(
      await failure(decoded([call({ index: 0, id: "a", function: { arguments: "{}" } }), STOP])),
    ).toBe("upstream_failed");
  });

  test("the first call is passed on while it arrives", async () => {
    const source = each(
      [call({ ...first, function: { name: "f", arguments: '{"x"' } })].map((one) => ({
        data: JSON.stringify(one),
      })),
    );
    const seen: ChatEvent[] = [];
    await failure(
      (async () => {
        for await (const event of decodeStream(chat, source)) seen.push(event);
      })(),
    );

    expect(seen.map(({ type }) => type)).toEqual(["start", "open", "delta"]);
  });

  test.each<[string, () => JsonObject[]]>([
    [
      "more than can wait for its turn",
      () => [
        call({ ...first, function: { name: "f", arguments: "{" } }),
        choice({ content: "a".repeat(17_000_000) }),
      ],
    ],
    [
      "arguments without end",
      () =>
        Array.from({ length: 17 }, () =>
          call({ ...first, function: { name: "f", arguments: "a".repeat(1_000_000) } }),
        ),
    ],
    [
      "calls without end",
      () =>
        Array.from({ length: 1_001 }, (_, index) =>
          call({ index, id: `${index}`, function: { name: "f", arguments: "{}" } }),
        ),
    ],
  ])("%s is the upstream's failure", async (_what, chunks) => {
    expect(await failure(decoded([...chunks(), STOP]))).toBe("upstream_failed");
  });

  test("very many buffered parts are delivered in order", async () => {
    const many = Array.from({ length: 150_000 }, () => choice({ content: "a" }));
    const answer = await said([
      call({ ...first, function: { name: "f", arguments: "{" } }),
      ...many,
      call({ index: 0, function: { arguments: "}" } }),
      STOP,
    ]);

    expect([answer?.text.length, answer?.calls[0]?.arguments]).toEqual([150_000, "{}"]);
  });
});

describe("reasoning is found in every field that servers use", () => {
  test.each<[string, JsonObject[]]>([
    [
      "reasoning_content",
      [choice({ reasoning_content: "a", content: null }), choice({ reasoning_content: "b" })],
    ],
    ["reasoning", [choice({ reasoning: "a" }), choice({ reasoning: "b" })]],
    [
      "both, with the same text",
      [
        choice({ reasoning: "a", reasoning_content: "a" }),
        choice({ reasoning: "b", reasoning_content: "b" }),
      ],
    ],
    [
      "details beside it",
      [
        choice({ reasoning: "a", reasoning_details: [{ type: "reasoning.text", text: "a" }] }),
        choice({ reasoning: "b", reasoning_details: [{ type: "reasoning.text", text: "b" }] }),
      ],
    ],
    [
      "details alone",
      [
        choice({ reasoning_details: [{ type: "reasoning.summary", summary: "a" }] }),
        choice({ reasoning_details: [{ type: "reasoning.text", text: "b" }] }),
      ],
    ],
    [
      "a part of the content",
      [choice({ content: [{ type: "thinking", thinking: [{ type: "text", text: "ab" }] }] })],
    ],
  ])("%s", async (_where, chunks) => {
    const answer = await said([...chunks, choice({ content: "c" }), STOP]);

    expect([answer?.reasoning, answer?.text]).toEqual(["ab", "c"]);
  });

  test("its signature is kept for later requests", async () => {
    const events = await decoded([
      choice({ reasoning: "a" }),
      choice({ reasoning_details: [{ type: "reasoning.text", text: "", signature: "sig" }] }),
      choice({ content: "c" }),
      STOP,
    ]);

    expect(events.find(({ type }) => type === "close")).toMatchObject({
      signature: { issuer: "chat", value: "sig" },
    });
  });

  test("reasoning repeated with its signature is read once, also after a part without one", async () => {
    const detail = (text: string): JsonObject =>
      choice({ reasoning_details: [{ type: "reasoning.text", text, signature: "sig" }] });
    const reasoned = async (...chunks: JsonObject[]): Promise<string | undefined> =>
      (await said([...chunks, choice({ content: "c" }), STOP]))?.reasoning;

    expect(
      await reasoned(choice({ reasoning: "a" }), choice({ reasoning: "b" }), detail("b")),
    ).toBe("ab");
    expect(await reasoned(choice({ reasoning: "ab" }), detail("ab"))).toBe("ab");
  });

  test("the last part of reasoning with a signature is appended in full", async () => {
    const piece = (text: string, more: JsonObject = {}): JsonObject =>
      choice({ reasoning_details: [{ type: "reasoning.text", text, ...more }] });
    const answer = await said([piece("no, "), piece("no"), piece("o", { signature: "sig" }), STOP]);

    expect(answer?.reasoning).toBe("no, noo");
  });

  test("a client sees it in a stream, and not in a complete response", async () => {
    const events = await decoded([
      choice({ reasoning_content: "why" }),
      choice({ content: "c" }),
      STOP,
    ]);

    expect(choicesIn(await encoded(events)).map(({ delta }) => delta)).toEqual([
      { role: "assistant", content: "" },
      { reasoning_content: "why" },
      { content: "c" },
      {},
    ]);
    expect(JSON.stringify(buildResponse(events, REQUEST))).not.toContain("why");
  });

  test.each(["svc_thinking_to_content", "thinking_to_content"])(
    "[A4.3-11] %s puts it into the content of a stream",
    async (name) => {
      const events = await decoded([
        choice({ reasoning_content: "why" }),
        choice({ content: "c" }),
        STOP,
      ]);
      const stream = await encoded(events, { [name]: true });
      const text = choicesIn(stream).map(contentOf).join("");

      expect(text).toBe("<think>\nwhy\n</think>\nc");
      expect(stream).not.toContain("reasoning_content");
    },
  );

  test("[A4.3-11] the mark is closed also if no content follows", async () => {
    const events = await decoded([
      choice({ reasoning_content: "why" }),
      call({ index: 0, id: "a", function: { name: "f", arguments: "{}" } }),
      STOP,
    ]);
    const stream = await encoded(events, { svc_thinking_to_content: true });

    expect(stream.indexOf("</think>")).toBeGreaterThan(stream.indexOf("<think>"));
    expect(chatStreamFaults(stream, { wantsUsage: false })).toEqual([]);
  });
});

describe("usage is the last plausible report, in any position", () => {
  const early = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
  const empty = { id: "c1", choices: [] };

  test.each<[string, JsonObject[]]>([
    ["after the end", [choice({ content: "a" }), STOP, { ...empty, usage: USAGE }]],
    ["with the end", [choice({ content: "a" }), { ...STOP, usage: USAGE }]],
    [
      "with every chunk, growing",
      [
        { ...choice({ content: "a" }), usage: early },
        { ...STOP, usage: USAGE },
      ],
    ],
    ["twice", [choice({ content: "a" }), { ...STOP, usage: USAGE }, { ...empty, usage: USAGE }]],
    [
      "under a vendor's member",
      [choice({ content: "a" }), { ...STOP, x_vendor: { usage: USAGE } }],
    ],
    [
      "and then null",
      [choice({ content: "a" }), { ...STOP, usage: USAGE }, { ...empty, usage: null }],
    ],
    [
      "and then nothing but zeros",
      [
        choice({ content: "a" }),
        { ...STOP, usage: USAGE },
        { ...empty, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
      ],
    ],
    [
      "after a chunk that repeats the end",
      [
        choice({ content: "a" }),
        STOP,
        { ...choice({ role: "assistant", content: "" }), usage: USAGE },
      ],
    ],
  ])("%s", async (_when, chunks) => {
    const events = await decoded(chunks);

    expect(events.at(-1)).toMatchObject({
      type: "usage",
      usage: { inputTokens: 3, outputTokens: 2 },
    });
    expect(events.filter(({ type }) => type === "usage").length).toBe(1);
  });
});

describe("a response ends only if the upstream marks its end", () => {
  test.each<[string, Json[], boolean]>([
    ["cut before the reason", [choice({ content: "a" })], false],
    ["marked, but without a reason or usage", [choice({ content: "a" })], true],
    ["nothing at all", [], true],
    ["usage alone", [{ choices: [], usage: USAGE }], true],
    ["a role and usage", [choice({ role: "assistant" }), { choices: [], usage: USAGE }], true],
    ["the end mark, without a reason", [choice({ content: "a" })], true],
    ["a failure instead of content", [{ error: { message: "m" } }], true],
    [
      "a failure after some content",
      [choice({ content: "a" }), { error: { message: "m" } }],
      false,
    ],
    [
      "a reason that is a failure",
      [choice({ content: "a" }), choice({}, { finish_reason: "error" })],
      true,
    ],
    [
      "a server that ran out",
      [choice({ content: "a" }), choice({}, { finish_reason: "insufficient_system_resource" })],
      true,
    ],
    ["an event that is broken", [choice({ content: "a" }), '{"id":"c1","choi', STOP], true],
    [
      "one of two answers missing",
      [
        choice({ content: "a" }),
        { ...choice({ content: "b" }), choices: [{ index: 1, delta: { content: "b" } }] },
        STOP,
      ],
      true,
    ],
  ])("%s is a failure", async (_what, chunks, isMarked) => {
    expect(await failure(decoded(chunks, isMarked))).toBe("upstream_failed");
  });

  test.each<[string, Json[], boolean]>([
    ["a reason, without the end mark", [choice({ content: "a" }), STOP], false],
    [
      "the end mark and usage, without a reason",
      [choice({ content: "a" }), { choices: [], usage: USAGE }],
      true,
    ],
    ["a server's chatter between events", ["PROCESSING", choice({ content: "a" }), "", STOP], true],
    [
      "a first chunk without a choice",
      [
        { id: "", model: "", choices: [], prompt_filter_results: [] },
        choice({ content: "a" }),
        STOP,
      ],
      true,
    ],
    [
      "something after the end mark",
      [choice({ content: "a" }), STOP, "[DONE]", { error: { message: "late" } }],
      true,
    ],
  ])("%s is an end", async (_what, chunks, isMarked) => {
    expect(await said(chunks, isMarked)).toMatchObject({
      text: "a",
      finish: chunks.includes(STOP) ? "stop" : "other",
    });
  });

  test.each<[string, string]>([
    ["stop", "stop"],
    ["eos", "stop"],
    ["max_tokens", "length"],
    ["model_length", "length"],
    ["content_filter", "content_filter"],
    ["sensitive", "content_filter"],
    ["tool_call", "tool_calls"],
    ["a word nobody knows", "other"],
  ])("the reason '%s' is %s", async (word, reason) => {
    expect(
      (await said([choice({ content: "a" }), choice({}, { finish_reason: word })]))?.finish,
    ).toBe(reason);
  });

  test("the matched stop sequence is reported, if a server reports it", async () => {
    const events = await decoded([
      choice({ content: "a" }),
      choice({}, { finish_reason: "stop", stop_reason: "END" }),
    ]);

    expect(events.find(({ type }) => type === "finish")).toMatchObject({ stopSequence: "END" });
  });

  test("a stream whose source has no end mark gets none", async () => {
    const events = (await decoded([choice({ content: "a" }), STOP])).filter(
      ({ type }) => type !== "finish",
    );

    expect(await failure(encoded(events))).toBe("upstream_failed");
  });
});

describe("all other content of a response is kept", () => {
  const LOGPROB = { token: "a", logprob: -0.1, bytes: [97], top_logprobs: [] };
  const NOTE = {
    type: "url_citation",
    url_citation: { start_index: 0, end_index: 1, url: "https://a.example", title: "A" },
  };

  test.each<[string, JsonObject, Partial<SaidChoice>]>([
    ["a refusal", choice({ refusal: "no" }), { refusal: "no" }],
    [
      "probabilities",
      choice({ content: "a" }, { logprobs: { content: [LOGPROB], refusal: null } }),
      { text: "a", logprobs: [LOGPROB] },
    ],
    [
      "citations",
      choice({ content: "a", annotations: [NOTE] }),
      { text: "a", citations: ["https://a.example"] },
    ],
    [
      "sound",
      choice({ audio: { id: "x", data: "AAAA", transcript: "hey", expires_at: 9 } }),
      { audio: "AAAA", transcript: "hey" },
    ],
    [
      "a picture",
      choice({ images: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] }),
      { images: ["AAAA"] },
    ],
    [
      "an image link",
      choice({ images: [{ type: "image_url", image_url: { url: "https://a.example/b.png" } }] }),
      { text: "![image](https://a.example/b.png)" },
    ],
    [
      "sources beside the answer",
      {
        ...choice({ content: "a" }),
        citations: ["https://b.example"],
        search_results: [{ url: "https://b.example", title: "B" }],
      },
      { text: "a", citations: ["https://b.example"] },
    ],
  ])("%s", async (_what, chunk, expected) => {
    const events = await decoded([chunk, { ...STOP, usage: USAGE }]);
    const stream = await encoded(events, { stream_options: { include_usage: true } });
    const again = await Array.fromAsync(decodeStream(chat, each(readEvents(stream))));

    expect(saidIn(events).choices[0]).toMatchObject(expected);
    expect(saidIn(again)).toEqual(saidIn(events));
    expect(chatStreamFaults(stream, { wantsUsage: true })).toEqual([]);
    expect(saidIn(parseResponse(buildResponse(events, REQUEST)))).toEqual(saidIn(events));
  });

  test("interleaved choices are kept apart", async () => {
    const second = (delta: JsonObject, reason: string | null): JsonObject => ({
      ...choice({}),
      choices: [{ index: 1, delta, finish_reason: reason }],
    });
    const events = await decoded([
      choice({ content: "a" }),
      second({ content: "x" }, null),
      choice({ content: "b" }),
      STOP,
      second({ content: "y" }, "length"),
    ]);
    const stream = await encoded(events);

    expect([saidIn(events).choices[0]?.text, saidIn(events).choices[1]?.text]).toEqual([
      "ab",
      "xy",
    ]);
    expect(chatStreamFaults(stream, { wantsUsage: false })).toEqual([]);
    expect(buildResponse(events, REQUEST)["choices"]).toMatchObject([
      { index: 0, finish_reason: "stop" },
      { index: 1, finish_reason: "length" },
    ]);
  });

  test("a response that is JSON already is written as JSON", async () => {
    const events = parseResponse({
      id: "c",
      choices: [
        { index: 0, message: { role: "assistant", content: { a: 1 } }, finish_reason: "stop" },
      ],
    });

    expect(saidIn(events).choices[0]?.text).toBe('{"a":1}');
  });
});

describe("another style's response is translated to this style", () => {
  const answer = (...events: ChatEvent[]): ChatEvent[] => [
    { type: "start", id: "x".repeat(24), model: "m", createdAt: 7_000 },
    ...events,
    { type: "finish", choice: 0, reason: "stop" },
  ];
  const text = (words: string, ...citations: Citation[]): ChatEvent[] => [
    { type: "open", choice: 0, block: { type: "text" } },
    { type: "delta", choice: 0, text: words },
    ...citations.map((citation) => ({ type: "cite", choice: 0, citation }) as const),
    { type: "close", choice: 0 },
  ];

  /** Both ways to tell it must agree. */
  async function told(events: ChatEvent[], member: string): Promise<unknown> {
    const [whole] = listOf(buildResponse(events, REQUEST)["choices"]);
    const pieces = choicesIn(await encoded(events)).flatMap(({ delta }) =>
      listOf(memberOf(delta, member)),
    );
    expect<unknown>(memberOf(memberOf(whole, "message"), member) ?? []).toEqual(pieces);
    return pieces;
  }

  test("[A4.3-10] [A6-a] citations refer to positions in the whole text, with the text of their source", async () => {
    const events = answer(
      ...text("One. "),
      ...text(
        "Two.",
        { url: "https://a.example", title: "A", quote: "Zwei", start: 1, end: 3 },
        { url: "https://b.example" },
      ),
    );
    const note = (start: number, end: number, more: JsonObject): JsonObject => ({
      type: "url_citation",
      url_citation: { start_index: start, end_index: end, ...more },
    });

    expect(await told(events, "annotations")).toEqual([
      note(6, 8, { url: "https://a.example", title: "A", content: "Zwei" }),
      // One without a place is about all of its block.
      note(5, 9, { url: "https://b.example", title: "" }),
    ]);
  });

  test("citations read from this style refer to their block", async () => {
    const events = await decoded([
      choice({ content: "One. " }),
      call({ index: 0, id: "t", function: { name: "f", arguments: "{}" } }),
      choice({
        content: "Two.",
        annotations: [
          {
            type: "url_citation",
            url_citation: { url: "https://a.example", start_index: 6, end_index: 8 },
          },
        ],
      }),
      STOP,
    ]);

    expect(events.find(({ type }) => type === "cite")).toMatchObject({
      citation: { url: "https://a.example", start: 1, end: 3 },
    });
  });

  test("citations with or after tool calls belong to the text before these", async () => {
    const note = { url: "https://a.example", start_index: 6, end_index: 9 };
    const annotations = [{ type: "url_citation", url_citation: note }];
    const f = { id: "t", type: "function", function: { name: "f", arguments: "{}" } };
    const together = await decoded([
      choice({ content: "Hello now.", tool_calls: [{ index: 0, ...f }], annotations }),
      STOP,
    ]);
    const behind = await decoded([
      choice({ content: "Hello now." }),
      call({ index: 0, ...f }),
      choice({ annotations }),
      STOP,
    ]);

    expect(kindsIn(together)).toEqual(["text", "tool_call"]);
    expect(together.find(({ type }) => type === "cite")).toMatchObject({
      citation: { start: 6, end: 9 },
    });
    // The text has left already, so that no place in what comes now is meant.
    expect(behind.find(({ type }) => type === "cite")).toEqual({
      type: "cite",
      choice: 0,
      citation: { url: "https://a.example" },
    });
  });

  test("calls are numbered separately, and one without arguments has an empty object", async () => {
    const events: ChatEvent[] = [
      { type: "start", id: "x", model: "m", createdAt: 0 },
      ...text("so"),
      ...["a", "b"].flatMap((id): ChatEvent[] => [
        { type: "open", choice: 0, block: { type: "tool_call", id, name: "f", kind: "function" } },
        { type: "close", choice: 0 },
      ]),
      { type: "finish", choice: 0, reason: "tool_calls" },
    ];
    const stream = await encoded(events);

    expect(chatStreamFaults(stream, { wantsUsage: false })).toEqual([]);
    expect(stream.match(/"function":\{"arguments":"\{\}"\}/g)).toHaveLength(2);
    expect(saidIn(await Array.fromAsync(decodeStream(chat, each(readEvents(stream)))))).toEqual(
      saidIn(parseResponse(buildResponse(events, REQUEST))),
    );
    expect(buildResponse(events, REQUEST)["choices"]).toMatchObject([
      { message: { tool_calls: [{ function: { arguments: "{}" } }, { id: "b" }] } },
    ]);
  });

  test("content of that style only is omitted", async () => {
    const events = answer(
      {
        type: "open",
        choice: 0,
        block: { type: "other", style: "messages", data: { type: "server_tool_use" } },
      },
      { type: "close", choice: 0 },
      ...text("a"),
    );

    expect(
      choicesIn(await encoded(events))
        .map(contentOf)
        .join(""),
    ).toBe("a");
    expect(JSON.stringify(buildResponse(events, REQUEST))).not.toContain("server_tool_use");
  });

  test("its id has this style's form; an upstream's own id is unchanged", () => {
    expect(buildResponse(answer(), REQUEST)["id"]).toBe(`chatcmpl-${"x".repeat(24)}`);
    expect(
      buildResponse([{ type: "start", id: "gen-1", model: "m", createdAt: 0 }], REQUEST)["id"],
    ).toBe("gen-1");
  });

  test("an early input count is not sent", async () => {
    const [start, ...rest] = answer(...text("a"));
    const guessed = [{ ...start, inputTokens: 99 } as ChatEvent, ...rest];

    expect(await encoded(guessed)).toBe(await encoded(answer(...text("a"))));
  });
});

describe("[A2.3] a complete response has the members that clients need", () => {
  test("with text", async () => {
    const events = await decoded([
      { ...choice({ content: "hi" }), system_fingerprint: "fp", service_tier: "default" },
      { ...STOP, usage: USAGE },
    ]);

    expect(buildResponse(events, REQUEST)).toEqual({
      id: "c1",
      object: "chat.completion",
      created: 7,
      model: "m",
      service_tier: "default",
      system_fingerprint: "fp",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "hi", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
    });
  });

  test("with calls, and null content", async () => {
    const events = await decoded([
      call({ index: 0, id: "a", function: { name: "f", arguments: '{"x":1}' } }),
      STOP,
    ]);

    expect(buildResponse(events, REQUEST)["choices"]).toEqual([
      {
        index: 0,
        message: {
          role: "assistant",
          content: null,
          refusal: null,
          tool_calls: [
            { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } },
          ],
        },
        logprobs: null,
        finish_reason: "tool_calls",
      },
    ]);
  });

  test("with empty content", async () => {
    expect(buildResponse(await decoded([STOP]), REQUEST)["choices"]).toMatchObject([
      { message: { content: "", refusal: null } },
    ]);
  });

  test("another vendor's tier is not shown as one of this style", async () => {
    const events = await decoded([
      { ...choice({ content: "a" }), service_tier: "on_demand" },
      STOP,
    ]);

    expect(buildResponse(events, REQUEST)["service_tier"]).toBeUndefined();
  });
});

describe("a client of the older form gets a function call", () => {
  const events = decoded([
    call({ index: 0, id: "a", function: { name: "f", arguments: '{"x":1}' } }),
    STOP,
  ]);

  test("in a complete response", async () => {
    const built = buildResponse(await events, {
      ...REQUEST,
      rawFields: { chat: { functions: [{ name: "f" }] } },
    });

    expect(built["choices"]).toMatchObject([
      {
        message: { content: null, function_call: { name: "f", arguments: '{"x":1}' } },
        finish_reason: "function_call",
      },
    ]);
    expect(JSON.stringify(built)).not.toContain("tool_calls");
  });

  test("in a stream", async () => {
    const choices = choicesIn(await encoded(await events, { functions: [{ name: "f" }] }));

    expect(choices.map(({ delta, finish_reason }) => [delta, finish_reason])).toEqual([
      [{ role: "assistant", content: null }, null],
      [{ function_call: { name: "f", arguments: "" } }, null],
      [{ function_call: { arguments: '{"x":1}' } }, null],
      [{}, "function_call"],
    ]);
  });
});

test("[A4.3-01] [A6-a] a stream is data lines of chunks, in the exact order", async () => {
  const events = await decoded([
    choice({ content: "a" }),
    call({ index: 0, id: "t", function: { name: "f", arguments: "{}" } }),
    STOP,
    { choices: [], usage: USAGE },
  ]);
  const stream = await encoded(events, { stream_options: { include_usage: true } });
  const head = '"id":"c1","object":"chat.completion.chunk","created":7,"model":"m"';
  const chunk = (delta: string, reason = "null"): string =>
    `data: {${head},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}],"usage":null}\n\n`;

  expect(
    stream.startsWith(
      chunk('{"role":"assistant","content":""}') +
        chunk('{"content":"a"}') +
        chunk(
          '{"tool_calls":[{"index":0,"id":"t","type":"function","function":{"name":"f","arguments":""}}]}',
        ) +
        chunk('{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}') +
        chunk("{}", '"tool_calls"') +
        `data: {${head},"choices":[],"usage":{"prompt_tokens":3,`,
    ),
  ).toBe(true);
  expect(stream.endsWith("\n\ndata: [DONE]\n\n")).toBe(true);
});

test("a source that fails midway makes the stream fail, with the earlier parts still sent", async () => {
  async function* source(): AsyncGenerator<ChatEvent> {
    yield* (await decoded([choice({ content: "a" }), STOP])).slice(0, 3);
    throw new GatewayError("upstream_timeout", "Too late.");
  }
  const seen: string[] = [];
  const run = (async () => {
    for await (const piece of encodeStream(chat, source(), REQUEST)) seen.push(piece);
  })();

  expect(await failure(run)).toBe("upstream_timeout");
  expect(choicesIn(seen.join("")).map(({ delta }) => delta)).toEqual([
    { role: "assistant", content: "" },
    { content: "a" },
  ]);
});

test("the source is released if the client disconnects", async () => {
  let isReleased = false;
  async function* source(): AsyncGenerator<ChatEvent> {
    try {
      yield* await decoded([choice({ content: "a" }), STOP]);
    } finally {
      isReleased = true;
    }
  }
  const stream = encodeStream(chat, source(), REQUEST);
  await stream.next();
  await stream.return(undefined);

  expect(isReleased).toBe(true);
});

function kindsIn(events: readonly ChatEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "open" ? [event.block.type] : []));
}
