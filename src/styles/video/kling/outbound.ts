import type { HeldPicture } from "#core/image.ts";
import { invalid } from "#core/error.ts";
import type {
  MadeVideo,
  OutboundVideoFormat,
  TaskFacts,
  TaskUpdate,
  VideoContext,
  VideoMedia,
  VideoRequest,
} from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { checkPrompt, mostOf, oneOf, secondsOf } from "../allowed.ts";
import { framingOf } from "../framing.ts";
import { givenIn, linkOrBase64, refuseMedia } from "../given.ts";
import {
  addressIn,
  failureOf,
  heldAmong,
  idOf,
  linkIn,
  secondsIn,
  takenOn,
} from "../task-fields.ts";
import { asGatewayError } from "#styles/upstream-error.ts";
import { carriedBy, loseAllBut, type VideoOption, reportRatio } from "../unsaid.ts";
import { checkCamera } from "./camera.ts";
import type { KlingDialect } from "./dialect.ts";
import { errorIn, parseError } from "./failure.ts";
import { omniMedia } from "./omni.ts";

export const ID = "video-kling";

const MAX_PROMPT_CHARS = 2_500;
/** Always sent explicitly: the reserved amount must match the video that the vendor makes. */
const DEFAULT_SECONDS = 5;
const DEFAULT_MODE = "std";
const RATIOS = ["16:9", "9:16", "1:1"];
const MODES = ["std", "pro"];
/** Each mode has one resolution. */
const MODE_OF: ReadonlyMap<string, string> = new Map([
  ["720p", "std"],
  ["1080p", "pro"],
]);

export const outbound: OutboundVideoFormat["outbound"] = {
  build,
  expect,
  longest,
  parseSubmitted,
  parseTask,
  parseContent,
  parseError,
  parseFound,
};

function build(question: VideoRequest, context: VideoContext): JsonObject {
  const { report, externalId, callbackUrl } = context;
  const model: KlingDialect = { ...context.dialect };
  const { prompt, negativePrompt, guidance, camera, watermark, audio } = question;
  const isShown = question.media.length > 0;
  checkPrompt(prompt, { max: MAX_PROMPT_CHARS, isRequired: !isShown });
  checkPrompt(negativePrompt, { max: MAX_PROMPT_CHARS, isRequired: false });
  loseAllBut(saidBy(model), question, ID, report);

  const { resolution, ratio } = framingOf(question);
  const mode = modeOf(question.mode, resolution) ?? DEFAULT_MODE;
  const framed = !isShown || model.isOmni === true;
  if (!framed) reportRatio(ratio, report);
  const moves = model.camera === false ? undefined : camera;
  if (moves !== undefined) checkCamera(moves);
  const rest = carriedBy(question, ID);
  return {
    ...rest,
    model_name: question.model,
    ...defined({
      prompt,
      negative_prompt: model.negativePrompt === false ? undefined : negativePrompt,
      cfg_scale: model.guidance === false ? undefined : guidance,
      mode,
      camera_control: moves,
      aspect_ratio: framed ? ratioFor(ratio, isShown) : undefined,
      duration: lengthOf(question, model)?.toString(),
      sound: soundOf(audio, mode, model),
      watermark_info: watermark === undefined ? undefined : { enabled: watermark },
      callback_url: callbackUrl,
    }),
    external_task_id: externalId,
    ...(model.isOmni === true ? omniMedia(question, rest) : frames(question, rest)),
  };
}

/** The default is the cheaper mode, without audio. */
function expect(question: VideoRequest, own?: VideoContext["dialect"]): Partial<TaskFacts> {
  const model: KlingDialect = { ...own };
  const isBetter = modeOf(question.mode, framingOf(question).resolution) === "pro";
  return {
    resolution: isBetter ? "1080p" : "720p",
    seconds: secondsOf(question, model.lengths) ?? DEFAULT_SECONDS,
    audio: model.sound !== false && question.audio === true,
  };
}

/** An edited video may have the model's maximum length. */
function longest({ media }: VideoRequest, own?: VideoContext["dialect"]): number | undefined {
  const { lengths }: KlingDialect = { ...own };
  return media.some(isBase) ? mostOf(lengths) : undefined;
}

function lengthOf(question: VideoRequest, { lengths }: KlingDialect): number | undefined {
  const unsaid = question.media.some(isBase) ? undefined : DEFAULT_SECONDS;
  return secondsOf(question, lengths) ?? unsaid;
}

