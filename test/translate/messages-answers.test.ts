import { describe, expect, test } from "bun:test";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { NO_USAGE } from "#core/usage.ts";
import { isArray, isObject, type JsonObject } from "#lib/json.ts";
import { readEvents, type SseEvent } from "#lib/sse.ts";
import { chat } from "#styles/text/chat/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { chatStreamFaults } from "#test/grammar/chat.ts";
import { messagesStreamFaults } from "#test/grammar/messages.ts";
import { random, SEED } from "#test/seed.ts";
import { countOf, withShared } from "#test/shared.ts";
import { decodeSse, decodeStream, encodeStream } from "#test/translate/streams.ts";
import { hubFaults, saidIn } from "./chat-answers.ts";
import { cut, cutAt, eventsOf, isAnswer, isFailed, readChatCorpus } from "./chat-corpus.ts";
import { messageIn, readMessagesCorpus } from "./messages-corpus.ts";

/** Every recorded answer through the hub and back: nothing that both ends know may be lost. */
withShared("corpus", () =>
  describe(`recorded responses, translated (seed ${SEED})`, () => {
    const good = readMessagesCorpus().filter(({ status }) => status === 200);
    const streams = good.flatMap(({ file, sse, pieces }) =>
      sse === undefined ? [] : [{ file, sse, pieces }],
    );
    const bodies = good.flatMap(({ file, body }) => (isObject(body) ? [{ file, body }] : []));

    test("are as many as the index lists", () => {
      expect([streams.length, bodies.length]).toEqual([countOf(41, 4), countOf(60, 6)]);
    });

    test("[A2.5] keep blocks, finish reason, usage and other content, if complete", () => {
      for (const { file, body } of bodies) {
        const events = messages.outbound.parseResponse(body);
        const built = messages.inbound.buildResponse(events, REQUEST);

        expect([file, hubFaults(events)]).toEqual([file, []]);
        expect([file, built]).toEqual([file, shown(body)]);
      }
    });

    test("[A6-a] keep the same in a stream, in the exact order that clients need", async () => {
      for (const { file, sse } of streams) {
        const events = await decode(eventsOf(sse));
        const out = await encode(events);

        expect([file, hubFaults(events)]).toEqual([file, []]);
        expect([file, messagesStreamFaults(out)]).toEqual([file, []]);
        expect([file, normalized(messageIn(out))]).toEqual([file, normalized(messageIn(sse))]);
      }
    });

    test("have streams in that order themselves, so the check is fair", () => {
      for (const { file, sse } of streams) {
        expect([file, messagesStreamFaults(asFramed(sse))]).toEqual([file, []]);
      }
    });

    test("[A4.5-d] have thinking in a stream, and the rest in a complete response", async () => {
      for (const { file, sse } of streams) {
        const events = await decode(eventsOf(sse));
        const built = messages.inbound.buildResponse(events, REQUEST);

        expect([file, built]).toEqual([file, shown(messageIn(sse))]);
      }
    });

    test("decode to the same events with any split", async () => {
      for (const { file, sse, pieces } of streams) {
        const bytes = new TextEncoder().encode(sse);
        const expected = await decode(eventsOf(sse));
        for (const transport of [
          cutAt(bytes, pieces),
          cut(bytes, random(SEED)),
          cut(bytes, random(SEED + 7)),
        ]) {
          const events = await Array.fromAsync(
            decodeStream(messages, decodeSse(each(transport), 1_000_000_000)),
          );

          expect([file, events]).toEqual([file, expected]);
        }
      }
    });

    test("are a failure without the last part of their stream, never an end", async () => {
      for (const { file, sse } of streams) {
        const events = eventsOf(sse);
        const end = events.findIndex(({ event }) => event === "message_delta");
        for (const length of [1, Math.floor(end / 2), end]) {
          const outcome = await decode(events.slice(0, length)).then(
            () => "ended",
            (error: Error) => error.name,
          );

          expect([file, length, outcome]).toEqual([file, length, "GatewayError"]);
        }
      }
    });

    test("are readable for chat clients, with the same text, calls and usage", async () => {
      const request: ChatRequest = {
        ...REQUEST,
        rawFields: { chat: { stream_options: { include_usage: true } } },
      };
      for (const { file, sse } of streams) {
        const events = await decode(eventsOf(sse));
        const out = (await Array.fromAsync(encodeStream(chat, each(events), request))).join("");
        const again = await Array.fromAsync(decodeStream(chat, each(readEvents(out))));

        expect([file, chatStreamFaults(out, { wantsUsage: true })]).toEqual([file, []]);
        expect([file, saidIn(again).choices[0]?.text]).toEqual([
          file,
          saidIn(events).choices[0]?.text,
        ]);
        expect([file, saidIn(again).choices[0]?.calls]).toEqual([
          file,
          saidIn(events).choices[0]?.calls,
        ]);
        // That style has no word for searches.
        const { searches: _, ...usage } = saidIn(events).usage ?? NO_USAGE;
        expect([file, saidIn(again).usage]).toEqual([file, usage]);
      }
    });

    test("[A6-a] of chat upstreams become messages that clients can read", async () => {
      const recorded = readChatCorpus().filter((one) => !isFailed(one) && isAnswer(one));
      for (const { file, sse } of recorded) {
        if (sse === undefined) continue;
        const events = await Array.fromAsync(decodeStream(chat, each(eventsOf(sse))));
        const out = await encode(ofFirstChoice(events));
        const said = saidIn(events).choices[0];
        const wanted = `${said?.text}${said?.refusal}${said?.transcript}`;
        const seen = saidIn(await decode(readEvents(out))).choices[0];

        expect([file, messagesStreamFaults(out)]).toEqual([file, []]);
        expect([file, withoutPictures(seen?.text)]).toEqual([file, wanted]);
        expect([file, seen?.calls.map(({ name }) => name)]).toEqual([
          file,
          said?.calls.map(({ name }) => name),
        ]);
        expect([file, seen?.reasoning]).toEqual([file, said?.reasoning]);
      }
    });
  }),
);

