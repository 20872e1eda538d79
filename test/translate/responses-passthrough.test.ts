import { describe, expect, test } from "bun:test";
import type { RequestFacts, Tap } from "#core/style.ts";
import { GatewayError } from "#core/error.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents, SseFramer } from "#lib/sse.ts";
import { responses } from "#styles/text/responses/index.ts";
import { responsesStreamFaults } from "#test/grammar/responses.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { random, SEED } from "#test/seed.ts";
import { HAS_VENDORS, withShared } from "#test/shared.ts";
import { cut, cutAt } from "./chat-corpus.ts";
import {
  eventsIn,
  isResponse,
  plainlySaid,
  readResponsesCorpus,
  type RecordedResponse,
} from "./responses-corpus.ts";

/**
 * Every recorded response through the path that changes nothing: as bytes in
 * the pieces a network makes of them, watched by the tap.
 */
withShared("corpus", () =>
  describe(`recorded responses, passed through (seed ${SEED})`, () => {
    const records = readResponsesCorpus();
    const streams = records.filter((record) => record.sse !== undefined && isResponse(record));
    const bodies = records.filter((record) => record.sse === undefined && isResponse(record));

    test("[A6-b] reach clients byte for byte, with any split", () => {
      const changed = streams.filter((record) => {
        const sent = encoded(record);
        return ways(sent, record).some((pieces) => !sent.equals(pass(pieces).bytes));
      });

      expect(changed.map(({ file }) => file)).toEqual([]);
    });

    test("[A3.2] have in a stream the usage of its final event", () => {
      for (const record of streams) {
        const { tap } = pass(ways(encoded(record), record)[1] ?? []);

        expect<unknown>([record.file, totalOf(tap.usage)]).toEqual([record.file, reported(record)]);
      }
    });

    test("are unchanged in a complete response", () => {
      const repaired = bodies.filter(
        ({ response }) => responses.passthrough.repairAnswer?.(response, FACTS) !== undefined,
      );

      expect(repaired.map(({ file }) => file)).toEqual([]);
    });

    test("have the usage of a complete response in the body", () => {
      for (const record of bodies) {
        const facts = responses.passthrough.readAnswer(record.response);

        expect<unknown>([record.file, facts.error, totalOf(facts.usage)]).toEqual([
          record.file,
          undefined,
          reported(record),
        ]);
      }
    });

    test("have their end detected with the bytes that contain it, and not before", () => {
      for (const record of streams) {
        const tap = responses.passthrough.openTap(FACTS);
        const endings = eventsIn(record.sse ?? "").map(({ event, data }) => {
          const name = event === undefined ? "" : `event: ${event}\n`;
          tap.push(Buffer.from(`${name}data: ${data}\n\n`));
          const json = parseJson(data);
          const type = isObject(json) ? json["type"] : undefined;
          return [tap.isEnding, type === "response.completed" || type === "response.incomplete"];
        });

        expect([record.file, endings.filter(([seen, is]) => seen !== is)]).toEqual([
          record.file,
          [],
        ]);
        expect([record.file, tap.isComplete(), tap.end()]).toEqual([record.file, true, undefined]);
      }
    });

    test("have the text of the response for a local count", () => {
      for (const record of streams) {
        const { tap } = pass(cut(encoded(record), random(SEED)));
        const said = plainlySaid(record.response);
        const calls = said.calls.map((call) => call.name + call.arguments).join("");

        // Between the parts of a summary the plain reading has blank lines.
        expect([record.file, tap.takeOutputText().replaceAll(/\s/g, "").length]).toEqual([
          record.file,
          (said.text + said.reasoning + said.refusal + calls).replaceAll(/\s/g, "").length,
        ]);
        expect(tap.takeOutputText()).toBe("");
      }
    });

    test("[A7] that break off anywhere fail in their own format, with the next sequence number", () => {
      for (const record of streams.filter(isOrdinary)) {
        const events = eventsIn(record.sse ?? "");
        const end = Math.max(2, Math.floor(events.length / 2));
        const begun = events
          .slice(0, end)
          .map(({ data }) => `event: ${typeOf(data)}\ndata: ${data}\n\n`);
        const tap = responses.passthrough.openTap(FACTS, undefined, { request: {}, now: () => 0 });
        const sent = begun.map((event) =>
          Buffer.from(tap.push(Buffer.from(event)) ?? []).toString(),
        );
        const failed = tap.fail(new GatewayError("upstream_timeout", "The upstream was too slow."));
        const last = parseJson(readEvents(failed)[0]?.data ?? "");

        expect([record.file, responsesStreamFaults(sent.join("") + failed)]).toEqual([
          record.file,
          [],
        ]);
        expect(last).toMatchObject({
          type: "response.failed",
          response: {
            id: textOf(record.response["id"]) ?? "",
            status: "failed",
            error: { code: "server_error", message: "The upstream was too slow." },
          },
        });
        expect(tap.isComplete()).toBe(false);
      }
    });

    test.if(HAS_VENDORS)("have an actionable cause for every failure", () => {
      const failed = records.filter(({ status }) => status !== 200);

      expect(failed.length).toBeGreaterThan(3);
      for (const { file, status, response } of failed) {
        const told = responses.outbound.parseError(status, JSON.stringify(response));

        // One vendor refuses a wrong key as a bad request.
        const isAccount = status === 401 || file === "xai/responses/0095.json";
        expect([file, told.code]).toEqual([
          file,
          isAccount ? "upstream_auth" : "upstream_rejected",
        ]);
        expect(told.message).not.toMatch(/https?:\/\/[^\s/]*(?:@|localhost|[\d.]{7,})|\*\*\*|sk-/i);
      }
    });

    test("have passthrough requests that keep all bytes that the vendor accepts", () => {
      for (const { file, request } of records) {
        if (request === undefined) continue;
        const facts = responses.inbound.readRequest(request, {});
        const edits = responses.passthrough.amend(request, facts, facts.model, {});
        const changed = Object.keys(edits).filter((name) => !ALWAYS.has(name));

        expect([file, changed.filter((name) => !mayChange(name, request))]).toEqual([file, []]);
      }
    });
  }),
);