/** The video has the length of its source. */
function isBase({ role }: VideoMedia): boolean {
  return role === "base";
}

function saidBy(model: KlingDialect): readonly VideoOption[] {
  const wishes: readonly (readonly [VideoOption, boolean | undefined])[] = [
    ["watermark", true],
    ["mode", true],
    ["negativePrompt", model.negativePrompt],
    ["guidance", model.guidance],
    ["camera", model.camera],
    ["audio", model.sound],
  ];
  return wishes.flatMap(([options, able]) => (able === false ? [] : [options]));
}

function modeOf(mode: string | undefined, resolution: string | undefined): string | undefined {
  const asked = oneOf(mode, MODES, "mode");
  if (resolution === undefined) return asked;
  oneOf(resolution, [...MODE_OF.keys()], "resolution");
  const bySize = MODE_OF.get(resolution);
  if (asked === undefined || asked === bySize) return bySize;
  throw invalid("mode", `'mode' must be ${bySize} where 'resolution' is ${resolution}.`);
}

function ratioFor(ratio: string | undefined, isShown: boolean): string | undefined {
  return isShown && ratio === "adaptive" ? undefined : oneOf(ratio, RATIOS, "ratio");
}

function soundOf(
  audio: boolean | undefined,
  mode: string | undefined,
  { sound, soundNeedsPro }: KlingDialect,
): string | undefined {
  if (sound === false) return undefined;
  if (audio === undefined) return sound === true ? "off" : undefined;
  if (audio && soundNeedsPro === true && mode !== "pro") {
    throw invalid("mode", "'mode' must be pro for a video with sound.");
  }
  return audio ? "on" : "off";
}

function frames(question: VideoRequest, rest: JsonObject): JsonObject {
  const { first, last, pictures, videos, sounds } = givenIn(question);
  refuseMedia([...videos, ...sounds, ...pictures]);
  if (first === undefined) return {};
  const masks = ["static_mask", "dynamic_masks"].some((name) => rest[name] !== undefined);
  const movers = [last !== undefined, masks, question.camera !== undefined];
  if (movers.filter(Boolean).length > 1) {
    throw invalid("image", "Send only one of a last frame, masks and 'camera_control'.");
  }
  return { image: linkOrBase64(first), ...(last && { image_tail: linkOrBase64(last) }) };
}

function parseSubmitted(body: JsonObject): string {
  return takenOn(dataIn(body)["task_id"]);
}

/** Throws for an error response. */
function dataIn(body: JsonObject): JsonObject {
  const error = errorIn(body, 200);
  if (error !== undefined) throw asGatewayError(error);
  return objectOf(body["data"]) ?? {};
}

function parseTask(body: JsonObject): TaskUpdate {
  const task = dataIn(body);
  switch (task["task_status"]) {
    case "submitted":
      return { state: "queued" };
    // The other style's value, which some resellers use here.
    case "succeed":
    case "succeeded":
      return succeeded(listOf(objectOf(task["task_result"])?.["videos"]).flatMap(videoIn));
    case "failed":
      return { state: "failed", failure: failureOf("task_failed", task["task_status_msg"]) };
    default:
      return { state: "running" };
  }
}

/** A video that is made from another has that one's length, independent of the requested one. */
export function succeeded(videos: readonly MadeVideo[]): TaskUpdate {
  const seconds = Math.round(videos[0]?.seconds ?? 0);
  return { state: "succeeded", videos, ...(seconds > 0 ? { facts: { seconds } } : {}) };
}

/** Both styles describe results with the same members. */
export function videoIn(made: Json): readonly MadeVideo[] {
  const url = addressIn(memberOf(made, "url"));
  if (url === undefined) return [];
  return [
    {
      url,
      ...defined({
        id: idOf(memberOf(made, "id")),
        watermarkedUrl: linkIn(memberOf(made, "watermark_url")),
        seconds: secondsIn(memberOf(made, "duration")),
      }),
    },
  ];
}

/** A task can be queried by either id, at the same path. */
function parseFound(body: JsonObject, externalId: string): string | undefined {
  const task = dataIn(body);
  const theirs = textOf(memberOf(task["task_info"], "external_task_id"));
  return theirs === undefined || theirs === externalId ? idOf(task["task_id"]) : undefined;
}

function parseContent(body: JsonObject, index: number): HeldPicture | undefined {
  const made = listOf(memberOf(dataIn(body)["task_result"], "videos"));
  return heldAmong(
    made.map((each) => memberOf(each, "url")),
    index,
  );
}
