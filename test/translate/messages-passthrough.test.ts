import { describe, expect, test } from "bun:test";
import type { RequestFacts, Tap } from "#core/style.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { SseFramer } from "#lib/sse.ts";
import { messages } from "#styles/text/messages/index.ts";
import { decodeStream } from "#test/translate/streams.ts";
import { random, SEED } from "#test/seed.ts";
import { countOf, withShared } from "#test/shared.ts";
import { saidIn } from "./chat-answers.ts";
import { cut, cutAt, eventsOf, type Recorded } from "./chat-corpus.ts";
import { messageIn, readMessagesCorpus } from "./messages-corpus.ts";

/**
 * Every recorded answer through the path that changes nothing: as bytes in
 * the pieces a network makes of them, watched by the tap.
 */
withShared("corpus", () =>
  describe(`recorded traffic, passed through (seed ${SEED})`, () => {
    const records = readMessagesCorpus();
    const good = records.filter(({ status }) => status === 200);
    const streams = good.filter(({ sse }) => sse !== undefined);

    test("[A6-a] reaches a client byte for byte, with any split", () => {
      expect(streams.length).toBe(countOf(41, 4));
      for (const record of streams) {
        const sent = encoded(record);
        const out = ways(sent, record).map((pieces) => pass(pieces).bytes.equals(sent));

        expect([record.file, out]).toEqual([record.file, [true, true, true, true]]);
      }
    });

    test("has in a stream the last usage of the upstream, including cached input", () => {
      for (const record of streams) {
        const { tap } = pass(ways(encoded(record), record)[2] ?? []);

        expect([record.file, countsOf(tap.usage)]).toEqual([
          record.file,
          reported(messageIn(record.sse ?? "")),
        ]);
      }
    });

    test("is unchanged in a complete response", () => {
      const repaired = good.filter(
        ({ body }) =>
          isObject(body) && messages.passthrough.repairAnswer?.(body, FACTS) !== undefined,
      );

      expect(repaired.map(({ file }) => file)).toEqual([]);
    });

    test("has the usage of a complete response in the body", () => {
      for (const { file, body } of good) {
        if (!isObject(body)) continue;
        const facts = messages.passthrough.readAnswer(body);

        expect([file, facts.error, countsOf(facts.usage)]).toEqual([
          file,
          undefined,
          reported(body),
        ]);
      }
    });

    test("is complete with its last events, and incomplete without them", () => {
      for (const { file, sse = "" } of streams) {
        const whole = Buffer.from(`${sse}\n\n`);
        const broken = Buffer.from(sse.slice(0, sse.indexOf("event: message_delta")));

        expect([file, pass([whole]).tap.isComplete()]).toEqual([file, true]);
        expect([file, pass([broken]).tap.isComplete()]).toEqual([file, false]);
      }
    });

    test("has its end detected with the bytes that contain it, and with no others", () => {
      for (const record of streams) {
        const tap = messages.passthrough.openTap(FACTS);
        const events = encoded(record)
          .toString()
          .split(/(?<=\n\n)/);
        const endings = events.filter((event) => {
          tap.push(Buffer.from(event));
          return tap.isEnding;
        });

        expect([record.file, endings.length]).toEqual([record.file, 1]);
        expect(endings[0]).toContain("message_stop");
      }
    });

    test("has the text of the response for a local count", async () => {
      for (const record of streams) {
        const { tap } = pass(cut(encoded(record), random(SEED)));
        const events = await Array.fromAsync(
          decodeStream(messages, each(eventsOf(record.sse ?? ""))),
        );
        const said = saidIn(events).choices[0];
        const calls = said?.calls.map((call) => call.name + call.arguments).join("") ?? "";
        const own = events.flatMap((event) =>
          event.type === "open" && event.block.type === "other" ? [event.block.data] : [],
        );
        const asked = own
          .filter(({ input }) => input !== undefined)
          .map(({ name, input }) => (textOf(name) ?? "") + JSON.stringify(input));
        const length = [said?.text, said?.reasoning, calls, ...asked].join("").length;

        // An upstream's own tool is asked in its own spacing; no arguments are written out on translation.
        expect([record.file, Math.abs(tap.takeOutputText().length - length) <= 8]).toEqual([
          record.file,
          true,
        ]);
        expect(tap.takeOutputText()).toBe("");
      }
    });

    test("has an actionable cause for every failure", () => {
      const failed = records.filter(({ status }) => status !== 200);

      expect(failed.length).toBe(countOf(6, 2));
      for (const { file, status, body } of failed) {
        const told = messages.outbound.parseError(status, JSON.stringify(body));
        const expected = status === 401 ? "upstream_auth" : "upstream_model_missing";

        expect([file, told.code]).toEqual([file, expected]);
        expect(isObject(body) && messages.outbound.errorIn(body) !== undefined).toBe(true);
      }
    });

    test("has unchanged requests", () => {
      for (const { file, request } of records) {
        if (request === undefined) continue;
        const facts = { ...FACTS, model: textOf(request["model"]) ?? "" };

        expect([file, messages.passthrough.amend(request, facts, facts.model)]).toEqual([file, {}]);
      }
    });
  }),
);

const FACTS: RequestFacts = {
  model: "m",
  stream: true,
  maxOutputTokens: 1,
  choices: 1,
  messages: 1,
  wantsUsage: true,
};

function pass(pieces: readonly Uint8Array[]): { bytes: Buffer; tap: Tap } {
  const tap = messages.passthrough.openTap(FACTS);
  const framer = new SseFramer(64 * 1_024 * 1_024);
  const out: Uint8Array[] = [];
  for (const piece of pieces) {
    const events = framer.push(piece);
    const sent = events === undefined ? undefined : tap.push(events);
    if (sent !== undefined) out.push(sent);
  }
  return { bytes: Buffer.concat(out), tap };
}

function encoded({ sse = "" }: Recorded): Buffer {
  return Buffer.from(/(\n\n|\r\n\r\n)$/.test(sse) ? sse : `${sse}\n\n`);
}

/** In one piece, as it really came, and cut anywhere. */
function ways(bytes: Uint8Array, { pieces }: Recorded): readonly Uint8Array[][] {
  return [[bytes], cutAt(bytes, pieces), cut(bytes, random(SEED)), cut(bytes, random(SEED + 1))];
}

function countsOf(
  usage: { inputTokens: number; cachedInputTokens: number; outputTokens: number } | undefined,
): readonly (number | undefined)[] {
  return [usage?.inputTokens, usage?.cachedInputTokens, usage?.outputTokens];
}

/** Read in the plainest way. */
function reported({ usage }: JsonObject): readonly number[] {
  const count = (name: string): number => Number((isObject(usage) ? usage[name] : 0) ?? 0);
  const cached = count("cache_read_input_tokens");
  const input = count("input_tokens") + count("cache_creation_input_tokens") + cached;
  return [input, cached, count("output_tokens")];
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
