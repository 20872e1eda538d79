import { randomBytes } from "node:crypto";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";
import { PIECE_BYTES, Pieces, type PieceSource } from "./pieces.ts";

/** Step size in base64 characters and in bytes: it fits into the processor's cache. */
const STEP_CHARS = 64 * 1024;
const STEP_BYTES = (STEP_CHARS / 4) * 3;

/**
 * Long base64, or a data URI with it, as a view of the bytes that contain it,
 * processed in steps. `toString` returns the text for code that does not know
 * this class.
 */
export class LongBase64 {
  /** The prefix `data:image/png;base64,` of a data URI. */
  readonly head: string;
  readonly #bytes: Uint8Array;
  /** The bytes are the content and not yet base64. */
  readonly #isContent: boolean;

  private constructor(head: string, bytes: Uint8Array, isContent: boolean) {
    this.head = head;
    this.#bytes = bytes;
    this.#isContent = isContent;
  }

  /** Reads base64 text from bytes; undefined if they are not base64. */
  static async read(bytes: Uint8Array, head = ""): Promise<LongBase64 | undefined> {
    return (await isBase64(bytes)) ? new LongBase64(head, bytes, false) : undefined;
  }

  /** The base64 of these bytes. */
  static write(content: Uint8Array): LongBase64 {
    return new LongBase64("", content, true);
  }

  /** The same base64 with another prefix, or without one. */
  behind(head: string): LongBase64 {
    return new LongBase64(head, this.#bytes, this.#isContent);
  }

  /** Length of the text in characters. */
  get length(): number {
    return this.text.sizeBytes;
  }

  /** The base64 text with its prefix. */
  get text(): PieceSource {
    const bytes = this.#bytes;
    if (!this.#isContent) return new Pieces([this.head, bytes]);
    const base64 = { sizeBytes: Math.ceil(bytes.length / 3) * 4, [Symbol.iterator]: encoding };
    return new Pieces([this.head, base64]);

    function* encoding(): Generator<string> {
      const step = (PIECE_BYTES / 4) * 3;
      for (let at = 0; at < bytes.length; at += step) {
        yield bufferOf(bytes).toString("base64", at, at + step);
      }
    }
  }

  /** The decoded content. */
  get content(): PieceSource & Iterable<Uint8Array> {
    const bytes = this.#bytes;
    if (this.#isContent) {
      const { sizeBytes } = this;
      return { sizeBytes, [Symbol.iterator]: () => [bytes][Symbol.iterator]() };
    }
    return { sizeBytes: contentBytes(bytes), [Symbol.iterator]: decoding };

    function* decoding(): Generator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        yield decode(bytes.subarray(at, at + PIECE_BYTES));
      }
    }
  }

  /** Size of the decoded content. */
  get sizeBytes(): number {
    return this.#isContent ? this.#bytes.length : contentBytes(this.#bytes);
  }

  /** The first bytes of the decoded content. */
  start(sizeBytes: number): Uint8Array {
    if (this.#isContent) return this.#bytes.subarray(0, sizeBytes);
    return decode(this.#bytes.subarray(0, Math.ceil(sizeBytes / 3) * 4)).subarray(0, sizeBytes);
  }

  toString(): string {
    const encoding = this.#isContent ? "base64" : "latin1";
    return this.head + bufferOf(this.#bytes).toString(encoding);
  }

  toJSON(): string {
    if (met === undefined) return this.toString();
    // A random mark that no input can contain.
    met.mark ||= randomBytes(16).toString("hex");
    met.longs.push(this);
    return met.mark;
  }
}

/** During JSON serialisation: the values found, and their placeholder. */
let met: { mark: string; readonly longs: LongBase64[] } | undefined;

/** Like `JSON.stringify`, but long base64 is not copied into the text. */
export function writeJson(value: object): string | Pieces {
  const meeting = { mark: "", longs: new Array<LongBase64>() };
  met = meeting;
  let text: string;
  try {
    text = JSON.stringify(value);
  } finally {
    met = undefined;
  }
  const { mark, longs } = meeting;
  if (longs.length === 0) return text;
  const between = text.split(mark);
  return new Pieces(between.flatMap((each, at) => [each, longs[at]?.text ?? ""]));
}

/** Decoders skip invalid characters, so an invalid text decodes to too few bytes. */
async function isBase64(bytes: Uint8Array): Promise<boolean> {
  const end = withoutPadding(bytes);
  if (end % 4 === 1 || bytes[end - 1] === PADDING) return false;
  const scratch = Buffer.allocUnsafe(STEP_BYTES);
  for (let at = 0; at < end; at += STEP_CHARS) {
    if (at % PIECE_BYTES === 0) await yieldToEventLoop(Math.min(PIECE_BYTES, end - at));
    const stop = Math.min(end, at + STEP_CHARS);
    const text = bufferOf(bytes).toString("latin1", at, stop);
    if (scratch.write(text, "base64") < contentBytes(bytes.subarray(at, stop))) return false;
  }
  return true;
}

function contentBytes(base64: Uint8Array): number {
  return Math.floor((withoutPadding(base64) * 3) / 4);
}

function withoutPadding(base64: Uint8Array): number {
  const { length } = base64;
  if (base64[length - 1] !== PADDING) return length;
  return base64[length - 2] === PADDING ? length - 2 : length - 1;
}

const PADDING = 0x3d;

/** Decoding in steps is much faster than at once. */
function decode(base64: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafeSlow(contentBytes(base64));
  let size = 0;
  for (let at = 0; at < base64.length; at += STEP_CHARS) {
    size += out.write(bufferOf(base64).toString("latin1", at, at + STEP_CHARS), size, "base64");
  }
  return out;
}

/** A view, not a copy. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