/** What is set so that the vendor keeps nothing, and reasoning can come back. */
const ALWAYS = new Set(["store", "include", "previous_response_id"]);

/** One client replays reasoning that only its vendor had. */
function mayChange(name: string, request: JsonObject): boolean {
  const input = request["input"];
  const items: readonly Json[] = Array.isArray(input) ? input : [];
  return (
    name === "input" &&
    items.some(
      (item) => isObject(item) && item["type"] === "reasoning" && !item["encrypted_content"],
    )
  );
}

const FACTS: RequestFacts = {
  model: "m",
  stream: true,
  maxOutputTokens: undefined,
  choices: 1,
  messages: 1,
  wantsUsage: true,
};

function pass(pieces: readonly Uint8Array[]): { bytes: Buffer; tap: Tap } {
  const tap = responses.passthrough.openTap(FACTS);
  const framer = new SseFramer(64 * 1_024 * 1_024);
  const out: Uint8Array[] = [];
  for (const piece of pieces) {
    const events = framer.push(piece);
    const sent = events === undefined ? undefined : tap.push(events);
    if (sent !== undefined) out.push(sent);
  }
  return { bytes: Buffer.concat(out), tap };
}

function encoded({ sse = "" }: RecordedResponse): Buffer {
  return Buffer.from(/(\n\n|\r\n\r\n)$/.test(sse) ? sse : `${sse}\n\n`);
}

/** In one piece, as it really came, and cut anywhere. */
function ways(bytes: Uint8Array, { pieces }: RecordedResponse): readonly Uint8Array[][] {
  return [[bytes], cutAt(bytes, pieces), cut(bytes, random(SEED)), cut(bytes, random(SEED + 1))];
}

/** Recorded from the style's first vendor, since it numbers its events. */
function isOrdinary({ file, sse = "" }: RecordedResponse): boolean {
  return file.startsWith("openai/") && sse.includes('"logprobs"') && !sse.includes('"keepalive"');
}

function typeOf(data: string): string {
  const json = parseJson(data);
  return textOf(memberOf(json, "type")) ?? "";
}

function totalOf(
  usage: { inputTokens: number; outputTokens: number } | undefined,
): number | undefined {
  return usage === undefined ? undefined : usage.inputTokens + usage.outputTokens;
}

function reported({ response }: RecordedResponse): Json | undefined {
  const { usage } = response;
  return isObject(usage) ? usage["total_tokens"] : undefined;
}
