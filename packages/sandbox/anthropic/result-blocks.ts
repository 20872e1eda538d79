import type { Media } from "../engine/media.ts";
import type { Json, JsonObject } from "../json.ts";
import { readImageSource } from "./block-sources.ts";
import type { ResultContent } from "./blocks.ts";
import { readCacheControl } from "./cache-control.ts";
import { readDocument, readSearchResult } from "./document-blocks.ts";
import {
  field,
  inside,
  readBoolean,
  readId,
  readList,
  readTagged,
  readText,
  refuseExtras,
  required,
} from "./fields.ts";
import type { Betas } from "./request-headers.ts";
import { readTextBlock } from "./text-blocks.ts";

/** Text and images that the client's tool returned. */
export function readResult(object: JsonObject, at: string, betas: Betas): ResultContent {
  refuseExtras(
    object,
    ["type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"],
    at,
  );
  const id = readId(object, "tool_use_id", at);
  readBoolean(field(object, "is_error", at));
  const content = field(object, "content", at);
  if (content.value === undefined || typeof content.value === "string")
    return { kind: "result", id, text: content.value ?? "", media: [] };

  const parts = required(content, readList).map((value, index) =>
    readResultPart(value, inside(content.path, index), betas),
  );
  return {
    kind: "result",
    id,
    text: parts
      .map((part) => part.text)
      .filter((text) => text !== "")
      .join("\n"),
    media: parts.flatMap((part) => (part.media === undefined ? [] : [part.media])),
  };
}

function readResultPart(
  value: Json,
  path: string,
  betas: Betas,
): { readonly text: string; readonly media?: Media } {
  const {
    object,
    tag,
    path: at,
  } = readTagged({ path, value }, ["document", "image", "search_result", "text", "tool_reference"]);
  readCacheControl(object, at);
  switch (tag) {
    case "text":
      return { text: readTextBlock(object, at) };
    case "image":
      return { text: "", media: readImageSource(object, at, betas) };
    case "document":
      return { text: "", media: readDocument(object, at, betas).media };
    case "search_result": {
      const { content } = readSearchResult(object, at);
      return { text: content.kind === "search_result" ? content.texts.join("\n") : "" };
    }
    case "tool_reference":
      return { text: required(field(object, "tool_name", at), readText) };
  }
}
