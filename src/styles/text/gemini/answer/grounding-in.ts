import { Buffer } from "node:buffer";
import type { Citation } from "#core/chat.ts";
import { isObject, type Json } from "#lib/json.ts";
import { defined, integerOf, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";

const MAX_CITATIONS = 1_000;

/**
 * Citations out of grounding metadata: which source bears out which stretch of
 * `text`. The metadata counts bytes, the hub UTF-16 units. What no stretch
 * refers to is only cited where no source has any.
 */
export function parseGrounding(metadata: Json | undefined, text: string): readonly Citation[] {
  const sources = listOf(memberOf(metadata, "groundingChunks")).map(parseSource);
  const supports = listOf(memberOf(metadata, "groundingSupports"))
    .slice(0, MAX_CITATIONS)
    .filter(isObject);
  const bytes = supports.length === 0 ? undefined : Buffer.from(text);
  const borne = supports.flatMap((support) => {
    const stretch = bytes === undefined ? {} : stretchOf(support["segment"], text, bytes);
    return listOf(support["groundingChunkIndices"]).flatMap((index) => {
      const source = sources[integerOf(index) ?? -1];
      return source === undefined ? [] : [{ ...source, ...stretch }];
    });
  });
  const cited = borne.length > 0 ? borne : sources.filter((source) => source !== undefined);
  return cited.slice(0, MAX_CITATIONS);
}

/** Of the web, of a map, or of the caller's own documents; without an address it cannot be cited. */
function parseSource(chunk: Json): Citation | undefined {
  const source = ["web", "maps", "retrievedContext"]
    .map((kind) => objectOf(memberOf(chunk, kind)))
    .find((found) => found !== undefined);
  const url = textOf(source?.["uri"]);
  if (url === undefined || url === "") return undefined;
  return { url, ...defined({ title: textOf(source?.["title"]), quote: textOf(source?.["text"]) }) };
}

/**
 * The words stand beside their place, and they count for more: a place may be
 * meant within a part, or within all that was streamed.
 */
function stretchOf(
  segment: Json | undefined,
  text: string,
  bytes: Buffer,
): Pick<Citation, "start" | "end"> {
  if (!isObject(segment)) return {};
  const from = integerOf(segment["startIndex"]) ?? 0;
  const to = integerOf(segment["endIndex"]) ?? 0;
  const words = textOf(segment["text"]) ?? "";
  if (to > from && to <= bytes.length) {
    const meant = bytes.toString("utf8", from, to);
    if (words === "" || meant === words) {
      const start = bytes.toString("utf8", 0, from).length;
      return { start, end: start + meant.length };
    }
  }
  const start = words === "" ? -1 : text.indexOf(words);
  return start < 0 ? {} : { start, end: start + words.length };
}
