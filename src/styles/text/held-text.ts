import { Buffer } from "node:buffer";

/** Bytes that are kept as they came, before they are worth reading. */
const MAX_HELD_BYTES = 32 * 1_024;
const FIRST_HELD_BYTES = 512;
const MAX_TEXT_LENGTH = 1_024 * 1_024;
const NOTHING = Buffer.alloc(0);

/**
 * The text of a stream that nobody may ever ask for: mostly the upstream says
 * what it used. So its pieces are kept as they came, and not read before they
 * become many: thousands of streams pass at once.
 */
export class HeldText {
  readonly #separator: string;
  readonly #separatorByte: number;
  readonly #textOf: (piece: string) => string;
  #held = NOTHING;
  #heldBytes = 0;
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
    if (this.#heldBytes + neededBytes > this.#held.length) this.#grow(neededBytes);
    this.#held.set(piece, this.#heldBytes);
    this.#heldBytes += neededBytes;
    this.#held[this.#heldBytes - 1] = this.#separatorByte;
  };

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

  #grow(neededBytes: number): void {
    let size = Math.max(FIRST_HELD_BYTES, this.#held.length);
    while (size < this.#heldBytes + neededBytes) size *= 2;
    const grown = Buffer.allocUnsafeSlow(size);
    grown.set(this.#held.subarray(0, this.#heldBytes));
    this.#held = grown;
  }

  #read(): void {
    const pieces = this.#held.toString("utf8", 0, this.#heldBytes).split(this.#separator);
    this.#heldBytes = 0;
    this.#say(pieces.map(this.#textOf).join(""));
  }

  #say(text: string): void {
    this.#text += text.slice(0, MAX_TEXT_LENGTH - this.#text.length);
  }
}
