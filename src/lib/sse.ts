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
  /** The unfinished rest, with room behind it. */
  #kept: Uint8Array = NO_BYTES;
  #restBytes = 0;

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  push(chunk: Uint8Array): Uint8Array | undefined {
    const known = this.#restBytes;
    const bytes = known === 0 ? chunk : this.#withRest(chunk);
    const end = lastBoundary(bytes, Math.max(0, known - 3));
    if (bytes.length - end > this.#maxEventBytes) throw new SseOverflow("An event is too long.");

    this.#restBytes = bytes.length - end;
    if (end === 0) {
      if (known === 0) this.#kept = chunk;
      return undefined;
    }
    // What is handed over is written over by nothing that comes: there is no room behind the new rest.
    this.#kept = end === bytes.length ? NO_BYTES : bytes.subarray(end);
    return end === bytes.length ? bytes : bytes.subarray(0, end);
  }

  /** What is left when the stream ends: not a whole event. */
  get rest(): Uint8Array {
    return this.#kept.subarray(0, this.#restBytes);
  }

  /** Grows by doubling: an event of megabytes is not copied once for each of its pieces. */
  #withRest(chunk: Uint8Array): Uint8Array {
    const length = this.#restBytes + chunk.length;
    if (length > this.#kept.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#kept.length));
      larger.set(this.rest);
      this.#kept = larger;
    }
    this.#kept.set(chunk, this.#restBytes);
    return this.#kept.subarray(0, length);
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

/**
 * Decodes a byte stream into events, whatever its chunks and line ends. Nearly
 * all servers write an event as one data line, with its name before it or
 * without: those are read here, at once. Whatever else a stream may hold is the
 * parser's business.
 */
export class SseDecoder {
  readonly #maxEventBytes: number;
  readonly #text = new TextDecoder();
  readonly #parser = createParser({ onEvent: (event) => this.#ready.push(toEvent(event)) });
  #ready: SseEvent[] = [];
  /** Of an event that is not whole yet; empty once the parser reads everything. */
  #rest = "";
  #isOdd = false;
  #pendingBytes = 0;

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  push(chunk: Uint8Array): readonly SseEvent[] {
    this.#pendingBytes += chunk.length;
    this.#read(this.#text.decode(chunk, { stream: true }));
    const events = this.#take();
    if (events.length > 0) this.#pendingBytes = 0;
    else if (this.#pendingBytes > this.#maxEventBytes)
      throw new SseOverflow("An event is too long.");
    return events;
  }

  /** The end of the body ends the last event too: some servers leave out the blank line after it. */
  end(): readonly SseEvent[] {
    this.#read(this.#text.decode());
    this.#parser.feed(`${this.#rest}\n\n`);
    this.#rest = "";
    return this.#take();
  }

  #read(piece: string): void {
    if (this.#isOdd) {
      this.#parser.feed(piece);
      return;
    }
    // An event of megabytes is not looked at anew for each of its pieces.
    if (this.#rest.length > LONG && !piece.includes("\n") && !piece.includes("\r")) {
      this.#rest += piece;
      return;
    }
    const text = this.#rest === "" ? piece : this.#rest + piece;
    let at = 0;
    while (at < text.length) {
      const end = this.#readPlain(text, at);
      if (end === WAITS) break;
      if (end === ODD) {
        this.#isOdd = true;
        this.#rest = "";
        this.#parser.feed(text.slice(at));
        return;
      }
      at = end;
    }
    this.#rest = at === 0 ? text : text.slice(at);
  }

  /** One event that is a data line, or a name and a data line; returns where the next one begins. */
  #readPlain(text: string, start: number): number {
    let event: string | undefined;
    let line = start;
    if (text.startsWith(NAME, line)) {
      const end = text.indexOf("\n", line);
      if (end < 0) return unended(text, line);
      event = text.slice(line + NAME.length, lineEnd(text, end));
      line = end + 1;
    }
    // What is not there yet may still become anything.
    if (text.length - line < DATA.length) return WAITS;
    if (!text.startsWith(DATA, line)) return ODD;
    const end = text.indexOf("\n", line);
    if (end < 0) return unended(text, line);
    const next = text.charCodeAt(end + 1) === CR ? end + 2 : end + 1;
    if (next >= text.length) return WAITS;
    if (text.charCodeAt(next) !== LF) return ODD;

    const data = text.slice(line + DATA.length, lineEnd(text, end));
    // A lone CR ends a line as well, and what is empty has rules of its own.
    if (data === "" || event === "" || data.includes("\r") || event?.includes("\r") === true)
      return ODD;
    this.#ready.push(event === undefined ? { data } : { event, data });
    return next + 1;
  }

  #take(): readonly SseEvent[] {
    const events = this.#ready;
    if (events.length > 0) this.#ready = [];
    return events;
  }
}

const NAME = "event: ";
const DATA = "data: ";
const LONG = 64 * 1024;
const WAITS = -1;
const ODD = -2;

/** A CR may be the first half of a line's end; one with anything behind it is the whole of it. */
function unended(text: string, from: number): number {
  const at = text.indexOf("\r", from);
  return at >= 0 && at < text.length - 1 ? ODD : WAITS;
}

function lineEnd(text: string, lineFeed: number): number {
  return text.charCodeAt(lineFeed - 1) === CR ? lineFeed - 1 : lineFeed;
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
