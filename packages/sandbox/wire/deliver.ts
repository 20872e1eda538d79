import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../engine/random.ts";
import type { Faults } from "../faults/faults.ts";
import type { OpenRecord } from "../request-log.ts";
import type { Chunk } from "./chunks.ts";
import type { Reply } from "./reply.ts";

/**
 * Writes a reply no faster than the caller reads it, and writes down what the
 * connection has taken. Returns when the reply is out or the caller has gone.
 */
export async function deliver(
  reply: Reply,
  chunks: Chunks,
  faults: Faults,
  to: Delivery,
): Promise<void> {
  const { response, record, gone } = to;
  const { slow, hang, reset } = faults;
  if (hang) return untilGone(gone);
  await pause(slow?.first_ms, gone);
  if (gone.aborted) return;
  if (reset?.before_headers) return cut(to, faults);

  response.writeHead(reply.status, { ...lengthHeaders(reply, faults), ...reply.headers });
  response.flushHeaders();
  record.answered(reply.status);

  const body = reset ? await upTo(chunks, reset) : chunks;
  let isFirst = true;
  for await (const chunk of body) {
    if (!isFirst) await pause(betweenMs(faults, chunk), gone);
    isFirst = false;
    // The turn of the event loop lets a hang-up of the caller be noticed.
    await nextTurn();
    if (!(await write(chunk, to))) return;
  }
  return reset ? cut(to, faults) : end(to);
}

type Chunks = AsyncIterable<Chunk> | Iterable<Chunk>;

interface Delivery {
  readonly response: ServerResponse;
  readonly record: OpenRecord;
  /** Aborted when the connection is closed, by whomever. */
  readonly gone: AbortSignal;
}

/** False when the caller has gone before it took all. */
async function write(chunk: Chunk, { response, record, gone }: Delivery): Promise<boolean> {
  if (gone.aborted) return false;
  if (chunk.bytes.length > 0 && !response.write(chunk.bytes)) await drained(response, gone);
  if (gone.aborted) return false;
  record.delivered({ bytes: chunk.bytes.length, events: chunk.events, tokens: chunk.tokens });
  return true;
}

function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      gone.removeEventListener("abort", done);
      resolve();
    };
    response.once("drain", done);
    gone.addEventListener("abort", done, { once: true });
  });
}

/** All that was written has been taken by now, so the answer is out when its end is. */
function end({ response, record }: Delivery): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.end(resolve);
    record.close("finished");
  });
}

/** Gives the bytes before the cut the time to arrive: a reset may throw away what was not yet read. */
async function cut({ response, record, gone }: Delivery, { reset }: Faults): Promise<void> {
  await pause(GRACE_MS, gone);
  if (gone.aborted) return;
  record.close("cut");
  const { socket } = response;
  if (reset?.how === "fin" || socket === null) response.destroy();
  else socket.resetAndDestroy();
}

const GRACE_MS = 10;

/** The chunks before the cut. Where the seed has to choose the byte, it looks some way ahead to know the length. */
async function upTo(
  chunks: Chunks,
  { bytes, seed }: NonNullable<Faults["reset"]>,
): Promise<Chunks> {
  if (bytes !== undefined || seed === undefined) return head(chunks, bytes ?? 0);
  const ahead: Chunk[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    ahead.push(chunk);
    length += chunk.bytes.length;
    if (length >= LOOK_AHEAD_BYTES) break;
  }
  return head(ahead, seededRandom(seed).between(0, Math.max(0, length - 1)));
}

const LOOK_AHEAD_BYTES = 65_536;

async function* head(chunks: Chunks, length: number): AsyncGenerator<Chunk> {
  let left = length;
  if (left === 0) return;
  for await (const chunk of chunks) {
    if (chunk.bytes.length >= left) {
      const isWhole = chunk.bytes.length === left;
      yield isWhole ? chunk : { bytes: chunk.bytes.subarray(0, left), events: 0, tokens: 0 };
      return;
    }
    left -= chunk.bytes.length;
    yield chunk;
  }
}

/** A body of one piece tells its length, unless what leaves differs from it, or it has told another's. */
function lengthHeaders({ body }: Reply, faults: Faults): Record<string, string> {
  if (faults.gzip) return { "content-encoding": "gzip" };
  const isAsMade = !faults.truncate && !faults.malformed;
  return body.kind === "bytes" && isAsMade ? { "content-length": String(body.bytes.length) } : {};
}

/** Events are what is slow; the parts of one event have a gap of their own. */
function betweenMs({ slow, split }: Faults, chunk: Chunk): number | undefined {
  return chunk.events > 0 && slow ? slow.between_ms : split?.gap_ms;
}

async function pause(ms: number | undefined, gone: AbortSignal): Promise<void> {
  if (ms === undefined || ms === 0) return;
  // Rejects only because the caller has gone, which every caller of this checks.
  await sleep(ms, undefined, { signal: gone }).catch(() => undefined);
}

function untilGone(gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) resolve();
    else gone.addEventListener("abort", () => resolve(), { once: true });
  });
}
