import type { Block, MediaBlock } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { sourceOf } from "#styles/text/media.ts";
import { readBreakpoint } from "#styles/text/prompt-cache.ts";
import { CHAT } from "../raw-fields.ts";
import { defined, listOf, memberOf, textOf } from "#lib/values.ts";

/**
 * One part of a message's content. A type that is not known here stays as it
 * is, and what was written stays beside what was understood, for the way back.
 */
export function parsePart(part: JsonObject): Block {
  const parsed = understand(part) ?? { type: "other", style: CHAT, data: part };
  const cache = cacheMark(part["cache_control"]) ?? readBreakpoint(part);
  const isPlain = parsed.type === "text" && Object.keys(part).length === 2;
  if (isPlain || parsed.type === "other") return parsed;
  const written = { ...parsed, extra: { [CHAT]: { part } } };
  return cache === undefined ? written : { ...written, cache };
}

export function cacheMark(control: Json | undefined): "short" | "long" | undefined {
  if (!isObject(control)) return undefined;
  return control["ttl"] === "1h" || control["type"] === "persistent" ? "long" : "short";
}

export function understand(part: JsonObject): Block | undefined {
  switch (part["type"]) {
    case "text":
      return { type: "text", text: textOf(part["text"]) ?? "" };
    case "refusal":
      return { type: "refusal", text: textOf(part["refusal"]) ?? "" };
    case "image_url":
    case "video_url":
      return parseLinked(part, part["type"] === "image_url" ? "image" : "video");
    case "input_audio":
      return parseAudio(part);
    case "file":
      return parseFile(part);
    case "thinking":
      return { type: "reasoning", text: thinkingText(part) };
    default:
      return undefined;
  }
}

/** One vendor's content parts hold the reasoning as well, as a list of texts. */
export function thinkingText(part: JsonObject): string {
  const thinking = part["thinking"];
  if (typeof thinking === "string") return thinking;
  return listOf(thinking)
    .map((one) => textOf(memberOf(one, "text")) ?? "")
    .join("");
}

function parseLinked(part: JsonObject, type: "image" | "video"): MediaBlock | undefined {
  const body = part[`${type}_url`];
  const url = textOf(body) ?? textOf(memberOf(body, "url"));
  if (url === undefined) return undefined;
  return {
    type,
    ...sourceOf(url),
    ...defined({ detail: textOf(memberOf(body, "detail")) }),
  };
}

function parseAudio(part: JsonObject): MediaBlock | undefined {
  const body = part["input_audio"];
  const data = textOf(body) ?? textOf(memberOf(body, "data"));
  if (data === undefined) return undefined;
  const format = textOf(memberOf(body, "format"));
  return { type: "audio", ...sourceOf(data), ...defined({ mediaType: format }) };
}

function parseFile(part: JsonObject): MediaBlock | undefined {
  const body = part["file"];
  const id = textOf(memberOf(body, "file_id"));
  const data = textOf(memberOf(body, "file_data"));
  const filename = textOf(memberOf(body, "filename"));
  if (id !== undefined) {
    return { type: "file", source: { kind: "reference", id }, ...defined({ filename }) };
  }
  if (data === undefined) return undefined;
  return { type: "file", ...sourceOf(data), ...defined({ filename }) };
}
