import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { withSearches } from "#core/usage.ts";
import { randomBase62 } from "#lib/ids.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, listOf, restOf, textOf } from "#lib/values.ts";
import { readerOf } from "#styles/text/reader-of.ts";
import { CandidateReader } from "./candidate-reader.ts";
import { asGatewayError, blocked, blockIn, bodiesIn, errorIn } from "../failure.ts";
import { GEMINI } from "../raw-fields.ts";
import { searchesIn, usageIn } from "../usage.ts";

const READ: ReadonlySet<string> = new Set([
  "candidates",
  "usageMetadata",
  "modelVersion",
  "responseId",
  "createTime",
]);

/** Reads an answer chunk by chunk; one that came in one piece is a single chunk. */
export class AnswerReader {
  readonly #candidates = new Map<number, CandidateReader>();
  #isStarted = false;
  #usage: Extract<ChatEvent, { type: "usage" }> | undefined;
  /** They may be told before the last count. */
  #searches = 0;

  read(chunk: Json): ChatEvent[] {
    return bodiesIn(chunk)
      .filter(isObject)
      .flatMap((body) => this.#readBody(body));
  }

  /** There is no end mark: an answer has ended where every candidate says why. */
  end(): ChatEvent[] {
    const readers = [...this.#candidates.values()];
    if (readers.length === 0 || !readers.every((reader) => reader.isFinished)) {
      throw new GatewayError(
        "upstream_failed",
        "The upstream's response ended before it was complete.",
      );
    }
    const events = readers.flatMap((reader) => reader.end());
    if (this.#usage === undefined) return events;
    const usage = withSearches(this.#usage.usage, this.#searches);
    return [...events, { ...this.#usage, usage }];
  }

  #readBody(body: JsonObject): ChatEvent[] {
    const error = errorIn(body);
    if (error !== undefined) throw asGatewayError(error);
    const block = blockIn(body);
    if (block !== undefined && !this.#isStarted) throw blocked(block);

    this.#readUsage(body);
    const candidates = listOf(body["candidates"]).filter(isObject);
    if (candidates.length === 0) return [];
    const start = this.#isStarted ? [] : [startOf(body)];
    this.#isStarted = true;
    return [...start, ...candidates.flatMap((one) => this.#reader(one).read(one))];
  }

  /** Every chunk counts from the beginning, so the last that counts is the sum. */
  #readUsage(body: JsonObject): void {
    this.#searches = Math.max(this.#searches, searchesIn(body));
    const usage = usageIn(body);
    if (usage === undefined) return;
    const { usageMetadata = null } = body;
    this.#usage = { type: "usage", usage, extra: { [GEMINI]: { usageMetadata } } };
  }

  #reader(candidate: JsonObject): CandidateReader {
    return readerOf(this.#candidates, integerOf(candidate["index"]) ?? 0, CandidateReader);
  }
}

function startOf(body: JsonObject): ChatEvent {
  const createdAt = Date.parse(textOf(body["createTime"]) ?? "");
  const rest = restOf(body, READ);
  return {
    type: "start",
    id: textOf(body["responseId"]) || randomBase62(24),
    model: textOf(body["modelVersion"]) ?? "",
    createdAt: Number.isFinite(createdAt) && createdAt > 0 ? createdAt : 0,
    ...(rest === undefined ? {} : { extra: { [GEMINI]: rest } }),
  };
}
