import { afterAll, describe, expect, test } from "bun:test";
import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { writeSignature } from "#core/signature.ts";
import type { TextStyle } from "#core/style.ts";
import { NO_USAGE } from "#core/usage.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { textOf } from "#lib/values.ts";
import { disagreement } from "#test/json-schema.ts";
import { HAS_VENDORS, openApiSchemas, withShared } from "#test/shared.ts";
import { hubFaults } from "./chat-answers.ts";
import { expectedOf, fitted } from "./cross-expected.ts";
import { answersOf, decode, encode } from "./cross-recorded.ts";
import { SHOW_ALL, STYLES, type Judged } from "./cross-styles.ts";
import { toldIn } from "./cross-told.ts";

/** Recordings of what is no answer of their style, and why. */
const NO_ANSWERS: ReadonlyMap<string, string> = new Map([
  ["mistral/chat-completions/0019.json", "a reader of documents, on the same path"],
  ["groq/chat-completions/0085.json", "a failure inside of a stream"],
  ["groq/chat-completions/0137.json", "a failure inside of a stream"],
  ["azure/responses/0019.json", "an answer in the chat style"],
]);

interface Answer {
  readonly file: string;
  readonly events: readonly ChatEvent[];
}

/** Every answer that upstreams of one style gave, for callers of each style. */
withShared("corpus", () =>
  describe("recorded responses", () => {
    const known = new Map(STYLES.map((from) => [from, answersIn(from)]));
    let compared = 0;

    afterAll(() => {
      const sizes = [...known].map(([{ style }, { answers }]) => `${style.id} ${answers.length}`);
      process.stdout.write(
        `recorded answers: ${sizes.join(", ")}; ${compared} translations read\n`,
      );
    });

    test.if(HAS_VENDORS)(
      "are as many as the index lists, and each is read except known invalid ones",
      () => {
        const all = [...known.values()];

        expect(all.flatMap(({ failed }) => failed).toSorted()).toEqual(
          [...NO_ANSWERS.keys()].toSorted(),
        );
        expect(all.map(({ answers }) => answers.length)).toEqual([905, 200, 120, 235]);
      },
    );

    for (const [from, { answers }] of known) {
      test.each(STYLES.map((to) => [to.style.id, to] as const))(
        `[A6-a] [A6-b] as a stream of the ${from.style.id} style reach clients of the %s style without a loss`,
        (_, to) => {
          for (const { file, events } of answers) {
            const given = owned(events, to.style);
            const out = encode(to.style, given);
            const wanted = expectedOf(given, from, to, "stream");
            const again = decode(to.style, readEvents(out));

            expect([file, to.streamFaults(out)]).toEqual([file, []]);
            expect([file, hubFaults(again)]).toEqual([file, []]);
            expect([file, fitted(toldIn(again), from, to)]).toEqual([file, wanted]);
            expect([file, fitted(to.reader.readStream(out), from, to)]).toEqual([file, wanted]);
            expect([file, unprovenIn(given, out, to.style)]).toEqual([file, []]);
            compared++;
          }
        },
      );

      test.each(STYLES.map((to) => [to.style.id, to] as const))(
        `[A2.3] [A2.4] [A2.5] [A2.6] as a complete response of the ${from.style.id} style reach clients of the %s style without a loss`,
        (_, to) => {
          for (const { file, events } of answers) {
            const given = owned(events, to.style);
            const out = built(to.style, given);
            const wanted = expectedOf(given, from, to, "whole");

            expect([file, fitted(toldIn(decode(to.style, out)), from, to)]).toEqual([file, wanted]);
            expect([file, fitted(to.reader.readWhole(out), from, to)]).toEqual([file, wanted]);
            compared++;
          }
        },
      );
    }

    withShared("schemas", () => {
      const resolve = openApiSchemas("schemas/openai.openapi.yaml");
      const schemas: Readonly<Record<string, Json>> = {
        chat: resolve("CreateChatCompletionResponse"),
        responses: resolve("Response"),
      };

      test.each(
        STYLES.filter(({ style }) => style.id in schemas).map((to) => [to.style.id, to] as const),
      )(
        "[A2.3] [A2.4] of any vendor, translated for clients of the %s style, conform to its vendor's schema",
        (id, to) => {
          for (const { answers } of known.values()) {
            for (const { file, events } of answers) {
              const out = withoutNoUser(
                withoutServerItems(built(to.style, owned(events, to.style))),
              );
              const found = disagreement(out, schemas[id] ?? false, resolve);

              expect([file, found]).toEqual([file, undefined]);
            }
          }
        },
      );
    });
  }),
);

function answersIn(from: Judged): {
  readonly answers: readonly Answer[];
  readonly failed: readonly string[];
} {
  const failed: string[] = [];
  const answers: Answer[] = [];
  for (const { file, wire } of answersOf(from)) {
    try {
      answers.push({ file, events: decode(from.style, wire) });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      failed.push(file);
    }
  }
  return { answers, failed };
}

/** As the relay hands it over: with ids of our own, and with usage where the upstream gave none. */
function owned(events: readonly ChatEvent[], { callIdPrefix }: TextStyle): readonly ChatEvent[] {
  let calls = 0;
  const given = events.map((event) =>
    event.type === "open" && event.block.type === "tool_call"
      ? { ...event, block: { ...event.block, id: `${callIdPrefix}${calls++}` } }
      : event,
  );
  if (events.some(({ type }) => type === "usage")) return given;
  return [...given, { type: "usage", usage: { ...NO_USAGE, inputTokens: 3, outputTokens: 2 } }];
}

function built({ inbound }: TextStyle, events: readonly ChatEvent[]): JsonObject {
  const body = parseJson(JSON.stringify(inbound.buildResponse(events, SHOW_ALL)));
  return isObject(body) ? body : {};
}

/** Proofs of reasoning that the caller could not send back. */
function unprovenIn(
  events: readonly ChatEvent[],
  out: string,
  { id }: TextStyle,
): readonly string[] {
  let isReasoning = false;
  return events.flatMap((event) => {
    if (event.type === "open") isReasoning = event.choice === 0 && event.block.type === "reasoning";
    if (event.type !== "close" || !isReasoning || event.signature === undefined) return [];
    // One style has a block of its own for those that come without words.
    const { issuer, value } = event.signature;
    const proof = writeSignature(event.signature, id).replace(/^redacted:/, "");
    // Another lends it to the part that follows, and says so.
    const lent = writeSignature({ issuer, value: `thinking:${value}` }, id);
    return [proof, lent].some((one) => out.includes(JSON.stringify(one))) ? [] : [proof];
  });
}

const FROM_GATEWAY = /^(message|reasoning|function_call|custom_tool_call|image_generation_call)$/;

/** What a server's own tool did goes on as its server wrote it. */
function withoutServerItems(body: JsonObject): JsonObject {
  const { output } = body;
  if (!Array.isArray(output)) return body;
  const items: readonly JsonObject[] = output.filter(isObject);
  return { ...body, output: items.filter(({ type }) => FROM_GATEWAY.test(textOf(type) ?? "")) };
}

/** The vendor sends null for a user nobody named, which its schema does not say and Open Responses does. */
function withoutNoUser({ user, ...rest }: JsonObject): JsonObject {
  return user === null || user === undefined ? rest : { ...rest, user };
}
