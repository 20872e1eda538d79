import type { ChatEvent, Citation } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { withSearches, type Usage } from "#core/usage.ts";
import { randomBase62 } from "#lib/ids.ts";
import { unixMs } from "#lib/unix-time.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { ChoiceReader } from "./choice-reader.ts";
import { parseSources } from "../conversation/citation.ts";
import { CHAT } from "../raw-fields.ts";
import { holdsContent } from "../content.ts";
import { ExecutedSearches } from "./executed-tools.ts";
import { errorIn } from "../failure.ts";
import { usageIn } from "../usage.ts";
import { integerOf, listOf, textOf } from "#lib/values.ts";
import { asGatewayError } from "#styles/upstream-error.ts";
import { readerOf } from "#styles/text/reader-of.ts";

/** Reads an answer chunk by chunk, or in one piece. */
export class AnswerReader {
  readonly #choices = new Map<number, ChoiceReader>();
  #isStarted = false;
  #hasContent = false;
  #usage: Usage | undefined;
  #sources: readonly Citation[] = [];
  readonly #searches = new ExecutedSearches();

  read(chunk: Json, isWholeAnswer = false): ChatEvent[] {
    const error = errorIn(chunk);
    if (error !== undefined) throw asGatewayError(error);
    const body = isArray(chunk) ? chunk[0] : chunk;
    if (!isObject(body)) return [];

    // Some report usage all along, some twice: the last is the sum.
    this.#usage = usageIn(body) ?? this.#usage;
    this.#searches.note(body);
    const sources = parseSources(body);
    if (sources.length > 0) this.#sources = sources;
    this.#hasContent ||= holdsContent(body);
    const events: ChatEvent[] = [];
    for (const choice of listOf(body["choices"])) {
      if (!isObject(choice)) continue;
      // A first chunk without a choice may still lack the id and the model.
      if (!this.#isStarted) events.push(startOf(body));
      this.#isStarted = true;
      const reader = readerOf(this.#choices, integerOf(choice["index"]) ?? 0, ChoiceReader);
      for (const event of reader.read(choice, isWholeAnswer)) events.push(event);
    }
    return events;
  }

  /** More of the text of a choice that has begun. */
  readWords(choice: number, text: string): ChatEvent[] {
    return this.#choices.get(choice)?.readWords(text) ?? [];
  }

  /**
   * `whole`: nothing can be missing; `marked`: the upstream said that this is
   * the end, which with its usage is as good as a reason; `cut`: its bytes
   * ended, which alone says nothing. With neither content nor a reason there
   * is no answer.
   */
  end(how: "whole" | "marked" | "cut"): ChatEvent[] {
    const readers = [...this.#choices.values()];
    const isMarked = how === "whole" || (how === "marked" && this.#usage !== undefined);
    const isEnd = (isMarked && this.#hasContent) || readers.every((reader) => reader.isFinished);
    if (readers.length === 0 || !isEnd) {
      throw new GatewayError(
        "upstream_failed",
        "The upstream's response ended before it was complete.",
      );
    }
    const events = readers.flatMap((reader) => {
      if (!reader.hasCitations) for (const source of this.#sources) reader.cite(source);
      return reader.end();
    });
    return this.#usage === undefined
      ? events
      : [...events, { type: "usage", usage: withSearches(this.#usage, this.#searches.count) }];
  }
}

function startOf(body: JsonObject): ChatEvent {
  const own: Record<string, Json> = {};
  for (const name of ["system_fingerprint", "service_tier"]) {
    const value = textOf(body[name]);
    if (value !== undefined && value !== "") own[name] = value;
  }
  return {
    type: "start",
    id: textOf(body["id"]) || `chatcmpl-${randomBase62(24)}`,
    model: textOf(body["model"]) ?? "",
    createdAt: unixMs(Number(body["created"])) ?? 0,
    ...(Object.keys(own).length === 0 ? {} : { extra: { [CHAT]: own } }),
  };
}
