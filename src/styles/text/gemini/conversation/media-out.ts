import type { MediaBlock } from "#core/chat.ts";
import { refuse } from "#core/lossy.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { mediaTypeOfLink } from "./media-in.ts";

/** The gateway does not fetch links here: the vendor does, of what it can reach. */
export function buildMedia(block: MediaBlock, path: string): JsonObject {
  const { source } = block;
  switch (source.kind) {
    case "data":
      return { inlineData: { mimeType: mediaTypeOf(block), data: source.base64 } };
    case "url":
      return {
        fileData: defined({ fileUri: source.url, mimeType: linkedTypeOf(block, source.url) }),
      };
    case "reference":
      throw refuse(path, "it refers to a file that another vendor stores.");
  }
}

const USUAL = {
  image: "image/png",
  audio: "audio/wav",
  video: "video/mp4",
  file: "application/pdf",
};

/** A bare format, as some styles have it, belongs to the kind of the block. */
function mediaTypeOf({ mediaType, type }: MediaBlock): string {
  if (mediaType === undefined || mediaType === "") return USUAL[type];
  if (mediaType.includes("/")) return mediaType;
  return type === "file" ? `application/${mediaType}` : `${type}/${mediaType}`;
}

/** A video page has no ending and no type either. */
function linkedTypeOf(block: MediaBlock, link: string): string | undefined {
  if (block.mediaType !== undefined) return mediaTypeOf(block);
  return mediaTypeOfLink(link) ?? (block.type === "video" ? undefined : USUAL[block.type]);
}
