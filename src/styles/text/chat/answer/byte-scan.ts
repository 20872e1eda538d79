import { Buffer } from "node:buffer";

/**
 * Marks in the bytes of a stream, found without decoding them. A quote inside
 * a JSON string is escaped, so a quoted name in the bytes is a whole string:
 * a member's name, or at worst a value, which no colon follows.
 */
export function mentionsUsage(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(USAGE); at >= 0; at = bytes.indexOf(USAGE, at + 1)) {
    if (firstOfValue(bytes, at + USAGE.length) === OPEN_BRACE) return true;
  }
  return false;
}

/**
 * Writes spaces over `"usage":null`, and over the comma beside it: vendors put
 * that into every chunk of a stream that is asked for usage, and some clients
 * refuse it. In place, since most chunks of a stream may hold it.
 */
export function blankEmptyUsage(bytes: Buffer): void {
  for (let at = bytes.indexOf(USAGE); at >= 0; at = bytes.indexOf(USAGE, at + 1)) {
    const value = valueAt(bytes, at + USAGE.length);
    if (value < 0 || !bytes.subarray(value, value + NULL.length).equals(NULL)) continue;
    let before = at - 1;
    while (isSpace(bytes[before])) before--;
    let after = value + NULL.length;
    while (isSpace(bytes[after])) after++;
    if (bytes[before] === COMMA) bytes.fill(SPACE, before, value + NULL.length);
    else if (bytes[before] === OPEN_BRACE && bytes[after] === COMMA)
      bytes.fill(SPACE, at, after + 1);
    else if (bytes[before] === OPEN_BRACE) bytes.fill(SPACE, at, value + NULL.length);
  }
}

/** Also as a value: one server says `"object":"error"`, another ends a choice with it. */
export function mentionsError(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(ERROR); at >= 0; at = bytes.indexOf(ERROR, at + 1)) {
    if (firstOfValue(bytes, at + ERROR.length) !== SMALL_N) return true;
  }
  return false;
}

/** Choices that got a reason for their end. */
export function countFinishes(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(FINISH); at >= 0; at = bytes.indexOf(FINISH, at + 1)) {
    const value = valueAt(bytes, at + FINISH.length);
    if (bytes[value] === QUOTE && bytes[value + 1] !== QUOTE) count++;
  }
  return count;
}

/** A list of tool calls with something in it; many servers write an empty one, or null. */
export function mentionsCalls(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(CALLS); at >= 0; at = bytes.indexOf(CALLS, at + 1)) {
    const value = valueAt(bytes, at + CALLS.length);
    if (value < 0 || bytes[value] !== OPEN_BRACKET) continue;
    let first = value + 1;
    while (isSpace(bytes[first])) first++;
    if (bytes[first] !== CLOSE_BRACKET) return true;
  }
  return false;
}

/** The first fragment of a call, or one whose arguments are not text. */
export function mentionsOddCalls(bytes: Buffer): boolean {
  return hasValue(bytes, NAME, true) || hasValue(bytes, ARGUMENTS, false);
}

/** Whether a member of this name holds text that says something, or holds anything but text. */
function hasValue(bytes: Buffer, name: Buffer, isText: boolean): boolean {
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
    const value = valueAt(bytes, at + name.length);
    if (value < 0) continue;
    const isQuoted = bytes[value] === QUOTE;
    if (isText ? isQuoted && bytes[value + 1] !== QUOTE : !isQuoted) return true;
  }
  return false;
}

/**
 * What follows each member called delta, up to the next one or to the choice's
 * finish: the delta, and little else. To find where exactly it ends would take
 * a look at every byte. False where there is none.
 */
export function eachDelta(bytes: Buffer, visit: (from: Buffer) => void): boolean {
  let at = nextDelta(bytes, 0);
  if (at < 0) return false;
  while (at >= 0) {
    const next = nextDelta(bytes, at + 1);
    const rest = bytes.subarray(at + DELTA.length, next < 0 ? bytes.length : next);
    const finish = rest.indexOf(FINISH);
    visit(finish < 0 ? rest : rest.subarray(0, finish));
    at = next;
  }
  return true;
}

/** A model may say the same word, but no colon follows that. */
function nextDelta(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(DELTA, from);
  while (at >= 0 && valueAt(bytes, at + DELTA.length) < 0) at = bytes.indexOf(DELTA, at + 1);
  return at;
}

/** An answer that came as an event in one piece, or in the words of the legacy endpoint. */
export function mentionsText(bytes: Buffer): boolean {
  return bytes.includes(MESSAGE) || bytes.includes(TEXT);
}

/** `data: [DONE]` as a line of its own: in a JSON string there is no line end before it. */
export function mentionsDone(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(DONE); at >= 0; at = bytes.indexOf(DONE, at + 1)) {
    let field = at;
    while (field > 0 && bytes[field - 1] === SPACE) field--;
    const line = field - DATA.length;
    if (line < 0 || !bytes.subarray(line, field).equals(DATA)) continue;
    if (isLineEnd(bytes[line - 1]) && isLineEnd(bytes[at + DONE.length])) return true;
  }
  return false;
}

const NULL = Buffer.from("null");
const CALLS = Buffer.from('"tool_calls"');
const NAME = Buffer.from('"name"');
const ARGUMENTS = Buffer.from('"arguments"');
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const USAGE = Buffer.from('"usage"');
const ERROR = Buffer.from('"error"');
const FINISH = Buffer.from('"finish_reason"');
const DELTA = Buffer.from('"delta"');
const MESSAGE = Buffer.from('"message"');
const TEXT = Buffer.from('"text"');
const DONE = Buffer.from("[DONE]");
const DATA = Buffer.from("data:");
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
/** Of `null`. */
const SMALL_N = 0x6e;

/** The first byte of a member's value; `undefined` where what stands there is no member. */
function firstOfValue(bytes: Buffer, afterName: number): number | undefined {
  const at = valueAt(bytes, afterName);
  return at < 0 ? undefined : bytes[at];
}

function valueAt(bytes: Buffer, afterName: number): number {
  let at = afterName;
  while (isSpace(bytes[at])) at++;
  if (bytes[at] !== COLON) return -1;
  at++;
  while (isSpace(bytes[at])) at++;
  return at;
}

/** Or the end of the bytes on either side. */
function isLineEnd(byte: number | undefined): boolean {
  return byte === undefined || byte === LF || byte === CR;
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === 0x09 || byte === LF || byte === CR;
}