test("the check of streams detects errors that break clients", () => {
  const event = (type: string, members: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
  const call = { type: "tool_use", id: "a.b", name: "f", input: {} };
  const wrong =
    event("message_start", { message: { id: "1", content: [], usage: {} } }) +
    event("content_block_start", { index: 1, content_block: { type: "text", text: "a" } }) +
    event("content_block_start", { index: 2, content_block: call }) +
    event("content_block_delta", { index: 2, delta: { type: "text_delta" } }) +
    event("message_delta", { delta: { stop_reason: "end_turn" }, usage: {} }) +
    "data: [DONE]\n\n";

  expect(messagesStreamFaults(wrong)).toEqual(
    expect.arrayContaining([
      "not an event line and a data line: data: [DONE]",
      "message_stop is not the last event, once",
      "the id is none of a message",
      "the model is not named",
      "the first usage lacks its counts",
      "block 1 where 0 is next",
      "a text does not begin empty",
      "a block begins inside another",
      "a call without an id",
      "a piece of a block that is not open",
      "message_delta inside a block",
      "a stop sequence does not go with its reason",
      "the usage lacks the output",
      "tools are called, but the reason does not say so",
    ]),
  );
});

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  sampling: {},
  reasoning: { enabled: true, visible: true },
};

function decode(events: readonly SseEvent[]): Promise<ChatEvent[]> {
  return Array.fromAsync(decodeStream(messages, each(events)));
}

async function encode(events: readonly ChatEvent[]): Promise<string> {
  return (await Array.fromAsync(encodeStream(messages, each(events), REQUEST))).join("");
}

/** Ids are given by the relay where an answer is translated; here those of the upstream stay. */
function ofFirstChoice(events: readonly ChatEvent[]): readonly ChatEvent[] {
  let count = 0;
  return events.map((event) =>
    event.type === "open" && event.block.type === "tool_call"
      ? { ...event, block: { ...event.block, id: `toolu_${count++}` } }
      : event,
  );
}

function withoutPictures(text: string | undefined): string | undefined {
  return text?.replaceAll(/!\[image\]\(data:[^)]*\)/g, "");
}

/** What a caller of an answer in one piece sees of it. */
function shown(body: JsonObject): JsonObject {
  const message = normalized(body);
  const content = isArray(message["content"]) ? message["content"] : [];
  return {
    ...message,
    content: content.filter((block) => isObject(block) && !isThinking(block)),
  };
}

function isThinking({ type }: JsonObject): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Members that are null say nothing, and so do texts and citations that are empty. */
function normalized(body: JsonObject): JsonObject {
  const { stop_sequence: sequence, stop_reason: reason, usage, content, ...rest } = body;
  const blocks = isArray(content) ? content.filter(isObject).map(withoutNulls) : [];
  return {
    ...withoutNulls(rest),
    content: blocks
      .filter((block) => block["type"] !== "text" || block["text"] !== "")
      .map(withoutEmptyCitations),
    stop_reason: reason ?? null,
    stop_sequence: sequence ?? null,
    usage: { ...NO_CACHE, ...(isObject(usage) ? withoutNoThinking(usage) : {}) },
  };
}

function withoutNoThinking(usage: JsonObject): JsonObject {
  const { output_tokens_details: details, ...rest } = withoutNulls(usage);
  const isNone = !isObject(details) || details["thinking_tokens"] === 0;
  return isNone ? rest : { ...rest, output_tokens_details: details };
}

const NO_CACHE = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

function withoutEmptyCitations(block: JsonObject): JsonObject {
  const { citations, ...rest } = block;
  return isArray(citations) && citations.length > 0 ? { ...rest, citations } : rest;
}

function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

/** Some recorders changed what stands around an event; what is in it counts. */
function asFramed(sse: string): string {
  return eventsOf(sse)
    .map(({ event, data }) => `event: ${event}\ndata: ${data.trim()}\n\n`)
    .join("");
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
