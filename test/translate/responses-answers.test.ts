import { describe, expect, test } from "bun:test";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents, type SseEvent } from "#lib/sse.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { chat } from "#styles/text/chat/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { responsesStreamFaults } from "#test/grammar/responses.ts";
import { disagreement } from "#test/json-schema.ts";
import { random, SEED } from "#test/seed.ts";
import { countOf, openApiSchemas, withShared } from "#test/shared.ts";
import { hubFaults, saidIn, type Said } from "./chat-answers.ts";
import { cut, cutAt, eventsOf, isAnswer, isFailed, readChatCorpus } from "./chat-corpus.ts";
import { eventsIn, isResponse, plainlySaid, readResponsesCorpus } from "./responses-corpus.ts";
import { decodeSse, decodeStream, encodeStream } from "./streams.ts";

/** Every recorded response through the hub and back: nothing that both ends know may be lost. */
withShared("corpus", () =>
  describe(`recorded responses, translated (seed ${SEED})`, () => {
    const good = readResponsesCorpus().filter(isResponse);
    const streams = good.flatMap(({ file, sse, pieces, response }) =>
      sse === undefined ? [] : [{ file, sse, pieces, response }],
    );
    const bodies = good.filter(({ sse }) => sse === undefined);

    test("are as many as the index lists", () => {
      expect([streams.length > countOf(55, 2), bodies.length > countOf(130, 6)]).toEqual([
        true,
        true,
      ]);
    });

    test("[A2.4] keep text, calls, reasoning, finish reason and usage, if complete", () => {
      for (const { file, response } of bodies) {
        const events = responses.outbound.parseResponse(response);
        const built = responses.inbound.buildResponse(events, SHOWN);
        const again = responses.outbound.parseResponse(built);

        expect([file, hubFaults(events)]).toEqual([file, []]);
        expect([file, plain(events)]).toEqual([file, expected(response)]);
        expect([file, plainlySaid(built)]).toEqual([file, plainlySaid(filled(response))]);
        expect([file, saidIn(again)]).toEqual([file, saidIn(events)]);
        expect([file, built["status"]]).toEqual([file, response["status"] ?? "completed"]);
      }
    });

    test("[A6-b] keep the same in a stream, in the exact order that clients need", async () => {
      for (const { file, sse, response } of streams) {
        const events = await decode(eventsIn(sse));
        const out = await encode(events);

        expect([file, hubFaults(events)]).toEqual([file, []]);
        expect([file, plain(events)]).toEqual([file, expected(response, proofsIn(sse))]);
        expect([file, responsesStreamFaults(out)]).toEqual([file, []]);
        expect([file, saidIn(await decode(readEvents(out)))]).toEqual([file, saidIn(events)]);
      }
    });

    test("have the same content as a stream and as a complete response", async () => {
      for (const { file, sse, response } of streams) {
        const streamed = saidIn(await decode(eventsIn(sse)));
        const whole = saidIn(responses.outbound.parseResponse(response));

        expect([file, withoutDetails(streamed)]).toEqual([file, withoutDetails(whole)]);
      }
    });

    test("decode to the same events with any split", async () => {
      for (const { file, sse, pieces } of streams) {
        const bytes = new TextEncoder().encode(`${sse}\n\n`);
        const whole = comparable(await decode(eventsIn(sse)));
        for (const transport of [cutAt(bytes, pieces), cut(bytes, random(SEED))]) {
          const events = await Array.fromAsync(
            decodeStream(responses, decodeSse(each(transport), 1_000_000_000)),
          );

          expect([file, comparable(events)]).toEqual([file, whole]);
        }
      }
    });

    test("are a failure without their end, at any position", async () => {
      for (const { file, sse } of streams) {
        const events = eventsIn(sse);
        const end = events.findIndex(({ data }) => /"response\.(completed|incomplete)"/.test(data));
        const broken = decode(events.slice(0, end)).then(
          () => "ended",
          (error: Error) => error.name,
        );

        expect([file, end > 0, await broken]).toEqual([file, true, "GatewayError"]);
      }
    });

    withShared("schemas", () =>
      describe("validation with the vendor's published schema", () => {
        const resolve = openApiSchemas("schemas/openai.openapi.yaml");

        test("[A2.4] every complete response conforms", () => {
          for (const { file, response } of bodies) {
            const built = responses.inbound.buildResponse(
              responses.outbound.parseResponse(response),
              SHOWN,
            );

            expect([file, disagreement(ours(built), resolve("Response"), resolve)]).toEqual([
              file,
              undefined,
            ]);
          }
        });

        test("[A6-b] every event of every stream conforms", async () => {
          for (const { file, sse } of streams) {
            const out = await encode(await decode(eventsIn(sse)));
            const found = wireEvents(out)
              .filter(({ item }) => item === undefined || isOurs(item))
              .map((event) => disagreement(ours(event), schemaFor(event), resolve))
              .find((one) => one !== undefined);

            expect([file, found]).toEqual([file, undefined]);
          }
        });

        test("[A6-b] every response of another style conforms as well", async () => {
          for (const { file, events } of chatAnswers()) {
            const found = wireEvents(await encode(events))
              .map((event) => disagreement(ours(event), schemaFor(event), resolve))
              .find((one) => one !== undefined);

            expect([file, found]).toEqual([file, undefined]);
          }
        });

        test("the check detects a wrong response", () => {
          const { tools: _, ...wrong } = responses.inbound.buildResponse([], SHOWN);
          const found = disagreement(ours(wrong), resolve("Response"), resolve);

          expect(found).toContain("tools is missing");
        });

        function schemaFor(event: JsonObject): Json {
          const type = textOf(event["type"]) ?? "";
          const names: Record<string, string> = {
            "response.output_text.delta": "ResponseTextDeltaEvent",
            "response.output_text.done": "ResponseTextDoneEvent",
            "response.image_generation_call.in_progress": "ResponseImageGenCallInProgressEvent",
            "response.image_generation_call.generating": "ResponseImageGenCallGeneratingEvent",
            "response.image_generation_call.completed": "ResponseImageGenCallCompletedEvent",
          };
          const words = type.split(/[._]/).slice(1);
          const title = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
          return resolve(names[type] ?? `Response${title}Event`);
        }
      }),
    );
  }),
);

