import { createParser } from "eventsource-parser";

export interface SseEvent {
  /** Absent where the stream named none. */
  readonly event?: string;
  readonly data: string;
}

/** An event or a line grew past the cap that its reader set. */
export class SseOverflow extends Error {
  override readonly name = "SseOverflow";
}

const LF = 0x0a;
const CR = 0x0d;
const NO_BYTES = new Uint8Array(0);

/**
 * Cuts a byte stream at event boundaries without decoding it: `push` returns
 * all whole events so far, and keeps the unfinished rest. What it returns,
 * joined, is exactly what it was given.
 */
export class SseFramer {
  readonly #maxEventBytes: number;
  #rest: Uint8Array = NO_BYTES;

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  push(chunk: Uint8Array): Uint8Array | undefined {
    const bytes = this.#rest.length === 0 ? chunk : join(this.#rest, chunk);
    const end = lastBoundary(bytes, Math.max(0, this.#rest.length - 3));
    if (bytes.length - end > this.#maxEventBytes) throw new SseOverflow("An event is too long.");

    this.#rest = end === bytes.length ? NO_BYTES : bytes.subarray(end);
    if (end === 0) return undefined;
    return end === bytes.length ? bytes : bytes.subarray(0, end);
  }

  /** What is left when the stream ends: not a whole event. */
  get rest(): Uint8Array {
    return this.#rest;
  }
}

/** Reads whole events from text; an unfinished one at the end is left out. */
export function readEvents(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createParser({ onEvent: (event) => events.push(toEvent(event)) });
  parser.feed(text);
  // The parser waits with a lone CR at the end, in case an LF follows.
  if (text.endsWith("\r")) parser.feed("\n");
  return events;
}

/** Decodes a byte stream into events, whatever its chunks and line ends. */
export class SseDecoder {
  readonly #maxEventBytes: number;
  readonly #text = new TextDecoder();
  readonly #parser = createParser({ onEvent: (event) => this.#ready.push(toEvent(event)) });
  #ready: SseEvent[] = [];
  #pendingBytes = 0;

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  push(chunk: Uint8Array): readonly SseEvent[] {
    this.#pendingBytes += chunk.length;
    this.#parser.feed(this.#text.decode(chunk, { stream: true }));
    const events = this.#take();
    if (events.length > 0) this.#pendingBytes = 0;
    else if (this.#pendingBytes > this.#maxEventBytes)
      throw new SseOverflow("An event is too long.");
    return events;
  }

  /** The end of the body ends the last event too: some servers leave out the blank line after it. */
  end(): readonly SseEvent[] {
    this.#parser.feed(`${this.#text.decode()}\n\n`);
    return this.#take();
  }

  #take(): readonly SseEvent[] {
    const events = this.#ready;
    if (events.length > 0) this.#ready = [];
    return events;
  }
}

/** Says nothing, to whoever reads events. */
export const SSE_COMMENT = ": keep-alive\n\n";

/** One event as text; line breaks in the data become several data lines. */
export function formatSse(data: string, event?: string): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  if (!data.includes("\n")) return `${name}data: ${data}\n\n`;
  return `${name}${data.replaceAll(/^/gm, "data: ")}\n\n`;
}

function toEvent(event: { event?: string | undefined; data: string }): SseEvent {
  return event.event === undefined
    ? { data: event.data }
    : { event: event.event, data: event.data };
}

/**
 * One past the last blank line, or 0. A blank line is two line ends in a row,
 * each LF, CR LF or CR. Almost always it stands at the very end.
 */
function lastBoundary(bytes: Uint8Array, from: number): number {
  for (let at = bytes.length - 1; at > from; at--) {
    const byte = bytes[at];
    if (byte !== LF && byte !== CR) continue;
    const before = byte === LF && bytes[at - 1] === CR ? at - 2 : at - 1;
    if (before < 0) continue;
    if (bytes[before] === LF || bytes[before] === CR) return at + 1;
  }
  return 0;
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
