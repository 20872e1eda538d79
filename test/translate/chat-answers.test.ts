import { describe, expect, test } from "bun:test";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents, type SseEvent } from "#lib/sse.ts";
import { chat } from "#styles/text/chat/index.ts";
import { decodeSse, decodeStream, encodeStream } from "#test/translate/streams.ts";
import { chatStreamFaults } from "#test/grammar/chat.ts";
import { disagreement } from "#test/json-schema.ts";
import { random, SEED } from "#test/seed.ts";
import { openApiSchemas, withShared } from "#test/shared.ts";
import { hubFaults, saidIn, saidInChunks, type Said, type SaidChoice } from "./chat-answers.ts";
import {
  chunksOf,
  cut,
  cutAt,
  eventsOf,
  isAnswer,
  isFailed,
  readChatCorpus,
} from "./chat-corpus.ts";

/** Every recorded answer through the hub and back: nothing that both ends know may be lost. */
withShared("corpus", () =>
  describe(`recorded responses, translated (seed ${SEED})`, () => {
    const good = readChatCorpus().filter((record) => !isFailed(record) && isAnswer(record));
    const streams = good
      .filter(({ sse }) => sse !== undefined)
      .map(({ file, sse = "", pieces }) => ({ file, sse, pieces }));
    const bodies = good.flatMap(({ file, body }) => (isObject(body) ? [{ file, body }] : []));

    test("[A2.3] a complete response keeps its text, calls, finish reason, usage and other content", () => {
      for (const { file, body } of bodies) {
        const events = chat.outbound.parseResponse(body);
        const built = chat.inbound.buildResponse(events, REQUEST);
        const again = chat.outbound.parseResponse(built);

        expect([file, hubFaults(events)]).toEqual([file, []]);
        expect([file, comparable(saidIn(events).choices)]).toEqual([
          file,
          comparable(saidInChunks([whole(body)])),
        ]);
        expect([file, withoutReasoning(saidIn(again))]).toEqual([
          file,
          withoutReasoning(saidIn(events)),
        ]);
      }
    });

    test("[A6-a] a stream keeps the same, and has the exact order that clients need", async () => {
      for (const { file, sse } of streams) {
        const events = await decode(eventsOf(sse));
        const out = await encode(events);

        expect([file, hubFaults(events)]).toEqual([file, []]);
        expect([file, comparable(saidIn(events).choices)]).toEqual([
          file,
          comparable(saidInChunks(chunksOf(sse))),
        ]);
        expect([file, chatStreamFaults(out, { wantsUsage: true })]).toEqual([file, []]);
        expect([file, named(saidIn(await decode(readEvents(out))))]).toEqual([
          file,
          named(saidIn(events)),
        ]);
      }
    });

    test("a client that did not request usage gets a stream without it", async () => {
      for (const { file, sse } of streams) {
        const out = await encode(await decode(eventsOf(sse)), {});

        expect([file, chatStreamFaults(out, { wantsUsage: false })]).toEqual([file, []]);
      }
    });

    test("a stream has the same content as a complete response", async () => {
      for (const { file, sse } of streams) {
        const events = await decode(eventsOf(sse));
        const built = chat.inbound.buildResponse(events, REQUEST);
        const unary = saidIn(chat.outbound.parseResponse(built));

        expect([file, withoutReasoning(unary)]).toEqual([file, withoutReasoning(saidIn(events))]);
      }
    });

    test("bytes with any split decode to the same events", async () => {
      for (const { file, sse, pieces } of streams) {
        const bytes = new TextEncoder().encode(sse);
        const expected = comparableEvents(await decode(eventsOf(sse)));
        for (const transport of [
          cutAt(bytes, pieces),
          cut(bytes, random(SEED)),
          cut(bytes, random(SEED + 7)),
        ]) {
          const events = await Array.fromAsync(
            decodeStream(chat, decodeSse(each(transport), 1_000_000_000)),
          );

          expect([file, comparableEvents(events)]).toEqual([file, expected]);
        }
      }
    });

    test("a recorded stream without its last part is a failure, never an end", async () => {
      for (const { file, sse } of streams) {
        const events = eventsOf(sse);
        const cutAtReason = events.findIndex(({ data }) => /"finish_reason": ?"[^"]/.test(data));
        if (cutAtReason < 0) continue;

        const broken = decode(events.slice(0, cutAtReason));

        expect([
          file,
          await broken.then(
            () => "ended",
            (error: Error) => error.name,
          ),
        ]).toEqual([file, "GatewayError"]);
      }
    });

    withShared("schemas", () =>
      describe("validation with the vendor's published schema", () => {
        const resolve = openApiSchemas("schemas/openai.openapi.yaml");

        test("every complete response conforms", () => {
          const schema = resolve("CreateChatCompletionResponse");
          for (const { file, body } of bodies) {
            const built = chat.inbound.buildResponse(chat.outbound.parseResponse(body), REQUEST);

            expect([file, disagreement(jsonOf(built), schema, resolve)]).toEqual([file, undefined]);
          }
        });

        test("every chunk of every stream conforms", async () => {
          const schema = resolve("CreateChatCompletionStreamResponse");
          for (const { file, sse } of streams) {
            for (const wants of [WANTS_USAGE, {}]) {
              const chunks = chunksOf(await encode(await decode(eventsOf(sse)), wants));
              const found = chunks
                .map((chunk) => disagreement(chunk, schema, resolve))
                .find((one) => one !== undefined);

              expect([file, found]).toEqual([file, undefined]);
            }
          }
        });

        test("the check detects a wrong response", () => {
          const schema = resolve("CreateChatCompletionResponse");
          const wrong = {
            id: "a",
            object: "chat.completion",
            created: 1,
            model: "m",
            choices: [
              {
                index: 0,
                message: { role: "assistant", content: "hi" },
                logprobs: null,
                finish_reason: "stop",
              },
            ],
          };

          expect(disagreement(wrong, schema, resolve)).toContain("refusal is missing");
        });
      }),
    );
  }),
);

