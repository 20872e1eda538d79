import { describe, expect, test } from "bun:test";
import type { RequestFacts, Tap } from "#core/style.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { SseFramer } from "#lib/sse.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { random, SEED } from "#test/seed.ts";
import { countOf, withShared } from "#test/shared.ts";
import { cut, cutAt } from "./chat-corpus.ts";
import {
  nativeChunks,
  readNativeCorpus,
  saidNatively,
  type RecordedNative,
} from "./gemini-corpus.ts";

/** Every recorded answer through the path that changes nothing, in the pieces a network makes of it. */
withShared("corpus", () =>
  describe(`recorded native traffic, passed through (seed ${SEED})`, () => {
    const records = readNativeCorpus();
    const good = records.filter(({ status }) => status === 200);
    const streams = good.filter(({ sse }) => sse !== undefined);

    test("[A4.7-b] reaches a client byte for byte, with any split", () => {
      const changed = streams.filter((record) => {
        const sent = encoded(record);
        return ways(sent, record).some((pieces) => !sent.equals(pass(pieces).bytes));
      });

      expect(streams.length).toBeGreaterThan(countOf(95, 3));
      expect(changed.map(({ file }) => file)).toEqual([]);
    });

    test("has in a stream the last usage of the upstream, which adds up to the total", () => {
      for (const record of streams) {
        const { tap } = pass(cut(encoded(record), random(SEED)));

        expect([record.file, totalOf(tap.usage)]).toEqual([record.file, lastTotal(record)]);
      }
    });

    test("has the usage of a complete response in the body", () => {
      for (const { file, body } of good) {
        if (body === undefined) continue;
        const facts = gemini.passthrough.readAnswer(body);

        expect([file, facts.error, totalOf(facts.usage)]).toEqual([file, undefined, totalIn(body)]);
      }
    });

    test("is complete with its last event, and incomplete without it", () => {
      for (const record of streams) {
        const sse = encoded(record).toString();
        const cutShort = sse.slice(0, sse.lastIndexOf("data:", sse.indexOf('"finishReason"')));

        expect([record.file, pass([Buffer.from(sse)]).tap.isComplete()]).toEqual([
          record.file,
          true,
        ]);
        expect([record.file, pass([Buffer.from(cutShort)]).tap.isComplete()]).toEqual([
          record.file,
          false,
        ]);
      }
    });

    test("ends only after the end of the upstream's bytes", () => {
      for (const record of streams) {
        const tap = gemini.passthrough.openTap(FACTS);
        const early = Buffer.from(tap.push(encoded(record)) ?? []);

        expect([record.file, early.includes('"finishReason"') && isLast(record)]).toEqual([
          record.file,
          false,
        ]);
        const all = Buffer.concat([early, tap.end() ?? Buffer.alloc(0)]);
        expect([record.file, all.equals(encoded(record))]).toEqual([record.file, true]);
      }
    });

    test("has the text of the response for a local count", () => {
      for (const record of streams.filter(({ sse }) => sse?.includes("partialArgs") === false)) {
        const { tap } = pass(cut(encoded(record), random(SEED)));
        const said = saidNatively(nativeChunks(record.sse ?? ""));
        const calls = said.calls.map(({ name, args }) => name + JSON.stringify(args)).join("");
        const text = tap.takeOutputText();

        expect([record.file, text.length >= said.text.length + said.thoughts.length]).toEqual([
          record.file,
          true,
        ]);
        expect([record.file, text.length - said.text.length - said.thoughts.length]).toEqual([
          record.file,
          calls.length + codeIn(record),
        ]);
        expect(tap.takeOutputText()).toBe("");
      }
    });

    test("[A7] has an actionable cause for every failure", () => {
      const failed = records.filter(({ status }) => status !== 200);

      expect(failed.length).toBeGreaterThan(countOf(20, 0));
      for (const { file, status, body, sse = "" } of failed) {
        const text = JSON.stringify(body ?? nativeChunks(sse)[0]);
        const told = gemini.outbound.parseError(status, text);

        expect([file, causeOf(status, text)]).toEqual([file, told.code]);
        expect(told.message).not.toMatch(/https?:\/\/[^\s/]*(?:@|localhost|[\d.]{7,})|AIza/);
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

function pass(pieces: readonly Uint8Array[]): { bytes: Buffer; tap: Tap } {
  const tap = gemini.passthrough.openTap(FACTS);
  const framer = new SseFramer(64 * 1_024 * 1_024);
  const out: Uint8Array[] = [];
  for (const piece of pieces) {
    const events = framer.push(piece);
    const sent = events === undefined ? undefined : tap.push(events);
    if (sent !== undefined) out.push(sent);
  }
  if (framer.rest.length > 0) out.push(tap.push(framer.rest) ?? Buffer.alloc(0));
  const rest = tap.end();
  if (rest !== undefined) out.push(rest);
  return { bytes: Buffer.concat(out), tap };
}

function encoded({ sse = "" }: RecordedNative): Buffer {
  return Buffer.from(/(\n\n|\r\n\r\n)$/.test(sse) ? sse : `${sse}\n\n`);
}

/** In one piece, as it really came, and cut anywhere. */
function ways(bytes: Uint8Array, { pieces }: RecordedNative): readonly Uint8Array[][] {
  return [[bytes], cutAt(bytes, pieces), cut(bytes, random(SEED)), cut(bytes, random(SEED + 1))];
}

/** Some streams name a reason, and then go on. */
function isLast({ sse = "" }: RecordedNative): boolean {
  return sse.indexOf('"finishReason"') === sse.lastIndexOf('"finishReason"');
}

function totalOf(
  usage: { inputTokens: number; outputTokens: number } | undefined,
): number | undefined {
  return usage === undefined ? undefined : usage.inputTokens + usage.outputTokens;
}

function totalIn(chunk: JsonObject): number | undefined {
  const usage = chunk["usageMetadata"];
  const total = isObject(usage) ? usage["totalTokenCount"] : undefined;
  return typeof total === "number" ? total : undefined;
}

function lastTotal({ sse = "" }: RecordedNative): number | undefined {
  return nativeChunks(sse)
    .map(totalIn)
    .findLast((total) => total !== undefined);
}

function codeIn({ sse = "" }: RecordedNative): number {
  const codes = saidNatively(nativeChunks(sse)).others.map((part) => {
    const code = isObject(part) && isObject(part["executableCode"]) ? part["executableCode"] : {};
    return typeof code["code"] === "string" ? code["code"].length : 0;
  });
  return codes.reduce((sum, length) => sum + length, 0);
}

function causeOf(status: number, text: string): string {
  if (text.includes("API_KEY_INVALID")) return "upstream_auth";
  if (text.includes("RESOURCE_EXHAUSTED")) return "upstream_rate_limited";
  return status === 404 ? "upstream_model_missing" : "upstream_rejected";
}
