import type { ChatEvent } from "#core/chat.ts";
import type { Signature } from "#core/signature.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
import type { KindReader } from "./block-reader.ts";
import { readRedacted } from "../conversation/proof.ts";
import { MESSAGES } from "../raw-fields.ts";

/** Thinking with its proof, or encrypted as a whole. */
export class ReasoningReader implements KindReader {
  static readonly pieces = ["thinking_delta", "signature_delta"];
  readonly pieces = ReasoningReader.pieces;
  readonly #wire: JsonObject;
  #signature = "";

  constructor(wire: JsonObject) {
    this.#wire = wire;
  }

  open(): ChatEvent[] {
    return [
      { type: "open", choice: 0, block: { type: "reasoning" } },
      ...think(textOf(this.#wire["thinking"])),
    ];
  }

  read(delta: JsonObject): ChatEvent[] {
    this.#signature += textOf(delta["signature"]) ?? "";
    return think(textOf(delta["thinking"]));
  }

  close(): ChatEvent[] {
    return [{ type: "close", choice: 0, ...defined({ signature: this.#proof() }) }];
  }

  #proof(): Signature | undefined {
    if (this.#wire["type"] === "redacted_thinking") return readRedacted(this.#wire["data"]);
    const value = this.#signature || textOf(this.#wire["signature"]) || "";
    return value === "" ? undefined : { issuer: MESSAGES, value };
  }
}

function think(text = ""): ChatEvent[] {
  return text === "" ? [] : [{ type: "delta", choice: 0, text }];
}
