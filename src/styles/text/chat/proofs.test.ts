import { describe, expect, test } from "bun:test";
import type { Block, ChatEvent, ChatRequest, Message } from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import { writeSignature, type Signature } from "#core/signature.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { listOf, memberOf, objectOf } from "#lib/values.ts";
import { chatStreamFaults } from "#test/grammar/chat.ts";
import { decodeStream, encodeStream } from "#test/translate/streams.ts";
import type { ChatDialect } from "./request/dialect.ts";
import { readRequest } from "./request/facts.ts";
import { chat } from "./index.ts";
import { amend } from "./answer/passthrough.ts";
import { parseRequest } from "./request/request-in.ts";
import { buildRequest } from "./request/request-out.ts";
import { buildResponse } from "./answer/response-out.ts";

const REQUEST: ChatRequest = { model: "m", messages: [], stream: true, sampling: {} };
const THEIRS: Signature = { issuer: "messages", value: "proof/+=" };
const FROM_GATEWAY: Signature = { issuer: "chat", value: "sig" };
const MARKED = writeSignature(THEIRS, "chat");

/** An answer that thinks, if it has words for it, and calls a tool. */
function answer(words: string, proof: Signature, ofCall?: Signature): ChatEvent[] {
  return [
    { type: "start", id: "c1", model: "m", createdAt: 7_000 },
    { type: "open", choice: 0, block: { type: "reasoning" } },
    ...(words === "" ? [] : [{ type: "delta", choice: 0, text: words } as const]),
    { type: "close", choice: 0, signature: proof },
    { type: "open", choice: 0, block: { type: "tool_call", id: "t", name: "f", kind: "function" } },
    { type: "delta", choice: 0, text: '{"x":1}' },
    { type: "close", choice: 0, ...(ofCall === undefined ? {} : { signature: ofCall }) },
    { type: "finish", choice: 0, reason: "tool_calls" },
  ];
}

async function streamed(events: readonly ChatEvent[], rawFields: JsonObject = {}): Promise<string> {
  const request: ChatRequest = { ...REQUEST, rawFields: { chat: rawFields } };
  const out = (await Array.fromAsync(encodeStream(chat, each(events), request))).join("");
  expect(chatStreamFaults(out, { wantsUsage: false })).toEqual([]);
  return out;
}

function deltasOf(stream: string): JsonObject[] {
  return readEvents(stream)
    .filter(({ data }) => data !== "[DONE]")
    .flatMap(({ data }) => listOf(memberOf(JSON.parse(data) as Json, "choices")))
    .map((choice) => objectOf(memberOf(choice, "delta")) ?? {});
}

function messageOf(events: readonly ChatEvent[]): JsonObject {
  const [choice] = listOf(buildResponse(events, REQUEST)["choices"]);
  return objectOf(memberOf(choice ?? null, "message")) ?? {};
}

/** What a request says that a caller of this style makes of their last answer. */
function sentBack(
  message: JsonObject,
  dialect: ChatDialect = {},
): { hub: Message; wire: JsonObject; lost: readonly string[] } {
  const body = {
    model: "m",
    messages: [
      { role: "user", content: "q" },
      { ...message, role: "assistant" },
    ],
  };
  readRequest(body);
  const request = parseRequest(body);
  const report = new LossReport();
  const built = buildRequest(request, { report, model: {}, dialect: { ...dialect } });
  return {
    hub: request.messages[1] ?? { role: "assistant", blocks: [] },
    wire: objectOf(listOf(built["messages"])[1]) ?? {},
    lost: report.fields,
  };
}

