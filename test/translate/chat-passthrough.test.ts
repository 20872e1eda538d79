import { describe, expect, test } from "bun:test";
import type { RequestFacts, Tap } from "#core/style.ts";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { SseFramer } from "#lib/sse.ts";
import { chat } from "#styles/text/chat/index.ts";
import { decodeStream } from "#test/translate/streams.ts";
import { random, SEED } from "#test/seed.ts";
import { countOf, HAS_VENDORS, withShared } from "#test/shared.ts";
import { saidIn } from "./chat-answers.ts";
import {
  chunksOf,
  cut,
  cutAt,
  eventsOf,
  isAnswer,
  isFailed,
  readChatCorpus,
  type Recorded,
} from "./chat-corpus.ts";

/**
 * Every recorded answer through the path that changes nothing: as bytes in
 * the pieces a network makes of them, watched by the tap.
 */
withShared("corpus", () =>
  describe(`recorded traffic, passed through (seed ${SEED})`, () => {
    const records = readChatCorpus();
    const streams = records.filter((record) => record.sse !== undefined && !isFailed(record));
    const bodies = records.filter(
      (record) => record.body !== undefined && !isFailed(record) && isAnswer(record),
    );

    test("is as much as the index lists", () => {
      expect([streams.length > countOf(250, 3), bodies.length > countOf(550, 6)]).toEqual([
        true,
        true,
      ]);
    });

    test("[A6-a] reaches a client that requested usage byte for byte, with any split", () => {
      const changed = streams.filter((record) => {
        const sent = encoded(record);
        return ways(sent, record).some((pieces) => !sent.equals(pass(pieces, true, record).bytes));
      });

      expect(changed.map(({ file }) => file)).toEqual([]);
    });

    test("has in a stream the last usage of the upstream, which adds up to the total", () => {
      for (const record of streams) {
        const { tap } = pass(ways(encoded(record), record)[0] ?? [], true);

        expect([record.file, totalOf(tap.usage)]).toEqual([
          record.file,
          reportedTotal(chunksOf(record.sse ?? "")),
        ]);
      }
    });

    test("has the usage of a complete response in the body", () => {
      for (const { file, body } of bodies) {
        const facts = chat.passthrough.readAnswer(objectFrom(body));

        expect([file, facts.error, totalOf(facts.usage)]).toEqual([
          file,
          undefined,
          reportedTotal([objectFrom(body)]),
        ]);
      }
    });

    test.if(HAS_VENDORS)(
      "is unchanged in a complete response, unless its calls violate the grammar",
      () => {
        const repaired = bodies.filter(
          (record) =>
            chat.passthrough.repairAnswer?.(objectFrom(record.body), factsOf(record)) !== undefined,
        );

        expect(repaired.map(({ file }) => file)).toEqual([
          // Its call has no id.
          "google/chat-completions/0001.json",
          // Gives an empty reason for its end.
          "snowflake/chat-completions/0009.json",
        ]);
      },
    );

    test("has every event except usage for a client that did not request it, without null usage fields", () => {
      for (const record of streams) {
        const out = pass(cut(encoded(record), random(SEED)), false, record).bytes.toString();
        const expected = eventsOf(record.sse ?? "").flatMap(({ data }) => withoutUsage(data));
        const seen = eventsOf(out).map(({ data }) => parseJson(data) ?? data);

        expect<unknown>([record.file, seen]).toEqual([record.file, expected]);
      }
    });

    test("is complete with its last events, and incomplete without them", () => {
      for (const record of streams.filter(hasReason)) {
        const sse = `${record.sse}\n\n`;
        const cutShort = sse.slice(0, beforeFirstReason(sse));

        expect([record.file, pass([Buffer.from(sse)], true).tap.isComplete()]).toEqual([
          record.file,
          true,
        ]);
        expect([record.file, pass([Buffer.from(cutShort)], true).tap.isComplete()]).toEqual([
          record.file,
          false,
        ]);
      }
    });

    test("has the text of the response for a local count", async () => {
      for (const record of streams) {
        const { tap } = pass(cut(encoded(record), random(SEED)), true);
        const events = await Array.fromAsync(decodeStream(chat, each(eventsOf(record.sse ?? ""))));
        const { choices } = saidIn(events);
        const length = Object.values(choices)
          .map((one) =>
            [
              one.text,
              one.reasoning,
              one.refusal,
              one.transcript,
              ...one.calls.map((call) => call.name + call.arguments),
            ].join(""),
          )
          .join("").length;

        // An empty argument list is written out on translation.
        expect([record.file, Math.abs(tap.takeOutputText().length - length) <= 4]).toEqual([
          record.file,
          true,
        ]);
        expect(tap.takeOutputText()).toBe("");
      }
    });

    test.if(HAS_VENDORS)(
      "has its upstream failure within a stream detected, whose text is not sent to the client",
      () => {
        const failed = records.filter(
          (record) => record.sse !== undefined && isFailed(record) && record.status === 200,
        );

        expect(failed.length).toBeGreaterThan(0);
        for (const record of failed) {
          const { tap, bytes } = pass([encoded(record)], true);

          expect([record.file, tap.error?.code, tap.isComplete(), bytes.length]).toEqual([
            record.file,
            "upstream_rejected",
            false,
            0,
          ]);
        }
      },
    );

    test("has an actionable cause for every failure", () => {
      const failed = records.filter((record) => record.status !== 200);

      expect(failed.length).toBeGreaterThan(countOf(40, 1));
      for (const { file, status, body } of failed) {
        const told = chat.outbound.parseError(status, JSON.stringify(body));

        const allowed = OF_REQUESTS.get(file) ?? allowedFor(status);
        expect([file, allowed.includes(told.code)]).toEqual([file, true]);
        expect(told.message).not.toMatch(
          /https?:\/\/[^\s/]*(?:@|localhost|[\d.]{7,})|\*\*\*|sk-|user_[a-z0-9]/i,
        );
        expect(told.message.length).toBeLessThanOrEqual(300);
      }
    });
  }),
);

