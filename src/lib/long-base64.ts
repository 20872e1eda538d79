import { randomBytes } from "node:crypto";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";
import { PIECE_BYTES, Pieces, type Stretch } from "./pieces.ts";

/** Of base64, and what it is of bytes: as much as stays in the processor's cache. */
const STEP_CHARS = 64 * 1024;
const STEP_BYTES = (STEP_CHARS / 4) * 3;

/**
 * Base64 of some length, or a data URI of it, that is not copied out of the
 * bytes it stands in, and gone over in pieces. Whoever does not know it for
 * what it is finds the text that it stands for.
 */
export class LongBase64 {
  /** `data:image/png;base64,` before it, where it is a data URI. */
  readonly head: string;
  readonly #bytes: Uint8Array;
  /** The bytes are the content, and are yet to be written in base64. */
  readonly #isContent: boolean;

  private constructor(head: string, bytes: Uint8Array, isContent: boolean) {
    this.head = head;
    this.#bytes = bytes;
    this.#isContent = isContent;
  }

  /** Out of a text in bytes; undefined where that is anything but base64. */
  static async read(bytes: Uint8Array, head = ""): Promise<LongBase64 | undefined> {
    return (await isBase64(bytes)) ? new LongBase64(head, bytes, false) : undefined;
  }

  /** What these bytes are in base64. */
  static write(content: Uint8Array): LongBase64 {
    return new LongBase64("", content, true);
  }

  /** The same base64 behind another head, or none. */
  behind(head: string): LongBase64 {
    return new LongBase64(head, this.#bytes, this.#isContent);
  }

  /** In characters. */
  get length(): number {
    return this.text.sizeBytes;
  }

  /** As it is written. */
  get text(): Stretch {
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

  /** What it says. */
  get content(): Stretch & Iterable<Uint8Array> {
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

  /** Of what it says. */
  get sizeBytes(): number {
    return this.#isContent ? this.#bytes.length : contentBytes(this.#bytes);
  }

  /** The first bytes of what it says. */
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
    // It stands for nothing that anybody could have written.
    met.mark ||= randomBytes(16).toString("hex");
    met.longs.push(this);
    return met.mark;
  }
}

/** While something is written as JSON: those that were met, and what is written in their places. */
let met: { mark: string; readonly longs: LongBase64[] } | undefined;

/** As `JSON.stringify`, but for long base64, which is not copied into the text. */
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

/** Decoders leave out what is no base64, so that what has any of it comes out too short. */
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

/** In steps: that is faster by far than at once. */
function decode(base64: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafeSlow(contentBytes(base64));
  let size = 0;
  for (let at = 0; at < base64.length; at += STEP_CHARS) {
    size += out.write(bufferOf(base64).toString("latin1", at, at + STEP_CHARS), size, "base64");
  }
  return out;
}

/** Another view, no copy. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
