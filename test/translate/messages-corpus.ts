import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { readLines, readShared, SHARED } from "#test/shared.ts";
import { eventsOf, type Recorded } from "./chat-corpus.ts";

/** Every recorded exchange of this style. */
export function readMessagesCorpus(): readonly Recorded[] {
  return readLines("corpus/index.jsonl")
    .filter((line) => line["endpoint"] === "messages")
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

/** Bodies that real clients sent to this style's path, and the betas they named. */
export function readCaptured(): readonly JsonObject[] {
  return readdirSync(join(SHARED, "captured"))
    .filter((file) => file.endsWith(".jsonl"))
    .flatMap((file) => readLines(`captured/${file}`))
    .filter(({ path }) => /^\/v1\/messages(\?.*)?$/.test(textOf(path) ?? ""))
    .map(({ body }) => body)
    .filter(isObject);
}

/**
 * A stream's events put together in the plainest way: by the block's index.
 * It shares nothing with the style.
 */
export function messageIn(sse: string): JsonObject {
  let message: Record<string, Json> = {};
  const blocks: Record<string, Json>[] = [];
  const inputs: string[] = [];
  for (const { data } of eventsOf(sse)) {
    const event = parseJson(data);
    if (!isObject(event)) continue;
    const at = Number(event["index"]);
    const { message: start, content_block: head, delta, usage } = event;
    if (isObject(start)) message = { ...defined(start) };
    if (isObject(head)) blocks[at] = { ...defined(head) };
    if (event["type"] === "message_delta" && isObject(delta)) {
      const { context_management: context } = event;
      message = { ...message, ...defined(delta), ...defined({ context_management: context }) };
    } else if (isObject(delta)) addPiece((blocks[at] ??= {}), delta, inputs, at);
    if (isObject(usage)) {
      const known = isObject(message["usage"]) ? message["usage"] : {};
      message["usage"] = { ...known, ...defined(usage) };
    }
  }
  // Not every block has an input, and those that have none are left out.
  inputs.forEach((input, at) => {
    const block = blocks[at];
    if (block !== undefined) block["input"] = parseJson(input || "{}") ?? input;
  });
  return { ...message, content: blocks };
}

function addPiece(
  block: Record<string, Json>,
  delta: JsonObject,
  inputs: string[],
  at: number,
): void {
  const { text, thinking, signature, partial_json: json, citation } = delta;
  if (typeof text === "string") block["text"] = (textOf(block["text"]) ?? "") + text;
  if (typeof thinking === "string")
    block["thinking"] = (textOf(block["thinking"]) ?? "") + thinking;
  if (typeof signature === "string") block["signature"] = signature;
  if (typeof json === "string") inputs[at] = (inputs[at] ?? "") + json;
  if (citation !== undefined) {
    const known = isArray(block["citations"]) ? block["citations"] : [];
    block["citations"] = [...known, citation];
  }
}

function defined(value: JsonObject): Record<string, Json> {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, member ?? null]));
}
