import type { JsonObject } from "../json.ts";
import { readDocumentSource } from "./block-sources.ts";
import type { Document } from "./blocks.ts";
import {
  field,
  inside,
  readBoolean,
  readList,
  readObject,
  readTagged,
  readText,
  refuseExtras,
  required,
} from "./fields.ts";
import type { Betas } from "./request-headers.ts";

export function readDocument(object: JsonObject, at: string, betas: Betas): Document {
  refuseExtras(object, ["type", "source", "title", "context", "citations", "cache_control"], at);
  const { media, content } = readDocumentSource(object, at, betas);
  const title = readText(field(object, "title", at), 500) ?? null;
  readText(field(object, "context", at));
  return {
    media: title === null ? media : { ...media, name: title },
    title,
    isCited: readIsCited(object, at),
    content,
  };
}

export function readSearchResult(object: JsonObject, at: string): Document {
  refuseExtras(object, ["type", "source", "title", "content", "citations", "cache_control"], at);
  const source = required(field(object, "source", at), readText);
  const title = required(field(object, "title", at), readText);
  const list = required(field(object, "content", at), readList);
  const texts = list.map((value, index) => {
    const part = readTagged({ path: inside(at, `content.${index}`), value }, ["text"]);
    return required(field(part.object, "text", part.path), readText);
  });
  return {
    media: { kind: "file", name: title, sizeBytes: Buffer.byteLength(texts.join("\n")) },
    title,
    isCited: readIsCited(object, at),
    content: { kind: "search_result", source, texts },
  };
}

function readIsCited(object: JsonObject, at: string): boolean {
  const citations = readObject(field(object, "citations", at)) ?? {};
  return readBoolean(field(citations, "enabled", inside(at, "citations"))) ?? false;
}
