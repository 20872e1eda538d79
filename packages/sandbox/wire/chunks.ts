import { constants, createGzip, gzipSync } from "node:zlib";
import { faultyBytes, faultyFrames } from "../faults/broken-bodies.ts";
import type { Faults } from "../faults/faults.ts";
import { writeFrames } from "./event-stream.ts";
import type { Frame } from "./frame.ts";
import type { Reply } from "./reply.ts";

/** Bytes that are written at once, and what the caller has when they arrived. */
export interface Chunk {
  readonly bytes: Uint8Array;
  readonly events: number;
  readonly tokens: number;
}

/** The body of a reply, with all faults that change its bytes; made as slowly as it is taken. */
export function replyChunks(
  { body }: Reply,
  faults: Faults,
  errorFrames: () => readonly Frame[],
): AsyncIterable<Chunk> | Iterable<Chunk> {
  if (body.kind === "bytes") {
    const broken = faultyBytes(body.bytes, faults);
    return split(
      [{ bytes: faults.gzip ? gzipSync(broken) : broken, events: 0, tokens: body.tokens }],
      faults,
    );
  }
  const plain =
    body.kind === "endless"
      ? endlessBlanks(body.head)
      : writeFrames(faultyFrames(body.frames, faults, errorFrames), faults, body.form);
  return faults.gzip ? compressed(plain, faults) : split(plain, faults);
}

function* endlessBlanks(head: string): Generator<Chunk> {
  yield { bytes: new TextEncoder().encode(head), events: 0, tokens: 0 };
  const blanks = new Uint8Array(1_024).fill(0x20);
  while (true) yield { bytes: blanks, events: 0, tokens: 0 };
}

/** Cuts at every `size` bytes, characters or not; the last part makes the event complete. */
function* split(chunks: Iterable<Chunk>, { split: fault }: Faults): Generator<Chunk> {
  for (const chunk of chunks) {
    const size = fault?.size ?? chunk.bytes.length;
    let at = 0;
    for (; at + size < chunk.bytes.length; at += size) {
      yield { bytes: chunk.bytes.subarray(at, at + size), events: 0, tokens: 0 };
    }
    yield { ...chunk, bytes: chunk.bytes.subarray(at) };
  }
}

/** Flushes after each event, so that a reader who decodes sees them one by one. */
async function* compressed(chunks: Iterable<Chunk>, faults: Faults): AsyncGenerator<Chunk> {
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
  try {
    for (const { bytes, ...counts } of chunks) {
      await new Promise<void>((resolve) => gzip.write(bytes, () => resolve()));
      yield* split([{ ...counts, bytes: readAll(gzip) }], faults);
    }
    gzip.end();
    for await (const rest of gzip) yield { bytes: new Uint8Array(rest), events: 0, tokens: 0 };
  } finally {
    gzip.destroy();
  }
}

function readAll(gzip: ReturnType<typeof createGzip>): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let part: Uint8Array | null = gzip.read(); part !== null; part = gzip.read())
    parts.push(part);
  return Buffer.concat(parts);
}
