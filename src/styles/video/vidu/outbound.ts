import type { HeldPicture } from "#core/image.ts";
import { invalid } from "#core/error.ts";
import type {
  MadeVideo,
  TaskFacts,
  TaskUpdate,
  VideoContext,
  VideoRequest,
  VideoScenario,
} from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { checkPrompt, oneOf, secondsOf } from "../allowed.ts";
import { framingOf } from "../framing.ts";
import { givenIn, linkOrData, refuseMedia, type Given } from "../given.ts";
import { addressIn, heldAmong, idOf, linkIn, secondsIn, takenOn } from "../task-fields.ts";
import { asGatewayError } from "#styles/upstream-error.ts";
import { carriedBy, loseAllBut, type VideoOption, reportRatio } from "../unsaid.ts";
import { statusWords, updateBy } from "../task-status.ts";
import type { ViduDialect } from "./dialect.ts";
import { errorIn, failureBy } from "./failure.ts";

export const ID = "video-vidu";

const MAX_PROMPT_CHARS = 5_000;
const MAX_REFERENCES = 7;
const MOVEMENTS = ["auto", "small", "medium", "large"];
const STYLES = ["general", "anime"];

export function build(question: VideoRequest, context: VideoContext): JsonObject {
  const { report, externalId, callbackUrl } = context;
  const dialect = { ...context.dialect } as ViduDialect;
  const { model, scenario, prompt, seed, audio, music, movement, watermark } = question;
  if (dialect.scenarios?.includes(scenario) === false) throw notMade(scenario);
  const images = imagesIn(question, dialect);
  const sounds = soundsIn(question, dialect);
  const isDrawnFrom = scenario !== "first_frame" && scenario !== "first_last";
  checkPrompt(prompt, { max: MAX_PROMPT_CHARS, isRequired: isDrawnFrom });

  const tells = (able: boolean | undefined, options: VideoOption): readonly VideoOption[] =>
    able === false ? [] : [options];
  loseAllBut(
    [
      "seed",
      "watermark",
      ...tells(dialect.audio, "audio"),
      ...tells(dialect.music, "music"),
      ...tells(dialect.movement, "movement"),
    ],
    question,
    ID,
    report,
  );
  const { ratio } = framingOf(question);
  const made = madeBy(question, dialect);
  // A frame sets the ratio.
  if (!isDrawnFrom) reportRatio(ratio, report);
  return {
    ...more(question, dialect, (name) => report.lose(name)),
    model,
    ...defined({
      prompt,
      images: images.length === 0 ? undefined : images,
      sounds: sounds.length === 0 ? undefined : sounds,
      duration: made.seconds,
      seed,
      aspect_ratio: isDrawnFrom ? oneOf(ratio, dialect.ratios, "ratio") : undefined,
      resolution: written(oneOf(made.resolution, dialect.resolutions, "resolution")),
      movement_amplitude:
        dialect.movement === false ? undefined : oneOf(movement, MOVEMENTS, "movement_amplitude"),
      bgm: dialect.music === false ? undefined : music,
      audio: dialect.audio === false ? undefined : (audio ?? dialect.audio),
      watermark,
      callback_url: callbackUrl,
    }),
    // The client's payload is not sent: the vendor's task list gets the gateway's id instead.
    payload: externalId,
  };
}

/** `2K`, but `1080p`. */
function written(resolution: string | undefined): string | undefined {
  return resolution?.endsWith("k") === true ? resolution.toUpperCase() : resolution;
}

function notMade(scenario: VideoScenario): Error {
  if (scenario === "text") return invalid("image", "This model requires an image.");
  return invalid("image", "This model accepts a first frame or references, but no last frame.");
}

function soundsIn(question: VideoRequest, { maxSounds = 0 }: ViduDialect): readonly string[] {
  const { sounds } = givenIn(question);
  if (maxSounds === 0) refuseMedia(sounds);
  if (sounds.length > maxSounds) {
    throw invalid("audio", `At most ${maxSounds} audio references are supported.`);
  }
  return sounds.map(linkOrData);
}

/** The model's defaults, and its limits. */
export function expect(question: VideoRequest, own?: VideoContext["dialect"]): Partial<TaskFacts> {
  const dialect: ViduDialect = { ...own };
  const { audio = dialect.audio === true, music } = question;
  return {
    audio: dialect.audio !== false && audio,
    ...(dialect.music === false && music === true ? { music: false } : {}),
    ...madeBy(question, dialect),
  };
}

