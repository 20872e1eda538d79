import { LARGE_BYTES, yieldToEventLoop } from "./yield-to-event-loop.ts";

/** Something long that is gone over in pieces, each short enough to be written between two turns of others. */
export interface Stretch extends Iterable<string | Uint8Array> {
  readonly sizeBytes: number;
}

/** No piece of bytes is longer. In base64, these are three quarters of it in bytes, and none left over. */
export const PIECE_BYTES = 512 * 1024;

/** A body that is never put together, since it may be megabytes long; it can be gone over again. */
export class Pieces implements Stretch {
  readonly sizeBytes: number;
  readonly #parts: readonly (string | Uint8Array | Stretch)[];

  constructor(parts: readonly (string | Uint8Array | Stretch)[]) {
    this.#parts = parts.filter((part) => part !== "");
    this.sizeBytes = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  }

  *[Symbol.iterator](): Generator<string | Uint8Array> {
    for (const part of this.#parts) {
      if (typeof part === "string") yield part;
      else if (part instanceof Uint8Array) yield* slicesOf(part);
      else yield* part;
    }
  }
}

/** A body on its way out: put together, or not. */
export type Body = string | Uint8Array | Pieces;

/** In bytes, as it is written. */
export function sizeOf(part: string | Uint8Array | Stretch): number {
  if (typeof part === "string") return Buffer.byteLength(part);
  return part instanceof Uint8Array ? part.length : part.sizeBytes;
}

/** All of it in one after all, a piece in each turn. */
export async function gather(stretch: Stretch): Promise<Uint8Array> {
  const all = Buffer.allocUnsafeSlow(stretch.sizeBytes);
  let at = 0;
  let passedAt = 0;
  for (const piece of stretch) {
    if (at - passedAt >= LARGE_BYTES) {
      await yieldToEventLoop(at - passedAt);
      passedAt = at;
    }
    if (typeof piece === "string") all.write(piece, at);
    else all.set(piece, at);
    at += sizeOf(piece);
  }
  return all;
}

function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}
