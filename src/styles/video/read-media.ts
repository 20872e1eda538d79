import { invalid } from "#core/error.ts";
import type { MediaOrigin, VideoMedia, VideoScenario } from "#core/video.ts";
import { readPicture } from "#styles/image/picture-in.ts";

/** A medium as callers write it: a link or a data URI, and of pictures bare base64, too. */
export function readMedium(text: string, type: VideoMedia["type"], param: string): MediaOrigin {
  if (text.trim() === "") throw invalid(param, `'${param}' must not be empty.`);
  const medium = readPicture(text, param);
  if (type === "image" || medium.kind === "url" || /^data:/i.test(text.slice(0, 5))) return medium;
  throw invalid(param, `'${param}' must be a link.`);
}

/** What media make of a request where nothing else says it. `shown`: what references make of it. */
export function scenarioOf(
  media: readonly VideoMedia[],
  shown: "reference" | "omni",
): VideoScenario {
  const roles = new Set(media.map(({ role }) => role));
  if (roles.size === 0) return "text";
  if (["reference", "base", "voice"].some((role) => roles.has(role as VideoMedia["role"]))) {
    return shown;
  }
  return roles.has("last_frame") ? "first_last" : "first_frame";
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
