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
