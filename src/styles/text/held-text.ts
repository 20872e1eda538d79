import { Buffer } from "node:buffer";
import { parseJson } from "#lib/json.ts";

/** Bytes that are kept as they came, before they are worth reading. */
const MAX_HELD_BYTES = 32 * 1_024;
/** Short streams are many, and need little; each further block is larger. */
const FIRST_BLOCK_BYTES = 256;
const MAX_BLOCK_BYTES = 4 * 1_024;
const MAX_TEXT_LENGTH = 1_024 * 1_024;
/** Begins a piece that is the inside of a JSON string; in no JSON it stands as it is. */
const QUOTED = "\u001f";
const QUOTED_BYTE = QUOTED.charCodeAt(0);

/**
 * The text of a stream that nobody may ever ask for: mostly the upstream says
 * what it used. So its pieces are kept as they came, and not read before they
 * become many: thousands of streams pass at once.
 */
export class HeldText {
  readonly #separator: string;
  readonly #separatorByte: number;
  readonly #textOf: (piece: string) => string;
  /** Filled one after the other: a buffer that grows leaves its smaller selves for collection. */
  #full: Buffer[] | undefined;
  #block: Buffer | undefined;
  #blockBytes = 0;
  #heldBytes = 0;
  /** The last piece is the inside of a string: another one continues it. */
  #endsQuoted = false;
  #text = "";

  /** `separator`: one byte that stands in no piece. `textOf`: what a piece says; nothing for an empty one. */
  constructor(separator: string, textOf: (piece: string) => string) {
    this.#separator = separator;
    this.#separatorByte = separator.charCodeAt(0);
    this.#textOf = textOf;
  }

  readonly hold = (piece: Buffer): void => {
    const neededBytes = piece.length + 1;
    if (this.#heldBytes + neededBytes > MAX_HELD_BYTES) this.#read();
    if (neededBytes > MAX_HELD_BYTES) {
      this.#say(this.#textOf(piece.toString()));
      return;
    }
    const block = this.#room(neededBytes);
    block.set(piece, this.#blockBytes);
    this.#blockBytes += neededBytes;
    this.#heldBytes += neededBytes;
    block[this.#blockBytes - 1] = this.#separatorByte;
    this.#endsQuoted = false;
  };

  /** The inside of a valid JSON string, which is a piece of text by itself. */
  holdQuoted(bytes: Buffer, start: number, end: number): void {
    const neededBytes = end - start + 2;
    if (this.#heldBytes + neededBytes > MAX_HELD_BYTES) this.#read();
    if (neededBytes > MAX_HELD_BYTES) {
      this.#say(unquoted(bytes.toString("utf8", start, end)));
      return;
    }
    const known = this.#block;
    const block = this.#room(neededBytes);
    let at = this.#blockBytes;
    if (this.#endsQuoted && block === known) at--;
    else block[at++] = QUOTED_BYTE;
    bytes.copy(block, at, start, end);
    at += end - start;
    block[at++] = this.#separatorByte;
    this.#heldBytes += at - this.#blockBytes;
    this.#blockBytes = at;
    this.#endsQuoted = true;
  }

  /** Behind what was held so far. */
  say(text: string): void {
    this.#read();
    this.#say(text);
  }

  take(): string {
    this.#read();
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /** A block with so much room; a piece never lies in two of them. */
  #room(neededBytes: number): Buffer {
    let sizeBytes = FIRST_BLOCK_BYTES;
    if (this.#block !== undefined) {
      if (this.#blockBytes + neededBytes <= this.#block.length) return this.#block;
      // What is left over says nothing.
      (this.#full ??= []).push(this.#block.fill(this.#separatorByte, this.#blockBytes));
      sizeBytes = Math.min(MAX_BLOCK_BYTES, 2 * this.#block.length);
    }
    this.#block = Buffer.allocUnsafeSlow(Math.max(sizeBytes, neededBytes));
    this.#blockBytes = 0;
    return this.#block;
  }

  #read(): void {
    for (const block of this.#full ?? []) this.#readBlock(block, block.length);
    if (this.#block !== undefined) this.#readBlock(this.#block, this.#blockBytes);
    this.#full = undefined;
    this.#blockBytes = 0;
    this.#heldBytes = 0;
    this.#endsQuoted = false;
  }

  #readBlock(block: Buffer, endBytes: number): void {
    const pieces = block.toString("utf8", 0, endBytes).split(this.#separator);
    this.#say(
      pieces
        .map((piece) => (piece.startsWith(QUOTED) ? unquoted(piece.slice(1)) : this.#textOf(piece)))
        .join(""),
    );
  }

  #say(text: string): void {
    this.#text += text.slice(0, MAX_TEXT_LENGTH - this.#text.length);
  }
}

function unquoted(inside: string): string {
  if (!inside.includes("\\")) return inside;
  const text = parseJson(`"${inside}"`);
  return typeof text === "string" ? text : "";
}
