import type { ChatEvent } from "#core/chat.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { listOf, textOf } from "#lib/values.ts";
import type { KindReader } from "./block-reader.ts";
import { parseCitation } from "../conversation/citation.ts";
import { MESSAGES } from "../raw-fields.ts";

const MAX_CITATIONS = 1_000;

/** Text, and what it cites. */
export class TextReader implements KindReader {
  static readonly pieces = ["text_delta", "citations_delta"];
  readonly pieces = TextReader.pieces;
  readonly #wire: JsonObject;
  /** Places in documents of the request, which only this style knows. */
  readonly #places: Json[] = [];
  #citations = 0;

  constructor(wire: JsonObject) {
    this.#wire = wire;
  }

  open(): ChatEvent[] {
    return [
      { type: "open", choice: 0, block: { type: "text" } },
      ...this.#say(this.#wire["text"]),
      ...listOf(this.#wire["citations"]).flatMap((one) => this.#cite(one)),
    ];
  }

  read(delta: JsonObject): ChatEvent[] {
    const { citation } = delta;
    return citation === undefined ? this.#say(delta["text"]) : this.#cite(citation);
  }

  close(): ChatEvent[] {
    const places = this.#places;
    const extra = places.length === 0 ? {} : { extra: { [MESSAGES]: { citations: places } } };
    return [{ type: "close", choice: 0, ...extra }];
  }

  #say(value: Json | undefined): ChatEvent[] {
    const text = textOf(value) ?? "";
    return text === "" ? [] : [{ type: "delta", choice: 0, text }];
  }

  #cite(wire: Json): ChatEvent[] {
    if (this.#citations >= MAX_CITATIONS) return [];
    this.#citations++;
    const citation = parseCitation(wire);
    if (citation !== undefined) return [{ type: "cite", choice: 0, citation }];
    this.#places.push(wire);
    return [];
  }
}
