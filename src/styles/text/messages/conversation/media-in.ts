import type { Block, MediaSource } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf, textOf } from "#lib/values.ts";

export function parseImage(wire: JsonObject): Block | undefined {
  const found = sourceOf(wire["source"]);
  return found === undefined ? undefined : { type: "image", ...found };
}

/** One of text is text to every style; a book or a page is a file. */
export function parseDocument(wire: JsonObject): Block | undefined {
  const { source, title, context } = wire;
  const text = textIn(source);
  if (text !== undefined) {
    const lines = [textOf(title), textOf(context), text].filter((line) => line !== undefined);
    return { type: "text", text: lines.join("\n\n") };
  }
  const found = sourceOf(source);
  if (found === undefined) return undefined;
  return { type: "file", ...found, ...defined({ filename: textOf(title) }) };
}

function textIn(source: Json | undefined): string | undefined {
  if (memberOf(source, "type") === "text") return textOf(memberOf(source, "data"));
  if (memberOf(source, "type") !== "content") return undefined;
  const content = memberOf(source, "content");
  if (typeof content === "string") return content;
  const texts = listOf(content).map((one) => textOf(memberOf(one, "text")));
  // With a picture in it, it is more than its text.
  const isText = texts.length > 0 && texts.every((text) => text !== undefined);
  return isText ? texts.join("\n") : undefined;
}

function sourceOf(
  wire: Json | undefined,
): { readonly source: MediaSource; readonly mediaType?: string } | undefined {
  if (!isObject(wire)) return undefined;
  const mediaType = textOf(wire["media_type"]);
  const { url, data, file_id: id } = wire;
  switch (wire["type"]) {
    case "base64":
      return typeof data === "string"
        ? { source: { kind: "data", base64: data }, ...defined({ mediaType }) }
        : undefined;
    case "url":
      return typeof url === "string"
        ? { source: { kind: "url", url }, ...defined({ mediaType }) }
        : undefined;
    case "file":
      return typeof id === "string" ? { source: { kind: "reference", id } } : undefined;
    default:
      return undefined;
  }
}