withShared("corpus", () =>
  describe("recorded responses of another style, for clients of this one", () => {
    test("[A6-b] [A3.2] keep their text, in the exact order that clients need", async () => {
      for (const { file, events } of chatAnswers()) {
        const out = await encode(events);
        const said = saidIn(await decode(readEvents(out)));

        expect([file, responsesStreamFaults(out)]).toEqual([file, []]);
        expect([file, firstOf(said)]).toEqual([file, firstOf(saidIn(events))]);
      }
    });

    test("[A2.4] and the same in a complete response", () => {
      for (const { file, events } of chatAnswers()) {
        const built = responses.inbound.buildResponse(events, SHOWN);
        const said = saidIn(responses.outbound.parseResponse(built));

        expect([file, firstOf(said)]).toEqual([file, firstOf(saidIn(events))]);
      }
    });
  }),
);

const SHOWN: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  sampling: {},
  reasoning: { visible: true },
  rawFields: { responses: { include: ["reasoning.encrypted_content"] } },
};

function* chatAnswers(): Generator<{ file: string; events: readonly ChatEvent[] }> {
  for (const record of readChatCorpus()) {
    if (isFailed(record) || !isAnswer(record)) continue;
    const { file, sse, body } = record;
    const events =
      sse === undefined
        ? chat.outbound.parseResponse(isObject(body) ? body : {})
        : decodeNow(eventsOf(sse));
    yield { file, events: withUsage(events) };
  }
}

function decodeNow(wire: readonly SseEvent[]): readonly ChatEvent[] {
  const decoder = chat.outbound.openDecoder();
  const events = wire.flatMap((event) => (decoder.isOver ? [] : decoder.read(event)));
  return decoder.isOver ? events : [...events, ...decoder.end()];
}

/** The gateway always adds one where an upstream said nothing. */
function withUsage(events: readonly ChatEvent[]): readonly ChatEvent[] {
  if (events.some(({ type }) => type === "usage")) return events;
  const usage = {
    inputTokens: 1,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    audioInputTokens: 0,
    outputTokens: 1,
    reasoningTokens: 0,
    audioOutputTokens: 0,
    isEstimated: true,
  };
  return [...events, { type: "usage", usage }];
}

