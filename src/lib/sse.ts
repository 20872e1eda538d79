import { createParser, type EventSourceParser } from "eventsource-parser";
import { viewOf } from "./sse-bytes.ts";

export interface SseEvent {
  /** Absent if the stream has no event name. */
  readonly event?: string;
  readonly data: string;
}

/** An event or a line exceeded the reader's limit. */
export class SseOverflow extends Error {
  override readonly name = "SseOverflow";
}

const LF = 0x0a;
const CR = 0x0d;
const NO_BYTES = new Uint8Array(0);
const MAX_ASCII = 0x7f;
/** Of a byte order mark. */
const FIRST_OF_MARK = 0xef;

/**
 * Splits a byte stream at event boundaries without decoding it. `push` returns
 * all complete events and stores a copy of the incomplete rest. The
 * concatenated results equal the input.
 */
export class SseFramer {
  readonly #maxEventBytes: number;
  /** The incomplete rest, with spare capacity behind it. */
  #kept: Uint8Array = NO_BYTES;
  #restBytes = 0;
  #more: Uint8Array | undefined;

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  push(chunk: Uint8Array): Uint8Array | undefined {
    const known = this.#restBytes;
    if (known > 0 && chunk.length > LONG) {
      const first = this.#endRest(chunk);
      if (first !== undefined) return first;
    }
    const bytes = known === 0 ? chunk : this.#withRest(chunk);
    const end = lastBoundary(bytes, Math.max(0, known - 3));
    if (bytes.length - end > this.#maxEventBytes) throw new SseOverflow("An event is too long.");

    this.#restBytes = bytes.length - end;
    if (end === 0) {
      if (known === 0) this.#kept = new Uint8Array(chunk);
      return undefined;
    }
    // A copy: the chunk may be freed once its events were taken.
    this.#kept = end === bytes.length ? NO_BYTES : new Uint8Array(bytes.subarray(end));
    return end === bytes.length ? bytes : bytes.subarray(0, end);
  }

  /** Events of the last chunk that follow those that `push` returned. */
  takeMore(): Uint8Array | undefined {
    const more = this.#more;
    this.#more = undefined;
    return more;
  }

  /**
   * Completes the rest with the beginning of a large chunk, which is then not
   * copied as a whole.
   */
  #endRest(chunk: Uint8Array): Uint8Array | undefined {
    const known = this.#restBytes;
    const bytes = this.#withRest(chunk.subarray(0, LONG));
    const end = firstBoundary(bytes, Math.max(1, known - 3));
    if (end <= known) return undefined;
    const first = new Uint8Array(bytes.subarray(0, end));
    this.#restBytes = 0;
    this.#kept = NO_BYTES;
    this.#more = this.push(chunk.subarray(end - known));
    return first;
  }

  /** The incomplete event at the end of the stream. */
  get rest(): Uint8Array {
    return this.#kept.subarray(0, this.#restBytes);
  }

