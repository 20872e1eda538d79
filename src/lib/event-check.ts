import { Buffer } from "node:buffer";
import { parseJson } from "./json.ts";
import { eventsIn } from "./sse-bytes.ts";
import { readEvents } from "./sse.ts";

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const OPEN_BRACE = 0x7b;
const DATA = Buffer.from("data:");
const NAME = Buffer.from("event:");
const ODD = -1;

/**
 * The start of the first event with invalid JSON in a stream that passes through, or -1. `events`:
 * complete events. Data that does not start like JSON is ignored.
 */
export function firstBrokenEvent(events: Buffer): number {
  let start = 0;
  while (start < events.length) {
    const next = passPlain(events, start);
    if (next === ODD) return firstBrokenFrom(events, start);
    start = next;
  }
  return -1;
}

/** Checks one event of a data line, or of a name and a data line. Returns its end, or ODD. */
function passPlain(events: Buffer, start: number): number {
  let line = start;
  if (startsWith(events, NAME, line)) {
    const nameEnd = events.indexOf(LF, line);
    if (nameEnd < 0) return ODD;
    line = nameEnd + 1;
  }
  if (!startsWith(events, DATA, line)) return ODD;
  let first = line + DATA.length;
  if (events[first] === SPACE) first++;
  if (events[first] !== OPEN_BRACE) return ODD;
  const lineEnd = events.indexOf(LF, first);
  if (lineEnd < 0) return ODD;
  const blank = events[lineEnd + 1] === CR ? lineEnd + 2 : lineEnd + 1;
  if (events[blank] !== LF) return ODD;
  return parseJson(events.toString("utf8", first, lineEnd)) === undefined ? ODD : blank + 1;
}

function firstBrokenFrom(events: Buffer, start: number): number {
  let at = start;
  for (const event of eventsIn(events.subarray(start))) {
    if (isBroken(event)) return at;
    at += event.length;
  }
  return -1;
}

function isBroken(event: Buffer): boolean {
  const data = (readEvents(event.toString())[0]?.data ?? "").trim();
  if (!data.startsWith("{") && !data.startsWith("[{")) return false;
  return parseJson(data) === undefined;
}

function startsWith(bytes: Buffer, text: Buffer, at: number): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}
