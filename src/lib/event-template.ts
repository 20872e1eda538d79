import { Buffer } from "node:buffer";

/**
 * A member whose value may differ between an event and its template: the event's text, another
 * string, or a whole number.
 */
export interface Slot {
  readonly name: string;
  readonly kind: "text" | "string" | "number";
}

/** The value of a slot in the sample; a string without its quotes. */
interface Gap {
  readonly kind: Slot["kind"];
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COLON = 0x3a;
const ZERO = 0x30;
const SMALL_U = 0x75;
const NOT_FOUND = -1;
/** A longer number could lose digits. */
const MAX_DIGITS = 15;
/** Bytes that may follow a backslash in a JSON string, besides `u`. */
const ESCAPES = Buffer.from('"\\/bfnrt');

/**
 * Recognizes events that equal an earlier one in all bytes except a few values. If the earlier one
 * was valid JSON, they are valid, too, and nothing else in them needs to be read.
 */
export class EventTemplate {
  #sample: Buffer | undefined;
  #gaps: readonly Gap[] = [];
  /** The text of the last event that matched. */
  textStart = 0;
  textEnd = 0;
  /** The number of the last event that matched; -1 if it has none. */
  number = NOT_FOUND;

  /** The end of the event at `start`; -1 if it differs from the sample outside the slots. */
  matchAt(events: Buffer, start: number): number {
    const sample = this.#sample;
    if (sample === undefined) return NOT_FOUND;
    let at = start;
    let from = 0;
    for (const gap of this.#gaps) {
      const value = at + gap.start - from;
      if (!isSame(events, at, value, sample, from, gap.start)) return NOT_FOUND;
      at = gap.kind === "number" ? this.#readNumber(events, value) : endOfString(events, value);
      if (at < 0) return NOT_FOUND;
      if (gap.kind === "text") {
        this.textStart = value;
        this.textEnd = at;
      }
      from = gap.end;
    }
    const end = at + sample.length - from;
    return isSame(events, at, end, sample, from, sample.length) ? end : NOT_FOUND;
  }

  /**
   * Uses one valid event as the sample, and returns its text. If it does not contain exactly one,
   * it is not used.
   */
  learn(event: Buffer, slots: readonly Slot[]): string | undefined {
    const gaps: Gap[] = [];
    for (const slot of slots) {
      const gap = gapOf(event, slot);
      if (gap !== undefined) gaps.push(gap);
    }
    const [text, ...others] = gaps.filter(({ kind }) => kind === "text");
    if (text === undefined || others.length > 0) return undefined;
    // A copy: the bytes are the network's.
    this.#sample = Buffer.from(event);
    this.#gaps = gaps.toSorted((one, other) => one.start - other.start);
    this.number = NOT_FOUND;
    return event.toString("utf8", text.start, text.end);
  }

  forget(): void {
    this.#sample = undefined;
  }

  #readNumber(events: Buffer, start: number): number {
    const end = endOfNumber(events, start);
    if (end >= 0) this.number = Number(events.toString("latin1", start, end));
    return end;
  }
}

function isSame(
  events: Buffer,
  start: number,
  end: number,
  sample: Buffer,
  from: number,
  to: number,
): boolean {
  return end <= events.length && events.compare(sample, from, to, start, end) === 0;
}

/** Undefined if the member is absent, occurs twice, or has a value of another kind. */
function gapOf(event: Buffer, { name, kind }: Slot): Gap | undefined {
  const key = JSON.stringify(name);
  const found = event.indexOf(key);
  if (found < 0 || event.includes(key, found + 1)) return undefined;
  let at = afterSpaces(event, found + key.length);
  if (event[at] !== COLON) return undefined;
  at = afterSpaces(event, at + 1);
  if (kind === "number") {
    const end = endOfNumber(event, at);
    return end < 0 ? undefined : { kind, start: at, end };
  }
  const start = at + 1;
  const end = event[at] === QUOTE ? endOfString(event, start) : NOT_FOUND;
  return end <= start ? undefined : { kind, start, end };
}

function afterSpaces(event: Buffer, start: number): number {
  let at = start;
  while (event[at] === SPACE) at++;
  return at;
}

/** The closing quote of a valid JSON string whose content begins at `start`; otherwise -1. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at;
    if (byte < SPACE) return NOT_FOUND;
    if (byte !== BACKSLASH) continue;
    at++;
    const escaped = bytes[at] ?? 0;
    if (escaped === SMALL_U) {
      if (!isHex(bytes, at + 1)) return NOT_FOUND;
      at += 4;
    } else if (!ESCAPES.includes(escaped)) return NOT_FOUND;
  }
  return NOT_FOUND;
}

/** Four hexadecimal digits. */
function isHex(bytes: Buffer, start: number): boolean {
  for (let at = start; at < start + 4; at++) {
    const lower = (bytes[at] ?? 0) | 0x20;
    if (!isDigit(bytes[at]) && (lower < 0x61 || lower > 0x66)) return false;
  }
  return true;
}

/** The end of a non-negative whole number at `start`; otherwise -1. JSON has no leading zeros. */
function endOfNumber(bytes: Buffer, start: number): number {
  let at = start;
  while (at < start + MAX_DIGITS && isDigit(bytes[at])) at++;
  const isOther = at === start || isDigit(bytes[at]);
  return isOther || (bytes[start] === ZERO && at > start + 1) ? NOT_FOUND : at;
}

function isDigit(byte = 0): boolean {
  return byte >= ZERO && byte <= 0x39;
}