function blockOf(message: Message, type: Block["type"]): Block | undefined {
  return message.blocks.find((block) => block.type === type);
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

describe("a client gets the signature of another style's vendor, and returns it", () => {
  test("in a stream it comes with the text that it signs", async () => {
    const details = deltasOf(await streamed(answer("why", THEIRS))).flatMap((delta) =>
      listOf(delta["reasoning_details"]),
    );

    expect(details).toEqual([
      { type: "reasoning.text", format: "unknown", index: 0, text: "why", signature: MARKED },
    ]);
  });

  test("encrypted reasoning arrives complete, streamed or not", async () => {
    const events = answer("", THEIRS);
    const expected = [{ type: "reasoning.encrypted", format: "unknown", index: 0, data: MARKED }];

    expect(messageOf(events)["reasoning_details"]).toEqual(expected);
    expect(
      deltasOf(await streamed(events)).flatMap((delta) => listOf(delta["reasoning_details"])),
    ).toEqual(expected);
  });

  test("[A4.3-04] a complete response has no reasoning text, and so no signature of it either", () => {
    expect(JSON.stringify(messageOf(answer("why", THEIRS)))).not.toContain(MARKED);
  });

  test("a signature of a call comes with the call", async () => {
    const events = answer("why", THEIRS, { issuer: "gemini", value: "g" });
    const expected = {
      google: { thought_signature: writeSignature({ issuer: "gemini", value: "g" }, "chat") },
    };
    const fragments = deltasOf(await streamed(events)).flatMap((delta) =>
      listOf(delta["tool_calls"]),
    );

    expect(fragments.at(-1)).toEqual({
      index: 0,
      function: { arguments: "" },
      extra_content: expected,
    });
    expect(listOf(messageOf(events)["tool_calls"])).toEqual([
      {
        id: "t",
        type: "function",
        function: { name: "f", arguments: '{"x":1}' },
        extra_content: expected,
      },
    ]);
  });

  test("[A4.3-11] it is kept if the reasoning is in the content", async () => {
    const stream = await streamed(answer("why", THEIRS), { thinking_to_content: true });

    expect(stream).toContain(MARKED);
    expect(stream).toContain("\\n</think>\\n");
  });

  test("empty reasoning adds no mark to the content", async () => {
    const stream = await streamed(answer("", THEIRS), { thinking_to_content: true });

    expect(stream).not.toContain("think>");
  });

  test("a returned signature has its issuer, with its text", () => {
    const { hub } = sentBack({
      content: null,
      reasoning_details: [{ type: "reasoning.text", text: "why", signature: MARKED, index: 0 }],
      tool_calls: [
        {
          id: "t",
          type: "function",
          function: { name: "f", arguments: "{}" },
          extra_content: { google: { thought_signature: MARKED } },
        },
      ],
    });

    expect(blockOf(hub, "reasoning")).toMatchObject({ text: "why", signature: THEIRS });
    expect(blockOf(hub, "tool_call")).toMatchObject({ id: "t", signature: THEIRS });
  });

  test("a signature returned in parts, or with its text elsewhere, is restored", () => {
    const pieces = [
      { type: "reasoning.text", text: "w", index: 0 },
      { type: "reasoning.text", text: "hy", index: 0 },
      { type: "reasoning.text", signature: MARKED, index: 0 },
    ];

    for (const message of [
      { content: "a", reasoning_details: pieces },
      { content: "a", reasoning_content: "why", reasoning_details: pieces.slice(2) },
    ]) {
      const reasoning = sentBack(message).hub.blocks.filter((block) => block.type === "reasoning");
      expect(reasoning).toHaveLength(1);
      expect(reasoning[0]).toMatchObject({ text: "why", signature: THEIRS });
    }
  });

  test("a whole turn is restored", async () => {
    const events = answer("why", THEIRS, { issuer: "gemini", value: "g" });
    const again = await Array.fromAsync(
      decodeStream(chat, each(readEvents(await streamed(events)))),
    );
    const closed = (of: readonly ChatEvent[]): unknown[] =>
      of.flatMap((event) => (event.type === "close" ? [event.signature] : []));

    expect(closed(again)).toEqual(closed(events));
    expect(again.filter(({ type }) => type === "delta")).toEqual(
      events.filter(({ type }) => type === "delta"),
    );
  });
});

describe("no vendor of this style gets a signature of another style's vendor", () => {
  const message = {
    content: null,
    reasoning_content: "why",
    reasoning_details: [
      { type: "reasoning.text", text: "why", signature: MARKED },
      { type: "reasoning.text", text: "mine", signature: "sig" },
    ],
    tool_calls: [
      {
        id: "t",
        type: "function",
        function: { name: "f", arguments: "{}" },
        extra_content: { google: { thought_signature: MARKED } },
      },
      {
        id: "u",
        type: "function",
        function: { name: "f", arguments: "{}" },
        extra_content: { google: { thought_signature: "own" } },
      },
    ],
  };
  const expected = {
    role: "assistant",
    content: null,
    reasoning_content: "why",
    reasoning_details: [{ type: "reasoning.text", text: "mine", signature: "sig" }],
    tool_calls: [
      { id: "t", type: "function", function: { name: "f", arguments: "{}" } },
      message.tool_calls[1],
    ],
  };

  test("in a translated request", () => {
    const { wire, lost } = sentBack(message);

    expect<unknown>(wire).toEqual(expected);
    expect(lost).toEqual(["reasoning_details"]);
  });

  test("in a passthrough request", () => {
    const body = { model: "m", messages: [{ ...message, role: "assistant" }] };

    expect<unknown>(amend(body, readRequest(body), "m")).toEqual({ messages: [expected] });
  });

  test("a passthrough request without any is unchanged", () => {
    const [first, ...rest] = [{ role: "user", content: "q" }, { ...expected }];
    const body = { model: "m", messages: [first, ...rest] } as JsonObject;

    expect(amend(body, readRequest(body), "m")).toEqual({});
  });

  test.each<[string, ChatDialect, Block[], JsonObject, string[]]>([
    [
      "from another style, by default",
      {},
      [{ type: "reasoning", text: "why", signature: THEIRS }],
      {},
      ["reasoning"],
    ],
    [
      "from another style, if reasoning must be returned",
      { reasoningBack: "text" },
      [
        { type: "reasoning", text: "secret", signature: THEIRS },
        { type: "reasoning", text: "plain" },
      ],
      { reasoning_content: "plain" },
      ["reasoning"],
    ],
    [
      "but reasoning of the same vendor is returned to it",
      { reasoningBack: "details" },
      [
        {
          type: "reasoning",
          text: "mine",
          signature: FROM_GATEWAY,
          extra: { chat: { detail: { format: "f", index: 3 } } },
        },
        { type: "reasoning", text: "", signature: { issuer: "chat", value: "blob" } },
      ],
      {
        reasoning_details: [
          { format: "f", index: 3, type: "reasoning.text", text: "mine", signature: "sig" },
          { format: "unknown", index: 1, type: "reasoning.encrypted", data: "blob" },
        ],
      },
      [],
    ],
  ])("%s", (_what, dialect, reasoning, extra, lost) => {
    const report = new LossReport();
    const messages: Message[] = [
      { role: "assistant", blocks: [...reasoning, { type: "text", text: "a" }] },
    ];
    const body = buildRequest(
      { ...REQUEST, stream: false, messages },
      { report, model: {}, dialect: { ...dialect } },
    );

    expect(body["messages"]).toEqual([{ role: "assistant", content: "a", ...extra }]);
    expect(report.fields).toEqual(lost);
  });
});

describe("an upstream's own signatures", () => {
  function closes(message: JsonObject): ChatEvent[] {
    const events = chat.outbound.parseResponse({
      id: "c",
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
    });
    return events.filter(({ type }) => type === "close");
  }

  test("stay with their own reasoning blocks", () => {
    expect(
      closes({
        content: "a",
        reasoning: "onetwo",
        reasoning_details: [
          { type: "reasoning.text", text: "one", signature: "s1", index: 0 },
          { type: "reasoning.text", text: "two", signature: "s2", index: 1 },
        ],
      }),
    ).toMatchObject([
      { signature: { value: "s1" } },
      { signature: { value: "s2" } },
      { choice: 0 },
    ]);
  });

  test("separate readable and encrypted reasoning", () => {
    const [summary, encrypted] = closes({
      content: "a",
      reasoning_details: [
        { type: "reasoning.summary", summary: "in short", index: 0 },
        { type: "reasoning.encrypted", data: "blob", id: "rs_1", format: "v1", index: 0 },
      ],
    });

    expect([summary, encrypted]).toEqual([
      { type: "close", choice: 0 },
      {
        type: "close",
        choice: 0,
        signature: { issuer: "chat", value: "blob" },
        extra: {
          chat: { detail: { type: "reasoning.encrypted", id: "rs_1", format: "v1", index: 0 } },
        },
      },
    ]);
  });

  test("that the gateway restored are sent as their client would have written them", () => {
    const body = {
      model: "m",
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "t", type: "function", function: { name: "f", arguments: "{}" } }],
        },
      ],
    };
    const request = parseRequest(body);
    const restored = request.messages.map((message) => ({
      ...message,
      blocks: [
        { type: "reasoning", text: "", signature: FROM_GATEWAY } as const,
        ...message.blocks.map((block) =>
          block.type === "tool_call" ? { ...block, signature: FROM_GATEWAY } : block,
        ),
      ],
    }));
    const built = buildRequest(
      { ...request, messages: restored },
      { report: new LossReport(), model: {} },
    );

    expect(listOf(built["messages"])[0]).toMatchObject({
      reasoning_details: [{ type: "reasoning.encrypted", data: "sig" }],
      tool_calls: [{ id: "t", extra_content: { google: { thought_signature: "sig" } } }],
    });
  });
});
