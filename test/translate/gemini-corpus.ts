import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { readLines, readShared } from "#test/shared.ts";

export interface RecordedNative {
  readonly file: string;
  readonly status: number;
  /** As the caller sent it, where that was recorded. */
  readonly request: JsonObject | undefined;
  /** The model that its path names. */
  readonly model: string;
  /** An answer in one piece. */
  readonly body: JsonObject | undefined;
  /** A stream's text; one that came as a list is told as events. */
  readonly sse: string | undefined;
  /** Byte lengths in which the vendor's stream really came. */
  readonly pieces: readonly number[];
}

const ENDPOINTS: readonly Json[] = ["generate-content", "stream-generate-content"];

/** Every recorded exchange of this style. */
export function readNativeCorpus(): readonly RecordedNative[] {
  return readLines("corpus/index.jsonl")
    .filter((line) => ENDPOINTS.includes(line["endpoint"] ?? null))
    .map((line) => line["file"])
    .filter((file) => typeof file === "string")
    .map(readRecorded);
}

function readRecorded(file: string): RecordedNative {
  const { request, response } = readShared(`corpus/${file}`);
  const asked = isObject(request) ? request : {};
  const answered = isObject(response) ? response : {};
  const { sse, body, wire_chunk_bytes: pieces } = answered;
  const path = typeof asked["path"] === "string" ? asked["path"] : "";
  return {
    file,
    status: Number(answered["status"]),
    request: isObject(asked["body"]) ? asked["body"] : undefined,
    model: /models\/([^:?]+)/.exec(path)?.[1] ?? "m",
    body: isObject(body) ? body : undefined,
    sse: typeof sse === "string" ? sse : isArray(body) ? asEvents(body) : undefined,
    pieces: isArray(pieces) ? pieces.filter((piece) => typeof piece === "number") : [],
  };
}

function asEvents(list: readonly Json[]): string {
  return list.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join("");
}

/** Some recordings lost the last blank line. */
export function nativeEvents(sse: string): ReturnType<typeof readEvents> {
  return readEvents(`${sse}\n\n`);
}

export function nativeChunks(sse: string): readonly JsonObject[] {
  return nativeEvents(sse)
    .map(({ data }) => parseJson(data))
    .filter(isObject);
}

/** What an answer says, read straight from its chunks in the plainest way; it shares nothing with the style. */
export interface SaidNatively {
  text: string;
  thoughts: string;
  readonly calls: { name: string; args: Json }[];
  readonly images: string[];
  readonly others: Json[];
  readonly signatures: string[];
  finish: Json | undefined;
}

export function saidNatively(chunks: readonly JsonObject[]): SaidNatively {
  const said: SaidNatively = {
    text: "",
    thoughts: "",
    calls: [],
    images: [],
    others: [],
    signatures: [],
    finish: undefined,
  };
  for (const candidate of chunks.flatMap((chunk) => listIn(chunk, "candidates"))) {
    const { content } = candidate;
    if (candidate["finishReason"] !== undefined) said.finish = candidate["finishReason"];
    for (const part of isObject(content) ? listIn(content, "parts") : []) add(said, part);
  }
  return said;
}

function add(said: SaidNatively, part: JsonObject): void {
  const { text, thought, functionCall: call, inlineData: inline, thoughtSignature } = part;
  if (typeof thoughtSignature === "string") said.signatures.push(thoughtSignature);
  if (typeof text === "string") {
    if (thought === true) said.thoughts += text;
    else said.text += text;
  } else if (isObject(call)) {
    if (typeof call["name"] === "string" && call["willContinue"] !== true)
      said.calls.push({ name: call["name"], args: call["args"] ?? {} });
  } else if (isObject(inline) && typeof inline["data"] === "string") {
    said.images.push(inline["data"]);
  } else if (Object.keys(part).length > 0) said.others.push(part);
}

function listIn(value: JsonObject, name: string): readonly JsonObject[] {
  const list = value[name];
  return isArray(list) ? list.filter(isObject) : [];
}
