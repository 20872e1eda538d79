import type { ChatEvent } from "#core/chat.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { CallReader } from "./call-reader.ts";
import { OtherReader } from "./other-reader.ts";
import { ReasoningReader } from "./reasoning-reader.ts";
import { TextReader } from "./text-reader.ts";

/** Reads one kind of block; what it is given is meant for it. */
export interface KindReader {
  /** Types of the pieces it is made of. */
  readonly pieces: readonly string[];
  open(): ChatEvent[];
  read(delta: JsonObject): ChatEvent[];
  close(): ChatEvent[];
}

/** One block of an upstream's answer, whether it comes whole or in pieces. */
export class BlockReader {
  readonly #index: Json | undefined;
  readonly #kind: KindReader;
  readonly isCall: boolean;

  constructor(index: Json | undefined, wire: JsonObject) {
    this.#index = index;
    this.isCall = wire["type"] === "tool_use";
    this.#kind = readerOf(wire);
  }

  /** A piece of another block is one that names another index, or that no block of this kind has. */
  takes(index: Json | undefined, delta: JsonObject): boolean {
    const isOther = index !== undefined && this.#index !== undefined && index !== this.#index;
    const type = delta["type"];
    const isForeign = KINDS.some(({ pieces }) => includes(pieces, type));
    return !isOther && (!isForeign || includes(this.#kind.pieces, type));
  }

  open(): ChatEvent[] {
    return this.#kind.open();
  }

  read(delta: JsonObject): ChatEvent[] {
    return includes(this.#kind.pieces, delta["type"]) ? this.#kind.read(delta) : [];
  }

  close(): ChatEvent[] {
    return this.#kind.close();
  }
}

const KINDS = [TextReader, ReasoningReader, CallReader];

function readerOf(wire: JsonObject): KindReader {
  switch (wire["type"]) {
    case "text":
      return new TextReader(wire);
    case "thinking":
    case "redacted_thinking":
      return new ReasoningReader(wire);
    case "tool_use":
      return new CallReader(wire);
    default:
      return new OtherReader(wire);
  }
}

function includes(pieces: readonly string[], type: Json | undefined): boolean {
  return typeof type === "string" && pieces.includes(type);
}
