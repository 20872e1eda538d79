import { invalid } from "#core/error.ts";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
import { oneOf, secondsOf } from "../allowed.ts";
import { framingOf } from "../framing.ts";
import { silent } from "../kling/omni.ts";
import type { Kling3Dialect } from "./dialect.ts";

const RATIOS = ["16:9", "9:16", "1:1"];
/** Always sent explicitly: the reserved amount must match the video that the vendor makes. */
export const DEFAULT_SECONDS = 5;
export const DEFAULT_RESOLUTION = "720p";

/** The video options; `extra` has further members of the client's own protocol. */
export function settingsOf(
  question: VideoRequest,
  dialect: Kling3Dialect,
  extra: JsonObject,
  lose: (field: string) => void,
): JsonObject {
  const video = question.media.find(({ type }) => type === "video");
  const audio = soundOf(question, dialect, extra, video);
  const shots = shotsOf(dialect, extra, video);
  if (shots.isLost) lose("multi_shot");
  const { audio: _, multi_shot: __, ...rest } = extra;
  return {
    ...rest,
    ...defined({
      resolution: resolutionOf(question, dialect, audio),
      aspect_ratio: ratioOf(question, dialect, lose),
      duration: lengthOf(question, dialect, video, lose),
      audio,
      multi_shot: shots.value,
    }),
  };
}

function resolutionOf(
  question: VideoRequest,
  { resolutions, soundResolution }: Kling3Dialect,
  audio: Json | undefined,
): string | undefined {
  const resolution = oneOf(framingOf(question).resolution, resolutions, "resolution");
  if (audio !== "native" || soundResolution === undefined) return resolution ?? DEFAULT_RESOLUTION;
  if (resolution === soundResolution) return resolution;
  throw invalid("resolution", `'resolution' must be ${soundResolution} for a video with sound.`);
}

/** A first frame or an input video sets the ratio, which only omni models may change. */
function ratioOf(
  question: VideoRequest,
  { isOmni }: Kling3Dialect,
  lose: (field: string) => void,
): string | undefined {
  const { ratio } = framingOf(question);
  const isFramed = question.media.some(
    ({ type, role }) => type === "video" || role === "first_frame",
  );
  if (isFramed && ratio === "adaptive") return undefined;
  if (isFramed && isOmni !== true) {
    if (ratio !== undefined) lose("ratio");
    return undefined;
  }
  const unsaid = isOmni === true && !isFramed ? RATIOS[0] : undefined;
  return oneOf(ratio ?? unsaid, RATIOS, "ratio");
}

function lengthOf(
  question: VideoRequest,
  { lengths, frameLengths = lengths }: Kling3Dialect,
  video: VideoMedia | undefined,
  lose: (field: string) => void,
): number | undefined {
  const isFrameOnly = question.media.length > 0 && question.scenario === "first_frame";
  const seconds = secondsOf(question, isFrameOnly ? frameLengths : lengths);
  if (video?.role !== "base") return seconds ?? DEFAULT_SECONDS;
  // The video has the length of its source.
  if (seconds !== undefined) lose("duration");
  return undefined;
}

function soundOf(
  { audio }: VideoRequest,
  { sounds }: Kling3Dialect,
  extra: JsonObject,
  video: VideoMedia | undefined,
): Json | undefined {
  const asked = audio === undefined ? textOf(extra["audio"]) : wordOf(audio);
  if (sounds?.length === 0) return undefined;
  if (video !== undefined && asked === "native") throw silent();
  if (video !== undefined && video.role !== "base") {
    if (asked === undefined || asked === "off") return "off";
    throw silent();
  }
  if (asked === "native" && sounds !== undefined && !sounds.includes("native")) return undefined;
  if (asked === undefined && video === undefined && sounds?.includes("native")) return "off";
  return oneOf(asked, sounds, "audio");
}

function wordOf(audio: boolean): string {
  return audio ? "native" : "off";
}

interface Shots {
  readonly value?: Json | undefined;
  readonly isLost?: true;
}

function shotsOf(
  { multiShot }: Kling3Dialect,
  extra: JsonObject,
  video: VideoMedia | undefined,
): Shots {
  const asked = extra["multi_shot"];
  if (video?.role === "base") {
    if (asked === undefined) return {};
    throw invalid("multi_shot", "An edited video keeps its shots.");
  }
  if (video !== undefined) {
    if (asked !== false) return { value: true };
    throw invalid("multi_shot", "'multi_shot' must be on if there is a reference video.");
  }
  if (multiShot !== false) return { value: asked };
  return asked === true ? { isLost: true } : {};
}