function decode(events: readonly SseEvent[]): Promise<ChatEvent[]> {
  return Array.fromAsync(decodeStream(responses, each(events)));
}

async function encode(events: readonly ChatEvent[]): Promise<string> {
  return (await Array.fromAsync(encodeStream(responses, each(events), SHOWN))).join("");
}

/** What the events say, in the terms of the plain reading. */
function plain(events: readonly ChatEvent[]): unknown {
  const said = saidIn(events).choices[0];
  return {
    text: said?.text,
    refusal: said?.refusal,
    reasoning: said?.reasoning,
    calls: said?.calls,
    citations: said?.citations,
    proofs: events.flatMap((event) =>
      event.type === "close" && event.signature !== undefined ? [event.signature.value] : [],
    ),
    others: events.flatMap((event) => {
      if (event.type !== "open") return [];
      if (event.block.type === "image") return ["image_generation_call"];
      return event.block.type === "other" ? [textOf(event.block.data["type"]) ?? ""] : [];
    }),
    usage: saidIn(events).usage?.outputTokens,
  };
}

function expected(response: JsonObject, proofs?: readonly string[]): unknown {
  const usage = isObject(response["usage"]) ? response["usage"] : {};
  const said = plainlySaid(filled(response));
  return { ...said, proofs: proofs ?? said.proofs, usage: usage["output_tokens"] };
}

/** The vendor encrypts anew for the end of a stream; what counts is what an item ended with. */
function proofsIn(sse: string): readonly string[] {
  return eventsIn(sse).flatMap(({ data }) => {
    const event = parseJson(data);
    if (!isObject(event) || event["type"] !== "response.output_item.done") return [];
    const { item } = event;
    return isObject(item) ? plainlySaid({ output: [item] }).proofs : [];
  });
}

/** No arguments are written as an empty object. */
function filled(response: JsonObject): JsonObject {
  const output = Array.isArray(response["output"]) ? response["output"] : [];
  return {
    ...response,
    output: output.map((item: JsonObject) =>
      item["type"] === "function_call" && item["arguments"] === ""
        ? { ...item, arguments: "{}" }
        : item,
    ),
  };
}

/** One vendor's answers have several choices, and other reasons; this style has one, and four. */
function firstOf({ choices, usage }: Said): unknown {
  const { 0: first } = choices;
  if (first === undefined) return undefined;
  return {
    text: first.text + first.transcript,
    reasoning: first.reasoning,
    refusal: first.refusal,
    calls: first.calls,
    citations: first.citations,
    finish: first.finish === "other" ? "stop" : first.finish,
    images: first.images,
    tokens: [usage?.inputTokens, usage?.outputTokens, usage?.cachedInputTokens],
  };
}

/** Probabilities and citations may come with the pieces only, or at the end only. */
function withoutDetails({ choices, usage }: Said): unknown {
  const { 0: first } = choices;
  return { said: { ...first, logprobs: undefined }, usage };
}

/** Made-up ids differ from reading to reading. */
function comparable(events: readonly ChatEvent[]): unknown {
  return JSON.parse(JSON.stringify(events));
}

function wireEvents(stream: string): readonly JsonObject[] {
  return readEvents(stream)
    .map(({ data }) => parseJson(data))
    .filter(isObject);
}

/**
 * What the schema can be asked of: the vendor itself has no usage before the
 * end of a stream, and servers' own tools go on as their servers wrote them.
 */
function ours(value: JsonObject): Json {
  const { response, output, usage, user, ...rest } = value;
  const items = Array.isArray(output) ? output.filter((item: Json) => isOurs(item)) : undefined;
  return {
    ...rest,
    ...(usage === null || usage === undefined ? {} : { usage }),
    // The vendor sends null for it, which its schema does not say and Open Responses does.
    ...(user === null || user === undefined ? {} : { user }),
    ...(items === undefined ? {} : { output: items }),
    ...(isObject(response) ? { response: ours(response) } : {}),
  };
}

function isOurs(item: Json): boolean {
  const type = textOf(memberOf(item, "type")) ?? "";
  return /^(message|reasoning|function_call|custom_tool_call|image_generation_call)$/.test(type);
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
