import { invalid } from "#core/error.ts";
import type { MediaOrigin, VideoMedia } from "#core/video.ts";
import { readMedium } from "./read-medium.ts";

/**
 * A medium of a known kind. Bare base64 is accepted for images only, because other kinds need a
 * media type.
 */
export function readMedia(text: string, type: VideoMedia["type"], param: string): MediaOrigin {
  const medium = readMedium(text, param);
  if (type === "image" || medium.kind !== "base64" || medium.mediaType !== "") return medium;
  throw invalid(param, `'${param}' must be a link.`);
}

/** Roles by the number of images: a first frame, first and last frame, or references. */
export function byCount(pictures: readonly MediaOrigin[]): readonly VideoMedia[] {
  const isFramed = pictures.length <= 2;
  return pictures.map((source, index) => ({
    type: "image",
    role: !isFramed ? "reference" : index === 0 ? "first_frame" : "last_frame",
    source,
  }));
}
