import { invalid } from "#core/error.ts";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf } from "#lib/values.ts";
import { givenIn, linkOrBase64, onlyLink, refuseMedia } from "../given.ts";

/** Maximum number of other inputs; fewer with a video. */
const MAX_IMAGES = 7;
const MOST_WITH_VIDEO = 4;

/** Images, frames included, and a video, which the prompt refers to by number. */
export function omniMedia(question: VideoRequest, extra: JsonObject): JsonObject {
  const { first, last, pictures, videos, sounds } = givenIn(question);
  refuseMedia(sounds);
  const images = [first, last, ...pictures].filter((each) => each !== undefined);
  checkInputs(videos.length, images.length + listOf(extra["element_list"]).length);
  if (videos.length > 0 && question.audio === true) throw silent();
  return {
    ...(question.prompt === undefined
      ? {}
      : { prompt: withNumbers(question.prompt, images, videos) }),
    ...(images.length === 0 ? {} : { image_list: images.map(image) }),
    ...(videos.length === 0
      ? {}
      : { video_list: videos.map((each, at) => video(each, listOf(extra["video_list"])[at])) }),
  };
}

/** The limits of both styles. */
export function checkInputs(videos: number, others: number): void {
  if (videos > 1) throw invalid("video", "At most one reference video is supported.");
  const most = videos === 0 ? MAX_IMAGES : MOST_WITH_VIDEO;
  if (others <= most) return;
  const why = videos === 0 ? "" : " with a reference video";
  throw invalid("image", `At most ${most} other inputs are supported${why}.`);
}

export function silent(): Error {
  return invalid("audio", "'audio' must be off if there is a reference video.");
}

const TYPES: ReadonlyMap<VideoMedia["role"], string> = new Map([
  ["first_frame", "first_frame"],
  ["last_frame", "end_frame"],
]);

function image(medium: VideoMedia): JsonObject {
  const type = TYPES.get(medium.role);
  return { image_url: linkOrBase64(medium), ...(type === undefined ? {} : { type }) };
}

function video(medium: VideoMedia, more: Json | undefined): JsonObject {
  return {
    video_url: onlyLink(medium),
    refer_type: medium.role === "base" ? "base" : "feature",
    ...defined({ keep_original_sound: memberOf(more, "keep_original_sound") }),
  };
}

/** Replaces the names of media in the prompt, which the other style uses, by their numbers. */
function withNumbers(
  prompt: string,
  images: readonly VideoMedia[],
  videos: readonly VideoMedia[],
): string {
  const numbers = new Map<string, string>();
  for (const [kind, media] of Object.entries({ image: images, video: videos })) {
    for (const [index, { tag }] of media.entries()) {
      if (tag !== undefined) numbers.set(tag, `<<<${kind}_${index + 1}>>>`);
    }
  }
  return prompt.replaceAll(/@([\w-]{1,64})/g, (word, tag: string) => numbers.get(tag) ?? word);
}
