import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { readLines, readShared } from "#test/shared.ts";

export interface Recorded {
  readonly file: string;
  readonly status: number;
  /** As the caller sent it, where that was recorded. */
  readonly request: JsonObject | undefined;
  /** An answer in one piece. */
  readonly body: Json | undefined;
  /** A stream's text. */
  readonly sse: string | undefined;
  /** Byte lengths in which the vendor's stream really came. */
  readonly pieces: readonly number[];
}

/** Every recorded exchange of this style. */
export function readChatCorpus(): readonly Recorded[] {
  return readLines("corpus/index.jsonl")
    .filter((line) => line["endpoint"] === "chat-completions")
    .map((line) => line["file"])
    .filter((file) => typeof file === "string")
    .map(readRecorded);
}

function readRecorded(file: string): Recorded {
  const { request, response } = readShared(`corpus/${file}`);
  const asked = isObject(request) ? request["body"] : undefined;
  const answered = isObject(response) ? response : {};
  const pieces = answered["wire_chunk_bytes"];
  return {
    file,
    status: Number(answered["status"]),
    request: isObject(asked) && isArray(asked["messages"]) ? asked : undefined,
    body: answered["body"],
    sse: typeof answered["sse"] === "string" ? answered["sse"] : undefined,
    pieces: isArray(pieces) ? pieces.filter((piece) => typeof piece === "number") : [],
  };
}

/** The chunks of a stream, without its end mark. */
export function chunksOf(sse: string): readonly JsonObject[] {
  return eventsOf(sse)
    .map(({ data }) => parseJson(data))
    .filter(isObject);
}

/** Some recordings lost the last blank line. */
export function eventsOf(sse: string): ReturnType<typeof readEvents> {
  return readEvents(`${sse}\n\n`);
}

export function isFailed(record: Recorded): boolean {
  const first = record.sse === undefined ? record.body : chunksOf(record.sse)[0];
  return record.status !== 200 || (isObject(first) && isObject(first["error"]));
}

/** One vendor's document reader answers on the same path with something else. */
export function isAnswer(record: Recorded): boolean {
  return record.sse !== undefined || (isObject(record.body) && isArray(record.body["choices"]));
}

/** Cuts bytes at places that a seeded generator chooses. */
export function cut(bytes: Uint8Array, random: () => number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = 1 + Math.floor(random() * random() * 400);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

export function cutAt(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const length of lengths) {
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  if (at < bytes.length) pieces.push(bytes.subarray(at));
  return pieces;
}
