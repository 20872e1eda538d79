import { invalid } from "#core/error.ts";
import type { MediaOrigin, VideoMedia } from "#core/video.ts";
import { isArray, type Json } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { readGiven } from "#styles/video/read-medium.ts";
import { FIELDS, type FieldName } from "./fields.ts";

/** The client's value of a field, in any position and under any of its names. */
export type Own = (field: FieldName) => Json | undefined;

/** The input media. The role of each image is given, or follows from their number. */
export function readMedia(own: Own, files: readonly VideoMedia[]): readonly VideoMedia[] {
  const of = (field: FieldName): readonly MediaOrigin[] => readAll(own(field), field);
  const [first] = of("firstFrame");
  const [last] = of("endFrame");
  const plain = [
    ...withoutTwins([own("image"), own("images"), own("inputReference")]),
    ...files.filter(({ type }) => type === "image").map(({ source }) => source),
  ];
  const frames = first === undefined && last === undefined ? undefined : { first, last };
  return [
    ...(frames === undefined
      ? withRoles(plain, textOf(own("action")))
      : beside(plain, frames.first, frames.last)),
    ...of("references").map((source) => picture(source, "reference")),
    ...of("video").map((source): VideoMedia => ({ type: "video", role: "base", source })),
    ...of("referenceVideos").map((source): VideoMedia => ({
      type: "video",
      role: "reference",
      source,
    })),
    ...files.filter(({ type }) => type !== "image"),
    ...of("sound").map((source): VideoMedia => ({ type: "audio", role: "voice", source })),
  ];
}

/**
 * Clients send the same image under two names, so that every gateway finds it. The same image twice
 * under one name counts twice.
 */
function withoutTwins(values: readonly (Json | undefined)[]): readonly MediaOrigin[] {
  const counts = new Map<Json, number>();
  return values.flatMap((value) => {
    if (value === undefined) return [];
    const own = new Map<Json, number>();
    const fresh = (isArray(value) ? value : [value]).filter((each) => {
      if (each === "") return false;
      const count = (own.get(each) ?? 0) + 1;
      own.set(each, count);
      return count > (counts.get(each) ?? 0);
    });
    for (const [each, count] of own) counts.set(each, Math.max(count, counts.get(each) ?? 0));
    return fresh.map((each) => read(each, "image"));
  });
}

function readAll(value: Json | undefined, field: FieldName): readonly MediaOrigin[] {
  if (value === undefined) return [];
  const [name = field] = FIELDS[field].names;
  return (isArray(value) ? value : [value]).map((each) => read(each, name));
}

function read(value: Json, param: string): MediaOrigin {
  const found = readGiven(value, param);
  if (found !== undefined) return found;
  throw invalid(param, `'${param}' must be a link, a data URI, or base64.`);
}

function picture(source: MediaOrigin, role: VideoMedia["role"]): VideoMedia {
  return { type: "image", role, source };
}

/** Unless an action says so: one image is the first frame, two are first and last, more are references. */
function withRoles(
  plain: readonly MediaOrigin[],
  action: string | undefined,
): readonly VideoMedia[] {
  const [first, last, ...more] = plain;
  const isLookedAt = action === "reference" || (action === undefined && more.length > 0);
  if (isLookedAt) return plain.map((each) => picture(each, "reference"));
  if (action === "text" && first !== undefined) {
    throw invalid("images", "'images' must be omitted if the action is 'text'.");
  }
  if (action === "first_tail" && last === undefined) {
    throw invalid("images", "'images' must have two images if the action is 'first_tail'.");
  }
  if (more.length > 0 || (action === "generate" && last !== undefined)) {
    throw invalid("images", `'images' has too many images for the action '${action ?? ""}'.`);
  }
  return beside([], first, last);
}

/** If no first frame is named, the first image is it. All further images are references. */
function beside(
  plain: readonly MediaOrigin[],
  first: MediaOrigin | undefined,
  last: MediaOrigin | undefined,
): readonly VideoMedia[] {
  const [begin, ...rest] = first === undefined ? plain : [first, ...plain];
  return [
    ...(begin === undefined ? [] : [picture(begin, "first_frame")]),
    ...(last === undefined ? [] : [picture(last, "last_frame")]),
    ...rest.map((each) => picture(each, "reference")),
  ];
}
