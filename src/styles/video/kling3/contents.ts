import { invalid } from "#core/error.ts";
import { refuse } from "#core/lossy.ts";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import { givenIn, linkOrBase64, onlyLink, refuseMedia, type Given } from "../given.ts";
import { checkInputs } from "../kling/omni.ts";
import type { Kling3Dialect } from "./dialect.ts";

const MOST_ELEMENTS_WITH_FRAMES = 3;

/** The text, the media, and elements that only the client's own protocol has. */
export function contentsOf(
  question: VideoRequest,
  dialect: Kling3Dialect,
  others: readonly Json[],
): readonly Json[] {
  const given = givenIn(question);
  checkGiven(given, dialect, others);
  const { first, last, pictures, videos, sounds } = given;
  return [
    ...(question.prompt === undefined ? [] : [{ type: "prompt", text: question.prompt }]),
    ...[first, last, ...pictures, ...videos]
      .filter((each) => each !== undefined)
      .map((each) => element(each)),
    ...sounds.map(voice),
    ...others,
  ];
}

function checkGiven(
  { first, last, pictures, videos, sounds }: Given,
  { isOmni, lastFrame, mixes }: Kling3Dialect,
  others: readonly Json[],
): void {
  refuseMedia(sounds.filter(({ source }) => source.kind !== "reference"));
  if (isOmni === false) refuseMedia([...videos, ...pictures]);
  if (last !== undefined && lastFrame === false) {
    throw invalid("image", "This model accepts only a first frame.");
  }
  const frames = [first, last].filter((each) => each !== undefined);
  if (mixes === false && frames.length > 0 && pictures.length > 0) {
    throw invalid("image", "Frames and references cannot be combined.");
  }
  const elements = others.filter((each) => memberOf(each, "type") === "element").length;
  if (frames.length > 0 && elements > MOST_ELEMENTS_WITH_FRAMES) {
    const most = MOST_ELEMENTS_WITH_FRAMES;
    throw invalid("contents", `At most ${most} elements can be combined with frames.`);
  }
  checkInputs(videos.length, frames.length + pictures.length + elements);
  const [video] = videos;
  if (video === undefined) return;
  if (video.role === "base" && frames.length > 0) {
    throw invalid("image", "Frames cannot be combined with a video to edit.");
  }
  if (last !== undefined) {
    throw invalid("image", "A last frame cannot be combined with a reference video.");
  }
}

function element(medium: VideoMedia): JsonObject {
  const { tag } = medium;
  const url = medium.type === "video" ? onlyLink(medium) : linkOrBase64(medium);
  const type = typeOf(medium);
  const isNamed = tag !== undefined && !type.endsWith("_frame");
  return { type, url, ...(isNamed ? { id: tag } : {}) };
}

function typeOf({ type, role }: VideoMedia): string {
  if (type === "video") return role === "base" ? "base_video" : "feature_video";
  return role === "first_frame" || role === "last_frame" ? role : "refer_image";
}

/** A voice that the vendor stores. */
function voice({ source, tag }: VideoMedia): JsonObject {
  if (source.kind !== "reference") throw refuse("audio", "this model accepts only voice ids.");
  return { type: "voice", voice_id: source.id, ...(tag === undefined ? {} : { id: tag }) };
}

/** Elements of the client's list that the common request has no field for. */
export function othersIn(extra: JsonObject): readonly Json[] {
  return listOf(extra["contents"]);
}
