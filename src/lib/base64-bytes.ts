import type { Span } from "./byte-range.ts";

/** Step size in bytes; a multiple of three, so that steps end at base64 boundaries. */
const PIECE_BYTES = 48 * 1024;

/** Bytes from base64, decoded in steps and only as far as needed. */
export class Base64Bytes {
  readonly sizeBytes: number;
  readonly #base64: string;

  constructor(base64: string) {
    this.#base64 = /[\s=]/.test(base64) ? base64.replaceAll(/[\s=]/g, "") : base64;
    this.sizeBytes = Math.floor((this.#base64.length * 3) / 4);
  }

  *pieces({ start, end }: Span): Generator<Uint8Array> {
    for (let at = start; at < end;) {
      const group = Math.floor(at / 3);
      const stop = Math.min(end, group * 3 + PIECE_BYTES);
      const text = this.#base64.slice(group * 4, Math.ceil(stop / 3) * 4);
      yield Buffer.from(text, "base64").subarray(at - group * 3, stop - group * 3);
      at = stop;
    }
  }
}