const FACTS: RequestFacts = {
  model: "m",
  stream: true,
  maxOutputTokens: undefined,
  choices: 1,
  messages: 1,
  wantsUsage: true,
};

function pass(
  pieces: readonly Uint8Array[],
  wantsUsage: boolean,
  record?: Recorded,
): { bytes: Buffer; tap: Tap } {
  const tap = chat.passthrough.openTap({ ...factsOf(record), wantsUsage });
  const framer = new SseFramer(64 * 1_024 * 1_024);
  const out: Uint8Array[] = [];
  for (const piece of pieces) {
    const events = framer.push(piece);
    const sent = events === undefined ? undefined : tap.push(events);
    if (sent !== undefined) out.push(sent);
  }
  // A line end behind the last event is no event, and may come by itself.
  return { bytes: Buffer.concat([...out, framer.rest]), tap };
}

/** A function that is forced on the model is called without being named as the reason to end. */
function factsOf(record: Recorded | undefined): RequestFacts {
  return isObject(record?.request?.["tool_choice"]) ? { ...FACTS, forcesTool: true } : FACTS;
}

function encoded({ sse = "" }: Recorded): Buffer {
  return Buffer.from(/(\n\n|\r\n\r\n)$/.test(sse) ? sse : `${sse}\n\n`);
}

/** In one piece, as it really came, and cut anywhere. */
function ways(bytes: Uint8Array, { pieces }: Recorded): readonly Uint8Array[][] {
  return [[bytes], cutAt(bytes, pieces), cut(bytes, random(SEED)), cut(bytes, random(SEED + 1))];
}

function totalOf(
  usage: { inputTokens: number; outputTokens: number } | undefined,
): number | undefined {
  return usage === undefined ? undefined : usage.inputTokens + usage.outputTokens;
}

/** Read in the plainest way; the recordings' totals are all true. */
function reportedTotal(chunks: readonly JsonObject[]): number | undefined {
  const reports = chunks.flatMap((chunk) => [chunk["usage"], vendorUsage(chunk)]).filter(isObject);
  const totals = reports.filter(
    (one) => Number(one["completion_tokens"]) + Number(one["prompt_tokens"]) > 0,
  );
  return totals.map((one) => one["total_tokens"]).findLast((total) => typeof total === "number");
}

function vendorUsage(chunk: JsonObject): Json | undefined {
  const own = Object.keys(chunk).find((name) => name.startsWith("x_"));
  const value = own === undefined ? undefined : chunk[own];
  return isObject(value) && chunk["usage"] === undefined ? value["usage"] : undefined;
}

/** An event of usage alone comes only if it is asked for, and so does the promise of one. */
function withoutUsage(data: string): Json[] {
  const chunk = parseJson(data);
  if (!isObject(chunk)) return [chunk ?? data];
  const { usage, ...rest } = chunk;
  if (usage === null) return [rest];
  const isAlone = !isArray(chunk["choices"]) || chunk["choices"].length === 0;
  return isObject(usage) && isAlone ? [] : [chunk];
}

function hasReason(record: Recorded): boolean {
  return beforeFirstReason(record.sse ?? "") > 0;
}

/** Where the event begins that names a reason. */
function beforeFirstReason(sse: string): number {
  const at = sse.search(/"finish_reason": ?"[^"]/);
  return at < 0 ? -1 : Math.max(sse.lastIndexOf("\n\n", at) + 2, sse.lastIndexOf("\n\r\n", at) + 3);
}

/** What an account's status says of a request, or of nobody knows what. */
const OF_REQUESTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["openrouter/chat-completions/0163.json", ["upstream_not_found"]],
  ["doubleword/chat-completions/0019.json", ["upstream_refused"]],
]);

function allowedFor(status: number): readonly string[] {
  if (status === 401 || status === 403) return ["upstream_auth"];
  if (status === 404) return ["upstream_model_missing"];
  if (status >= 500) return ["upstream_failed", "upstream_overloaded", "upstream_timeout"];
  return [
    "upstream_rejected",
    "context_length_exceeded",
    "upstream_model_missing",
    "content_filtered",
  ];
}

function objectFrom(json: Json | undefined): JsonObject {
  return isObject(json) ? json : {};
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
