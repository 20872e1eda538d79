import { invalid } from "#core/error.ts";
import type { MediaOrigin, VideoMedia } from "#core/video.ts";
import { readMedium } from "./read-medium.ts";

/** A medium whose kind is known: bare base64 only makes a picture, since nothing else tells what it is. */
export function readMedia(text: string, type: VideoMedia["type"], param: string): MediaOrigin {
  const medium = readMedium(text, param);
  if (type === "image" || medium.kind !== "base64" || medium.mediaType !== "") return medium;
  throw invalid(param, `'${param}' must be a link.`);
}

/** Pictures by how many there are: a first frame, a first and a last one, or references. */
export function byCount(pictures: readonly MediaOrigin[]): readonly VideoMedia[] {
  const isFramed = pictures.length <= 2;
  return pictures.map((source, index) => ({
    type: "image",
    role: !isFramed ? "reference" : index === 0 ? "first_frame" : "last_frame",
    source,
  }));
}
