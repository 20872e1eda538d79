import { Buffer } from "node:buffer";
import type { MediaBlock } from "#core/chat.ts";
import { refuse } from "#core/lossy.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

/** A picture or a document; throws for what no upstream of this style can see or hear. */
export function buildMedia(block: MediaBlock, path: string): JsonObject {
  const { source, type } = block;
  if (type === "audio" || type === "video") {
    throw refuse(path, `no upstream of the messages style takes ${type}.`);
  }
  switch (source.kind) {
    case "reference":
      throw refuse(path, "it refers to a file that another vendor stores.");
    case "url":
      return type === "image"
        ? { type, source: { type: "url", url: source.url } }
        : document(block, { type: "url", url: source.url });
    case "data":
      return type === "image" || isPicture(block.mediaType)
        ? buildImage(source.base64, block.mediaType, path)
        : buildFile(block, source.base64, path);
  }
}

function isPicture(mediaType: string | undefined): boolean {
  return mediaType?.startsWith("image/") === true;
}

/** By their first bytes, in base64: a picture with another type than it says is refused. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];
const TYPES = BEGINNINGS.map(([, type]) => type);

function buildImage(base64: string, said: string | undefined, path: string): JsonObject {
  const declared = said === "image/jpg" ? "image/jpeg" : said;
  const found = BEGINNINGS.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? declared;
  if (found === undefined || !TYPES.includes(found)) {
    throw refuse(path, "only JPEG, PNG, GIF and WebP images are supported.");
  }
  return { type: "image", source: { type: "base64", media_type: found, data: base64 } };
}

const PDF_BEGINNING = "JVBERi";

function buildFile(block: MediaBlock, base64: string, path: string): JsonObject {
  if (base64.startsWith(PDF_BEGINNING) || block.mediaType === "application/pdf") {
    return document(block, { type: "base64", media_type: "application/pdf", data: base64 });
  }
  const text = textOf(base64);
  if (text === undefined) throw refuse(path, "only PDF and text documents are supported.");
  return document(block, { type: "text", media_type: "text/plain", data: text });
}

function document({ filename }: MediaBlock, source: JsonObject): JsonObject {
  return { type: "document", source, ...defined({ title: filename }) };
}

/** `undefined` for bytes that are no text. */
function textOf(base64: string): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(base64, "base64"));
    return text === "" || text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
