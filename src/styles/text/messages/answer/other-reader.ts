import type { ChatEvent } from "#core/chat.ts";
import { parseExactJson } from "#lib/exact-number.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import type { KindReader } from "./block-reader.ts";
import { HeldText } from "./held-text.ts";
import { MESSAGES } from "../raw-fields.ts";

/**
 * What only this style knows, such as the upstream's own tool at work: handed
 * on once it is whole, as one block.
 */
export class OtherReader implements KindReader {
  readonly pieces = ["input_json_delta", "compaction_delta"];
  readonly #wire: JsonObject;
  readonly #input = new HeldText();
  readonly #summary = new HeldText();

  constructor(wire: JsonObject) {
    this.#wire = wire;
  }

  open(): ChatEvent[] {
    return [];
  }

  read(delta: JsonObject): ChatEvent[] {
    this.#input.add(textOf(delta["partial_json"]) ?? "");
    this.#summary.add(textOf(delta["content"]) ?? "");
    return [];
  }

  close(): ChatEvent[] {
    const input = parseExactJson(this.#input.text);
    const summary = this.#summary.text;
    const data = {
      ...this.#wire,
      ...(isObject(input) ? { input } : {}),
      ...(summary === "" ? {} : { content: summary }),
    };
    return [
      { type: "open", choice: 0, block: { type: "other", style: MESSAGES, data } },
      { type: "close", choice: 0 },
    ];
  }
}
