import { Buffer } from "node:buffer";

/** Whether the beginning or the end of a response may be told of here: also where somebody only says so. */
export function mentionsResponse(bytes: Buffer): boolean {
  return RESPONSE_EVENTS.some((name) => bytes.includes(name));
}

/** Events between the two ends that repeat the whole response object. */
export function mentionsProgress(bytes: Buffer): boolean {
  return PROGRESS_EVENTS.some((name) => bytes.includes(name));
}

export function mentionsCallDelta(bytes: Buffer): boolean {
  return CALL_DELTAS.some((name) => bytes.includes(name));
}

/** Whether a call is told of whole, at its beginning or its end. */
export function mentionsCall(bytes: Buffer): boolean {
  return bytes.includes(CALL);
}

/** Of bytes that tell of a call: whether some call has no id, or no arguments. */
export function mentionsOddCall(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(CALL_ID); at >= 0; at = bytes.indexOf(CALL_ID, at + 1)) {
    if (!isFilledText(bytes, at + CALL_ID.length)) return true;
  }
  const calls = countOf(CALL, bytes);
  return countOf(CALL_ID, bytes) < calls || countOf(ARGUMENTS, bytes) < calls;
}

function countOf(mark: Buffer, bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) count++;
  return count;
}

/** Whether arguments are something else than a text. */
export function mentionsOddArguments(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(ARGUMENTS); at >= 0; at = bytes.indexOf(ARGUMENTS, at + 1)) {
    const value = valueAt(bytes, at + ARGUMENTS.length);
    if (value >= 0 && bytes[value] !== QUOTE) return true;
  }
  return false;
}

function isFilledText(bytes: Buffer, afterName: number): boolean {
  const value = valueAt(bytes, afterName);
  return value >= 0 && bytes[value] === QUOTE && bytes[value + 1] !== QUOTE;
}

/** Where the value of a member begins; -1 if what looks like its name is none. */
function valueAt(bytes: Buffer, afterName: number): number {
  let at = afterName;
  while (bytes[at] === SPACE) at++;
  if (bytes[at] !== COLON) return -1;
  at++;
  while (bytes[at] === SPACE) at++;
  return at;
}

/** The last number that an event was given; `undefined` where none was. */
export function lastNumber(bytes: Buffer): number | undefined {
  for (let at = bytes.lastIndexOf(NUMBER); at >= 0; at = bytes.lastIndexOf(NUMBER, at - 1)) {
    const number = numberAt(bytes, at + NUMBER.length);
    if (number !== undefined) return number;
    if (at === 0) break;
  }
  return undefined;
}

const RESPONSE_EVENTS = [
  "response.created",
  "response.completed",
  "response.incomplete",
  "response.failed",
].map((name) => Buffer.from(name));
const PROGRESS_EVENTS = ["response.in_progress", "response.queued"].map((name) =>
  Buffer.from(name),
);
const CALL_DELTAS = ["call_arguments.delta", "call_input.delta"].map((name) => Buffer.from(name));
const NUMBER = Buffer.from('"sequence_number"');
const CALL = Buffer.from('"function_call"');
const CALL_ID = Buffer.from('"call_id"');
const ARGUMENTS = Buffer.from('"arguments"');
const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;
const ZERO = 0x30;
/** More are no number of an event. */
const MAX_DIGITS = 15;

/** Behind a member's name. */
function numberAt(bytes: Buffer, afterName: number): number | undefined {
  if (bytes[afterName] !== COLON) return undefined;
  let at = afterName + 1;
  while (bytes[at] === SPACE) at++;
  let number = 0;
  const first = at;
  for (; at < first + MAX_DIGITS; at++) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  return at === first ? undefined : number;
}