const WANTS_USAGE = { stream_options: { include_usage: true } };
const REQUEST: ChatRequest = { model: "m", messages: [], stream: true, sampling: {} };

function decode(events: readonly SseEvent[]): Promise<ChatEvent[]> {
  return Array.fromAsync(decodeStream(chat, each(events)));
}

async function encode(
  events: readonly ChatEvent[],
  rawFields: JsonObject = WANTS_USAGE,
): Promise<string> {
  const request: ChatRequest = { ...REQUEST, rawFields: { chat: rawFields } };
  return (await Array.fromAsync(encodeStream(chat, each(events), request))).join("");
}

/** Some whole answers also hold a `delta` with part of the same. */
function whole(body: JsonObject): JsonObject {
  const choices = Array.isArray(body["choices"]) ? body["choices"] : [];
  return {
    ...body,
    choices: choices.map((choice: JsonObject) => ({ ...choice, delta: undefined })),
  };
}

/** Ids that were missing are made up, empty arguments are written out, and reasons have one name each. */
function comparable(choices: Readonly<Record<number, SaidChoice>>): unknown {
  return Object.fromEntries(
    Object.entries(choices).map(([index, choice]) => [
      index,
      {
        ...choice,
        calls: choice.calls.map(({ name, arguments: args }) => ({
          name,
          arguments: args === "" ? "{}" : args,
        })),
        citations: undefined,
        images: undefined,
        finish: undefined,
        reason: reasonOf(choice),
      },
    ]),
  );
}

function reasonOf({ finish, calls }: SaidChoice): string {
  if (calls.length > 0 && finish !== "length" && finish !== "content_filter") return "tool_calls";
  if (finish === "length" || finish === "content_filter") return finish;
  return "stop";
}

/** With the reasons that this style has: an end for no known reason is a stop. */
function named({ choices, usage }: Said): {
  choices: Record<string, SaidChoice>;
  usage: Said["usage"];
} {
  const kept = Object.entries(choices).map(([index, choice]) => [
    index,
    { ...choice, finish: reasonOf(choice) },
  ]);
  return { choices: Object.fromEntries(kept), usage };
}

function withoutReasoning(said: Said): unknown {
  const { choices, usage } = named(said);
  return {
    choices: Object.entries(choices).map(([index, choice]) => [
      index,
      { ...choice, reasoning: "" },
    ]),
    usage,
  };
}

/** Made-up ids differ from reading to reading. */
function comparableEvents(events: readonly ChatEvent[]): unknown {
  return events.map((event) => {
    if (event.type === "open" && event.block.type === "tool_call")
      return { ...event, block: { ...event.block, id: "" } };
    return event.type === "start" ? { ...event, id: "" } : event;
  });
}

function jsonOf(value: JsonObject): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
