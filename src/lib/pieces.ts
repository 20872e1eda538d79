import { LARGE_BYTES, yieldToEventLoop } from "./yield-to-event-loop.ts";

/** Long content that is read in pieces, each short enough for one turn of the event loop. */
export interface PieceSource extends Iterable<string | Uint8Array> {
  readonly sizeBytes: number;
}

/**
 * Maximum size of a piece. A piece of base64 decodes to exactly three quarters
 * as many bytes, without a rest.
 */
export const PIECE_BYTES = 512 * 1024;

/**
 * A body of many parts that is never concatenated, since it may be megabytes
 * long; it can be read repeatedly.
 */
export class Pieces implements PieceSource {
  readonly sizeBytes: number;
  readonly #parts: readonly (string | Uint8Array | PieceSource)[];

  constructor(parts: readonly (string | Uint8Array | PieceSource)[]) {
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

/** An outgoing body, concatenated or not. */
export type Body = string | Uint8Array | Pieces;

/** The size in bytes when written. */
export function sizeOf(part: string | Uint8Array | PieceSource): number {
  if (typeof part === "string") return Buffer.byteLength(part);
  return part instanceof Uint8Array ? part.length : part.sizeBytes;
}

/** Concatenates all pieces, one per turn of the event loop. */
export async function concatPieces(stretch: PieceSource): Promise<Uint8Array> {
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
