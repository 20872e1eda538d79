import { Buffer } from "node:buffer";

const LF = 0x0a;
const CR = 0x0d;

/** Splits complete events into single events; together they equal the input. */
export function* eventsIn(bytes: Buffer): Generator<Buffer> {
  const lineEnd = bytes.includes(LF) ? LF : CR;
  let start = 0;
  for (let at = bytes.indexOf(lineEnd); at >= 0; at = bytes.indexOf(lineEnd, at + 1)) {
    const next = lineEnd === LF && bytes[at + 1] === CR ? at + 2 : at + 1;
    if (bytes[next] !== lineEnd) continue;
    yield bytes.subarray(start, next + 1);
    start = next + 1;
    at = next;
  }
  if (start < bytes.length) yield bytes.subarray(start);
}

/** Removes comments, and events that contain only comments. */
export function withoutComments(events: Buffer): Buffer {
  const hasComments =
    events[0] === COLON ||
    events.includes("\n:", 0, "latin1") ||
    events.includes("\r:", 0, "latin1");
  if (!hasComments) return events;
  return Buffer.from(Array.from(eventsIn(events), withoutItsComments).join(""), "latin1");
}

function withoutItsComments(event: Buffer): string {
  const lines = event.toString("latin1").split(AFTER_LINE);
  const kept = lines.filter((line) => !line.startsWith(":")).join("");
  if (kept.trim() !== "") return kept;
  // The second half of a split line end belongs to the previous event.
  return kept.startsWith("\n") && lines[0] === "\n" ? "\n" : "";
}

const COLON = 0x3a;
const AFTER_LINE = /(?<=\r\n|\n|\r(?!\n))/;

/** Bytes from the network already are a buffer: a second view would cost more than its use. */
export function viewOf(bytes: Uint8Array): Buffer {
  if (bytes instanceof Buffer) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
