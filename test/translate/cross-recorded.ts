import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ChatEvent } from "#core/chat.ts";
import type { TextStyle } from "#core/style.ts";
import { isArray, isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { readEvents, type SseEvent } from "#lib/sse.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { readLines, readShared, SHARED } from "#test/shared.ts";
import { SHOW_ALL, type Judged } from "./cross-styles.ts";

interface RecordedAnswer {
  readonly file: string;
  /** A stream's events, or the body of an answer in one piece. */
  readonly wire: readonly SseEvent[] | JsonObject;
}

/** Every answer that was recorded of upstreams of a style, without those whose status tells of a failure. */
export function answersOf({ endpoints }: Judged): readonly RecordedAnswer[] {
  return filesOf(endpoints, true).flatMap((file): readonly RecordedAnswer[] => {
    const { response } = readShared(`corpus/${file}`);
    const sse = textOf(memberOf(response, "sse"));
    const body = memberOf(response, "body");
    // Some recordings lost the last blank line.
    if (sse !== undefined) return [{ file, wire: readEvents(`${sse}\n\n`) }];
    if (isArray(body)) return [{ file, wire: body.map((one) => ({ data: JSON.stringify(one) })) }];
    return isObject(body) ? [{ file, wire: body }] : [];
  });
}

export interface RecordedRequest {
  readonly name: string;
  readonly body: JsonObject;
}

/** Every request in a style that was recorded, and those that real clients sent. */
export function recordedRequests({ endpoints }: Judged): readonly RecordedRequest[] {
  return filesOf(endpoints, false).flatMap((name) => {
    const { request } = readShared(`corpus/${name}`);
    const body = memberOf(request, "body");
    return isObject(body) ? [{ name, body }] : [];
  });
}

export function capturedRequests({ path }: Judged): readonly RecordedRequest[] {
  return readdirSync(join(SHARED, "captured"))
    .filter((file) => file.endsWith(".jsonl"))
    .toSorted()
    .flatMap((file) => readLines(`captured/${file}`).map((line) => ({ file, line })))
    .filter(({ line }) => path.test(textOf(line["path"]) ?? ""))
    .flatMap(({ file, line: { n, body } }) => {
      const json = typeof body === "string" ? parseJson(body) : body;
      return isObject(json) ? [{ name: `${file} ${JSON.stringify(n)}`, body: json }] : [];
    });
}

function filesOf(endpoints: readonly string[], isAnswered: boolean): readonly string[] {
  return readLines("corpus/index.jsonl")
    .filter((line) => endpoints.includes(textOf(line["endpoint"]) ?? ""))
    .filter((line) => !isAnswered || line["status"] === 200)
    .map((line) => textOf(line["file"]) ?? "");
}

/** Throws the failure that it tells of. */
export function decode(
  { outbound }: TextStyle,
  wire: RecordedAnswer["wire"],
): readonly ChatEvent[] {
  if (!isStream(wire)) return outbound.parseResponse(wire);
  const decoder = outbound.openDecoder();
  const events: ChatEvent[] = [];
  for (const event of wire) {
    if (decoder.isOver) break;
    events.push(...decoder.read(event));
  }
  return decoder.isOver ? events : [...events, ...decoder.end()];
}

function isStream(wire: RecordedAnswer["wire"]): wire is readonly SseEvent[] {
  return Array.isArray(wire);
}

export function encode(
  { inbound }: TextStyle,
  events: readonly ChatEvent[],
  request = SHOW_ALL,
): string {
  const encoder = inbound.openEncoder(request);
  return events.map((event) => encoder.encode(event)).join("") + encoder.end();
}
