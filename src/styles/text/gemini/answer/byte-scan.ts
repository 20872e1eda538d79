import { Buffer } from "node:buffer";
import { eventsIn } from "#lib/sse-bytes.ts";

/**
 * Marks in the bytes of a stream, found without decoding them. A quote inside
 * a JSON string is escaped, so a quoted name in the bytes is a whole string. A
 * mark too many only costs a look.
 */
export function needsReading(bytes: Buffer): boolean {
  return bytes.includes(FINISH) || bytes.includes(ERROR) || bytes.includes(FEEDBACK);
}

/** Queries of the vendor's search tool are told. */
export function mentionsSearches(bytes: Buffer): boolean {
  return bytes.includes(QUERIES);
}

/** The last of whole events that counts what was used. */
export function lastCountIn(bytes: Buffer): Buffer | undefined {
  if (!bytes.includes(COUNT)) return undefined;
  let last: Buffer | undefined;
  for (const event of eventsIn(bytes)) if (event.includes(COUNT)) last = event;
  return last;
}

/** Where the last event begins that holds anything. */
export function lastEventStart(bytes: Buffer): number {
  let start = 0;
  let at = 0;
  for (const event of eventsIn(bytes)) {
    if (event.includes(DATA)) start = at;
    at += event.length;
  }
  return start;
}

const QUERIES = Buffer.from('SearchQueries"');
const DATA = Buffer.from("data:");
const FINISH = Buffer.from('"finishReason"');
const ERROR = Buffer.from('"error"');
const FEEDBACK = Buffer.from('"promptFeedback"');
const COUNT = Buffer.from('"promptTokenCount"');