  /** Grows by doubling, so that a large event is not copied for each of its chunks. */
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

/** Reads all complete events of a text and ignores an incomplete one at the end. */
export function readEvents(text: string): SseEvent[] {
  const only = readPlainEvent(text);
  if (only !== undefined) return [only];
  const events: SseEvent[] = [];
  const parser = createParser({ onEvent: (event) => events.push(toEvent(event)) });
  parser.feed(text);
  // The parser waits after a lone CR at the end, in case an LF follows.
  if (text.endsWith("\r")) parser.feed("\n");
  return events;
}

/** A text that is one event of a data line, or of a name and a data line, as nearly all are. */
function readPlainEvent(text: string): SseEvent | undefined {
  if (!text.endsWith("\n\n") || text.includes("\r")) return undefined;
  const nameEnd = text.startsWith(NAME) ? text.indexOf("\n") : -1;
  const line = nameEnd + 1;
  const isPlain = text.startsWith(DATA, line) && text.indexOf("\n", line) === text.length - 2;
  const data = text.slice(line + DATA.length, -2);
  if (!isPlain || data === "" || nameEnd === NAME.length) return undefined;
  return nameEnd < 0 ? { data } : { event: text.slice(NAME.length, nameEnd), data };
}

/**
 * Decodes a byte stream into events, for any chunks and line ends. Nearly all
 * servers write an event as one data line, with or without a name line: a fast
 * path reads those. The general parser handles everything else.
 */
export class SseDecoder {
  readonly #maxEventBytes: number;
  /** Absent until a chunk ends within a character. */
  #text: TextDecoder | undefined;
  #hasBegun = false;
  /** The general parser; absent until it takes over. */
  #parser: EventSourceParser | undefined;
  #ready: SseEvent[] = [];
  /** The text of an incomplete event; empty once the general parser has taken over. */
  #rest = "";
  #pendingBytes = 0;

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  push(chunk: Uint8Array): readonly SseEvent[] {
    this.#pendingBytes += chunk.length;
    this.#read(this.#decode(chunk));
    const events = this.#take();
    if (events.length > 0) this.#pendingBytes = 0;
    else if (this.#pendingBytes > this.#maxEventBytes)
      throw new SseOverflow("An event is too long.");
    return events;
  }

  /** The end of the body also ends the last event: some servers omit the blank line after it. */
  end(): readonly SseEvent[] {
    this.#read(this.#text?.decode() ?? "");
    const parser = this.#parser ?? this.#openParser();
    parser.feed(`${this.#rest}\n\n`);
    this.#rest = "";
    return this.#take();
  }

  /** Nearly all chunks end with a line, and then need no decoder with a state. */
  #decode(chunk: Uint8Array): string {
    const isFirst = !this.#hasBegun && chunk.length > 0;
    this.#hasBegun ||= isFirst;
    if (this.#text === undefined) {
      const endsWhole = (chunk.at(-1) ?? 0) <= MAX_ASCII;
      const mayHoldMark = isFirst && chunk[0] === FIRST_OF_MARK;
      if (endsWhole && !mayHoldMark) return viewOf(chunk).toString();
      // Only at the beginning is a byte order mark no text.
      this.#text = new TextDecoder("utf-8", { ignoreBOM: !isFirst });
    }
    return this.#text.decode(chunk, { stream: true });
  }

  #openParser(): EventSourceParser {
    return createParser({ onEvent: (event) => this.#ready.push(toEvent(event)) });
  }

  #read(piece: string): void {
    if (this.#parser !== undefined) {
      this.#parser.feed(piece);
      return;
    }
    // A large event is not scanned again for each of its chunks.
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
        this.#rest = "";
        this.#parser = this.#openParser();
        this.#parser.feed(text.slice(at));
        return;
      }
      at = end;
    }
    this.#rest = at === 0 ? text : text.slice(at);
  }

  /**
   * Reads one event of a data line, or of a name and a data line; returns the
   * start of the next event.
   */
  #readPlain(text: string, start: number): number {
    let event: string | undefined;
    let line = start;
    if (text.startsWith(NAME, line)) {
      const end = text.indexOf("\n", line);
      if (end < 0) return unended(text, line);
      event = text.slice(line + NAME.length, lineEnd(text, end));
      line = end + 1;
    }
    // Too few characters to decide yet.
    if (text.length - line < DATA.length) return WAITS;
    if (!text.startsWith(DATA, line)) return ODD;
    const end = text.indexOf("\n", line);
    if (end < 0) return unended(text, line);
    const next = text.charCodeAt(end + 1) === CR ? end + 2 : end + 1;
    if (next >= text.length) return WAITS;
    if (text.charCodeAt(next) !== LF) return ODD;

    const data = text.slice(line + DATA.length, lineEnd(text, end));
    // A lone CR ends a line as well, and empty values have special rules.
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

/**
 * A CR at the end may be the first half of a line end; anywhere else it is a
 * line end by itself.
 */
function unended(text: string, from: number): number {
  const at = text.indexOf("\r", from);
  return at >= 0 && at < text.length - 1 ? ODD : WAITS;
}

function lineEnd(text: string, lineFeed: number): number {
  return text.charCodeAt(lineFeed - 1) === CR ? lineFeed - 1 : lineFeed;
}

/** A comment, which readers of events ignore. */
export const SSE_COMMENT = ": keep-alive\n\n";

/** Formats one event; line breaks in the data become several data lines. */
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

/** The position after the first blank line that ends at `from` or later, or 0. */
function firstBoundary(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== LF && byte !== CR) continue;
    const before = byte === LF && bytes[at - 1] === CR ? at - 2 : at - 1;
    if (before < 0 || (bytes[before] !== LF && bytes[before] !== CR)) continue;
    return byte === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
  }
  return 0;
}

/**
 * The position after the last blank line, or 0. A blank line is two consecutive
 * line ends, each LF, CR LF or CR. It is almost always at the very end.
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
