import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { integerOf, listOf, textOf } from "#lib/values.ts";
import { chat } from "#styles/text/chat/index.ts";
import { completions } from "#styles/text/completions/index.ts";
import { disagreement } from "#test/json-schema.ts";
import { openApiSchemas, readLines, readShared, withShared, withVendors } from "#test/shared.ts";
import { decodeStream, encodeStream } from "#test/translate/streams.ts";
import { saidIn } from "./chat-answers.ts";
import { eventsOf, isAnswer, isFailed, readChatCorpus } from "./chat-corpus.ts";

/** Text completions, asked of upstreams that speak chat. */
withVendors("corpus", () => {
  const recorded = readLines("corpus/index.jsonl")
    .filter((line) => line["endpoint"] === "completions" && line["status"] === 200)
    .map((line) => readShared(`corpus/${textOf(line["file"]) ?? ""}`));
  const bodies = recorded
    .map(({ request }) => (isObject(request) ? request["body"] : undefined))
    .filter((body) => isObject(body) && "prompt" in body)
    .filter(isObject);

  test("every recorded request is accepted, except those with several prompts", () => {
    const prompts = bodies.map((body) => [body["prompt"], promptAsked(body)] as const);
    const single = prompts.filter(([written]) => !isArray(written) || written.length === 1);
    const several = prompts.filter(([written]) => isArray(written) && written.length > 1);

    expect([single.length > 20, several.length > 0]).toEqual([true, true]);
    for (const [written, asked] of single) expect<unknown>([asked]).toEqual([written].flat());
    for (const [, asked] of several) expect(asked).toBeUndefined();
  });

  describe("recorded chat responses, as completions", () => {
    const good = readChatCorpus().filter((record) => !isFailed(record) && isAnswer(record));
    const whole = good.flatMap(({ file, body }) => (isObject(body) ? [{ file, body }] : []));
    const streams = good.flatMap(({ file, sse }) => (sse === undefined ? [] : [{ file, sse }]));

    withShared("schemas", () =>
      test("keep their text, and conform to the vendor's published schema", () => {
        const resolve = openApiSchemas("schemas/openai.openapi.yaml");
        const schema = resolve("CreateCompletionResponse");
        for (const { file, body } of whole) {
          const events = chat.outbound.parseResponse(body);
          const built = completions.inbound.buildResponse(events, REQUEST);

          expect([file, disagreement(jsonOf(built), schema, resolve)]).toEqual([file, undefined]);
          expect([file, textsIn([built])]).toEqual([file, wordsOf(events)]);
        }
      }),
    );

    test("keep their text in a stream, with chunks of the recorded members", async () => {
      const members = new Set(recordedMembers(recorded));
      for (const { file, sse } of streams) {
        const events = await Array.fromAsync(decodeStream(chat, each(eventsOf(sse))));
        const out = await Array.fromAsync(encodeStream(completions, each(events), REQUEST));
        const chunks = chunksIn(out.join(""));

        expect([file, textsIn(chunks)]).toEqual([file, wordsOf(events)]);
        const unknown = chunks
          .flatMap((chunk) => Object.keys(chunk))
          .filter((name) => !members.has(name));
        expect([file, unknown]).toEqual([file, []]);
      }
    });
  });
});

test("the official client reads a stream, and a complete response", async () => {
  const stream = await answering(
    new Response(await encoded(), { headers: { "content-type": "text/event-stream" } }),
  ).completions.create({ model: "m", prompt: "a", stream: true });
  const texts = (await Array.fromAsync(stream)).map(({ choices }) => choices[0]?.text ?? "");
  const body = completions.inbound.buildResponse(EVENTS, REQUEST);
  const completion = await answering(Response.json(body)).completions.create({
    model: "m",
    prompt: "a",
  });

  expect(texts.join("")).toBe("Grüße");
  expect(completion.choices).toMatchObject([{ text: "Grüße", finish_reason: "stop" }]);
});

test("the official client gets a failure within a stream as an error", async () => {
  const error = new GatewayError("upstream_timeout", "The upstream took too long.");
  const body = completions.inbound.openEncoder(REQUEST).fail(error);
  const stream = await answering(
    new Response(body, { headers: { "content-type": "text/event-stream" } }),
  ).completions.create({ model: "m", prompt: "a", stream: true });

  const seen = await Array.fromAsync(stream).then(
    () => "nothing",
    (thrown: unknown) => String(thrown),
  );
  expect(seen).toContain("The upstream took too long.");
});

const REQUEST: ChatRequest = { model: "m", messages: [], stream: true, sampling: {} };

const EVENTS: readonly ChatEvent[] = [
  { type: "start", id: "c1", model: "m", createdAt: 7_000 },
  { type: "open", choice: 0, block: { type: "text" } },
  { type: "delta", choice: 0, text: "Grü" },
  { type: "delta", choice: 0, text: "ße" },
  { type: "close", choice: 0 },
  { type: "finish", choice: 0, reason: "stop" },
];

async function encoded(): Promise<string> {
  return (await Array.fromAsync(encodeStream(completions, each(EVENTS), REQUEST))).join("");
}

/** `undefined` where the request is refused. */
function promptAsked(body: JsonObject): Json | undefined {
  let facts;
  try {
    facts = completions.inbound.readRequest(body, {});
  } catch (error) {
    if (error instanceof GatewayError && error.param === "prompt") return undefined;
    throw error;
  }
  const [message] = completions.inbound.parseRequest(body, facts).messages;
  const [block] = message?.blocks ?? [];
  return block?.type === "text" ? block.text : undefined;
}

/** What is said aloud: by text and by refusals. */
function wordsOf(events: readonly ChatEvent[]): unknown {
  const { choices } = saidIn(events);
  return Object.fromEntries(
    Object.entries(choices).map(([index, { text, refusal }]) => [index, text + refusal]),
  );
}

function textsIn(chunks: readonly JsonObject[]): unknown {
  const texts: Record<number, string> = {};
  for (const chunk of chunks) {
    for (const choice of listOf(chunk["choices"]).filter(isObject)) {
      const index = integerOf(choice["index"]) ?? -1;
      texts[index] = (texts[index] ?? "") + (textOf(choice["text"]) ?? "");
    }
  }
  return texts;
}

function recordedMembers(records: readonly JsonObject[]): readonly string[] {
  return records.flatMap(({ response }) => {
    const sse = isObject(response) ? response["sse"] : undefined;
    return typeof sse === "string"
      ? chunksIn(`${sse}\n\n`).flatMap((chunk) => Object.keys(chunk))
      : [];
  });
}

function chunksIn(stream: string): readonly JsonObject[] {
  return readEvents(stream)
    .filter(({ data }) => data !== "[DONE]")
    .map(({ data }) => JSON.parse(data) as JsonObject);
}

function jsonOf(value: JsonObject): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function answering(response: Response): OpenAI {
  return new OpenAI({
    apiKey: "unused",
    baseURL: "http://localhost.invalid/v1",
    maxRetries: 0,
    fetch: () => Promise.resolve(response),
  });
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
