import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { Address, TextStyle } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { chat } from "#styles/text/chat/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { chatStreamFaults } from "#test/grammar/chat.ts";
import { disagreement } from "#test/json-schema.ts";
import { openApiSchemas, readLines, readShared, SHARED, withShared } from "#test/shared.ts";
import { decodeStream, encodeStream } from "#test/translate/streams.ts";
import { saidIn } from "./chat-answers.ts";
import { chunksOf, eventsOf } from "./chat-corpus.ts";

interface Other {
  readonly style: TextStyle;
  readonly endpoints: readonly string[];
  readonly path: RegExp;
}

const OTHERS: readonly Other[] = [
  { style: messages, endpoints: ["messages"], path: /\/messages(\?|$)/ },
  { style: responses, endpoints: ["responses"], path: /\/responses(\?|$)/ },
  {
    style: gemini,
    endpoints: ["generate-content", "stream-generate-content"],
    path: /:(stream)?[gG]enerateContent/,
  },
];

/** Traffic of the other styles, with vendors of this one in their place. */
withShared("corpus", () =>
  withShared("schemas", () => {
    const resolve = openApiSchemas("schemas/openai.openapi.yaml");

    describe.each(OTHERS)("$style.id", ({ style, endpoints, path }) => {
      const recorded = readLines("corpus/index.jsonl")
        .filter((line) => endpoints.includes(textOf(line["endpoint"]) ?? ""))
        .filter((line) => line["status"] === 200)
        .map((line) => textOf(line["file"]) ?? "")
        .map((file) => ({ file, ...readExchange(file) }));
      const asked = [
        ...recorded.flatMap(({ file, body }) => (body === undefined ? [] : [{ file, body }])),
        ...capturedBodies(path),
      ];

      test("[A4.3-a] [A4.3-02] its clients' requests become requests that a vendor of the chat style would accept", () => {
        const schema = resolve("CreateChatCompletionRequest");
        const built = asked.flatMap(({ file, body }) => {
          const wire = asChat(style, body);
          return wire === undefined ? [] : [{ file, wire }];
        });

        expect(built.length).toBeGreaterThan(asked.length * 0.7);
        for (const { file, wire } of built) {
          expect([file, unexpected(disagreement(wire, schema, resolve))]).toEqual([
            file,
            undefined,
          ]);
          expect([file, pairingFaults(wire)]).toEqual([file, []]);
        }
      });

      test("[A2.3] [A6-a] its vendors' responses become chat responses, complete or streamed", async () => {
        const whole = resolve("CreateChatCompletionResponse");
        const chunk = resolve("CreateChatCompletionStreamResponse");
        let count = 0;
        for (const { file, answer, sse } of recorded) {
          const events = await eventsIn(style, answer, sse);
          if (events === undefined) continue;
          count++;
          const built = jsonOf(chat.inbound.buildResponse(events, REQUEST));
          const out = (await Array.fromAsync(encodeStream(chat, each(events), REQUEST))).join("");

          expect([file, disagreement(built, whole, resolve)]).toEqual([file, undefined]);
          expect([file, chatStreamFaults(out, { wantsUsage: false })]).toEqual([file, []]);
          for (const one of chunksOf(out)) {
            const found = unexpected(disagreement(one, chunk, resolve));
            expect([file, found]).toEqual([file, undefined]);
          }
          const again = await Array.fromAsync(decodeStream(chat, each(eventsOf(out))));
          expect([file, wordsIn(again)]).toEqual([file, wordsIn(events)]);
        }
        expect(count).toBeGreaterThan(60);
      });
    });
  }),
);

const REQUEST: ChatRequest = { model: "m", messages: [], stream: true, sampling: {} };

function readExchange(file: string): {
  body: JsonObject | undefined;
  answer: JsonObject | undefined;
  sse: string | undefined;
} {
  const { request, response } = readShared(`corpus/${file}`);
  const body = isObject(request) ? request["body"] : undefined;
  const answer = isObject(response) ? response["body"] : undefined;
  return {
    body: isObject(body) ? body : undefined,
    answer: isObject(answer) ? answer : undefined,
    sse: textOf(memberOf(response, "sse")),
  };
}

function capturedBodies(path: RegExp): { file: string; body: JsonObject }[] {
  return readdirSync(join(SHARED, "captured"))
    .filter((file) => file.endsWith(".jsonl"))
    .flatMap((file) => readLines(`captured/${file}`).map((line) => ({ file, line })))
    .filter(({ line }) => path.test(textOf(line["path"]) ?? ""))
    .flatMap(({ file, line: { body } }) => (isObject(body) ? [{ file, body }] : []));
}

const ADDRESS: Address = { model: "m", stream: false };

/** `undefined` where it cannot be carried, which must be said in so many words. */
function asChat(style: TextStyle, body: JsonObject): Json | undefined {
  try {
    const facts = style.inbound.readRequest(body, ADDRESS);
    const request = style.inbound.parseRequest(body, facts);
    return jsonOf(chat.outbound.buildRequest(request, { report: new LossReport(), model: {} }));
  } catch (error) {
    if (error instanceof GatewayError && error.fault.blame === "client") return undefined;
    throw error;
  }
}

/** What a vendor of this style says of calls without results, and of results without calls. */
function pairingFaults(wire: Json): readonly string[] {
  const faults: string[] = [];
  let open: string[] = [];
  for (const message of listOf(memberOf(wire, "messages"))) {
    const id = textOf(memberOf(message, "tool_call_id"));
    if (id !== undefined) {
      if (!open.includes(id)) faults.push(`a result without its call: ${id}`);
      open.splice(open.indexOf(id), 1);
      continue;
    }
    faults.push(...open.map((one) => `a call without its result: ${one}`));
    open = listOf(memberOf(message, "tool_calls")).map(
      (call) => textOf(memberOf(call, "id")) ?? "",
    );
    if (new Set(open).size < open.length) faults.push("two calls with one id");
  }
  return [...faults, ...open.map((one) => `a call without its result: ${one}`)];
}

/** `undefined` where the recording is of a failure, or of something else. */
async function eventsIn(
  style: TextStyle,
  answer: JsonObject | undefined,
  sse: string | undefined,
): Promise<readonly ChatEvent[] | undefined> {
  try {
    if (sse !== undefined) return await Array.fromAsync(decodeStream(style, each(eventsOf(sse))));
    return answer === undefined ? undefined : style.outbound.parseResponse(answer);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

function wordsIn(events: readonly ChatEvent[]): unknown {
  return Object.values(saidIn(events).choices).map(({ text, reasoning, refusal, calls }) => ({
    text,
    reasoning,
    refusal,
    calls: calls.map((call) => ({ ...call, arguments: call.arguments || "{}" })),
  }));
}

/** Two things that vendors do and the first of them has not published. */
function unexpected(found: string | undefined): string | undefined {
  return found !== undefined && /type is "custom"|modalities\[\d\] is "image"/.test(found)
    ? undefined
    : found;
}

function jsonOf(value: JsonObject): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