/**
 * Length and size, always sent explicitly: the reserved amount must match the video that the vendor
 * makes.
 */
function madeBy(
  question: VideoRequest,
  dialect: ViduDialect,
): Pick<TaskFacts, "seconds" | "resolution"> {
  const seconds = secondsOf(question, dialect.lengths) ?? dialect.seconds;
  const byLength = seconds === undefined ? undefined : dialect.resolutionBySeconds?.[seconds];
  const { resolution = dialect.resolution ?? byLength } = framingOf(question);
  return defined({ seconds, resolution });
}

function imagesIn(question: VideoRequest, dialect: ViduDialect): readonly string[] {
  const given = givenIn(question);
  const { first, last, pictures, videos } = given;
  refuseMedia(videos);
  switch (question.scenario) {
    case "reference":
    case "omni":
      return references(given, dialect);
    case "first_last":
      if (first === undefined || last === undefined || pictures.length > 0) throw notTwo();
      return [linkOrData(first), linkOrData(last)];
    case "first_frame":
      if (first === undefined || last !== undefined || pictures.length > 0) throw notOne();
      return [linkOrData(first)];
    default:
      refuseMedia(question.media);
      return [];
  }
}

function references({ first, pictures }: Given, dialect: ViduDialect): readonly string[] {
  if (dialect.references === false) {
    throw invalid("image", "This model does not accept references.");
  }
  if (first !== undefined) {
    throw invalid("image", "Frames and references cannot be combined.");
  }
  const { maxReferences = MAX_REFERENCES } = dialect;
  if (pictures.length === 0 || pictures.length > maxReferences) {
    throw invalid("image", `Send 1 to ${maxReferences} references.`);
  }
  return pictures.map(linkOrData);
}

function notTwo(): Error {
  return invalid("image", "Send a first and a last frame, and no other media.");
}

function notOne(): Error {
  return invalid("image", "Send a first frame, and no other media.");
}

/** Further members of the client's own protocol. */
function more(
  question: VideoRequest,
  dialect: ViduDialect,
  lose: (name: string) => void,
): JsonObject {
  const { style, payload: _, ...rest } = carriedBy(question, ID);
  if (style === undefined) return rest;
  if (dialect.style !== false && question.scenario === "text") {
    return { ...rest, style: oneOf(textOf(style) ?? "", STYLES, "style") };
  }
  lose("style");
  return rest;
}

export function parseSubmitted(body: JsonObject): string {
  const error = errorIn(body, 200);
  if (error !== undefined) throw asGatewayError(error);
  return takenOn(body["task_id"] ?? body["id"]);
}

const STATUS = statusWords({
  queued: "created queueing scheduled",
  succeeded: "success",
  failed: "failed",
  cancelled: "cancelled canceled",
});

export function parseTask(body: JsonObject): TaskUpdate {
  const error = errorIn(body, 200);
  if (error !== undefined) throw asGatewayError(error);
  const status = STATUS.get(textOf(body["state"]) ?? "");
  return updateBy(status, {
    made: () => ({ state: "succeeded", videos: listOf(body["creations"]).flatMap(videoIn) }),
    failure: () => failureBy(textOf(body["err_code"]) || "task_failed"),
    // The vendor's progress of a queued task is not used.
    progress: status === undefined ? progressIn(body) : undefined,
  });
}

function progressIn(body: JsonObject): number | undefined {
  const progress = numberOf(body["progress"]);
  return progress !== undefined && progress >= 0 && progress <= 100 ? progress : undefined;
}

export function parseContent(body: JsonObject, index: number): HeldPicture | undefined {
  const addresses = listOf(body["creations"]).map((each) => memberOf(each, "url"));
  return heldAmong(addresses, index);
}

function videoIn(creation: Json): readonly MadeVideo[] {
  const made = objectOf(creation) ?? {};
  const url = addressIn(made["url"]);
  if (url === undefined) return [];
  const video = objectOf(made["video"]);
  const size = video?.["resolution"];
  return [
    {
      url,
      ...defined({
        id: idOf(made["id"]),
        coverUrl: linkIn(made["cover_url"]),
        watermarkedUrl: linkIn(made["watermarked_url"]),
        seconds: secondsIn(video?.["duration"]),
        width: numberOf(memberOf(size, "width")),
        height: numberOf(memberOf(size, "height")),
      }),
    },
  ];
}
