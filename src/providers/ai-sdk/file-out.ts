import type { LanguageModelV3FilePart } from "@ai-sdk/provider";
import type { MediaBlock } from "#core/chat.ts";
import { refuse } from "#core/lossy.ts";
import type { Place } from "./place.ts";
import { isFetchedByVendor } from "./supported-urls.ts";

export function buildFile(block: MediaBlock, at: Place): LanguageModelV3FilePart {
  return {
    type: "file",
    mediaType: mediaTypeOf(block),
    data: bytesOf(block, dataOf(block, at), at),
    ...(block.filename === undefined ? {} : { filename: block.filename }),
  };
}

function bytesOf({ type }: MediaBlock, data: string | URL, { traits }: Place): FileData {
  const wantsBytes = type === "file" && traits.readsFileBytes === true;
  return wantsBytes && typeof data === "string" ? Buffer.from(data, "base64") : data;
}

type FileData = LanguageModelV3FilePart["data"];

/** Base64, or the address where the vendor fetches it itself. */
export function dataOf(block: MediaBlock, { path, urls }: Place): string | URL {
  const { source } = block;
  switch (source.kind) {
    case "data":
      return source.base64;
    case "url":
      if (isFetchedByVendor(source.url, mediaTypeOf(block), urls)) return new URL(source.url);
      throw refuse(path, `this upstream takes ${block.type}s as data only, not as links.`);
    case "reference":
      throw refuse(path, "it refers to a file that another vendor stores.");
  }
}

const USUAL = {
  image: "image/*",
  audio: "audio/wav",
  video: "video/mp4",
  file: "application/octet-stream",
};

const BY_ENDING: ReadonlyMap<string, string> = new Map([
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
  ["md", "text/markdown"],
  ["csv", "text/csv"],
  ["html", "text/html"],
  ["json", "application/json"],
]);

const SOUNDS: ReadonlyMap<string, string> = new Map([
  ["mp3", "audio/mpeg"],
  ["m4a", "audio/mp4"],
]);

/** First bytes of the images that every vendor takes, in base64. */
const IMAGES: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

export function mediaTypeOf({ type, mediaType, filename, source }: MediaBlock): string {
  if (type === "image" && source.kind === "data") {
    const { base64 } = source;
    const known = IMAGES.find(([start]) => base64.startsWith(start));
    if (known !== undefined) return known[1];
  }
  if (mediaType?.includes("/") === true) return mediaType;
  if (mediaType !== undefined) return SOUNDS.get(mediaType) ?? `${type}/${mediaType}`;
  const ending = filename?.slice(filename.lastIndexOf(".") + 1).toLowerCase() ?? "";
  return (type === "file" ? BY_ENDING.get(ending) : undefined) ?? USUAL[type];
}
