import { invalid } from "#core/error.ts";
import type { TaskFacts, VideoContext, VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { mostOf, oneOf, secondsOf } from "#styles/video/allowed.ts";
import { extrasFor } from "#styles/video/extras.ts";
import { framingOf, turned, type Framing } from "#styles/video/framing.ts";
import { loseAllBut, type VideoOption } from "#styles/video/unsaid.ts";
import { contentOf } from "./content.ts";
import type { ArkVideoDialect } from "./dialect.ts";
import { checkOwn, OWN } from "./vendor-members.ts";

export const ID = "video-ark";

const RATIOS = ["16:9", "9:16", "4:3", "3:4", "1:1", "21:9", "adaptive"];
const MAX_SEED = 4_294_967_295;
const MAX_USER_CHARS = 64;
export const FRAMES_A_SECOND = 24;

/** https://www.volcengine.com/docs/82379/1520757 */
export function build(
  question: VideoRequest,
  { report, dialect: own, callbackUrl }: VideoContext,
): JsonObject {
  const dialect: ArkVideoDialect = { ...own };
  const { members, rest } = extrasFor(question, ID, OWN, true);
  const { model, seed, audio, watermark, lastFrame, cameraFixed, user } = question;
  const isUserShort = user !== undefined && user.length <= MAX_USER_CHARS;
  const mayFix = dialect.fixesCamera === true && !refersToMedia(question);
  loseAllBut(saidOf(question, dialect, { isUserShort, mayFix }), rest, ID, report);
  return {
    ...checkOwn(members, dialect, report),
    model,
    content: contentOf(question, dialect),
    ...framed(question, dialect),
    ...timed(question, dialect),
    ...defined({
      seed: checkSeed(seed),
      generate_audio: dialect.speaks ? audio : undefined,
      watermark,
      camera_fixed: mayFix ? cameraFixed : undefined,
      return_last_frame: lastFrame,
      callback_url: callbackUrl,
      safety_identifier: isUserShort ? user : undefined,
    }),
  };
}

/** The defaults of the models. */
export function expect(question: VideoRequest, own?: VideoContext["dialect"]): Partial<TaskFacts> {
  const dialect: ArkVideoDialect = { ...own };
  const { resolution = dialect.usualResolution } = shapeOf(question);
  const { frames } = question;
  const framed =
    dialect.countsFrames && frames !== undefined ? frames / FRAMES_A_SECOND : undefined;
  return defined({
    seconds: framed ?? secondsWithin(question, dialect) ?? USUAL_SECONDS,
    resolution,
    audio: dialect.speaks ? (question.audio ?? true) : false,
  });
}

/**
 * The maximum length if the model chooses it. For an unknown model, the longest of all models
 * applies.
 */
export function longest(question: VideoRequest, own?: VideoContext["dialect"]): number | undefined {
  const dialect: ArkVideoDialect = { ...own };
  const isOpen = question.seconds === -1 && dialect.choosesLength === true;
  return isOpen ? (mostOf(dialect.lengths) ?? MAX_SECONDS) : undefined;
}

const USUAL_SECONDS = 5;
const MAX_SECONDS = 30;

function saidOf(
  { framesPerSecond }: VideoRequest,
  { speaks }: ArkVideoDialect,
  { isUserShort, mayFix }: { readonly isUserShort: boolean; readonly mayFix: boolean },
): readonly VideoOption[] {
  return [
    "seed",
    "watermark",
    "lastFrame",
    ...(framesPerSecond === FRAMES_A_SECOND ? (["framesPerSecond"] as const) : []),
    ...(speaks ? (["audio"] as const) : []),
    ...(mayFix ? (["cameraFixed"] as const) : []),
    ...(isUserShort ? (["user"] as const) : []),
  ];
}

/** Anything but frames is a reference, which sets the camera movement. */
function refersToMedia({ media }: VideoRequest): boolean {
  return media.some(({ type, role }) => type !== "image" || !role.endsWith("_frame"));
}

/** If the vendor's own clients leave an option out, the vendor may read it from the prompt. */
function isForeign({ entry }: VideoRequest): boolean {
  return entry !== ID;
}

function framed(question: VideoRequest, dialect: ArkVideoDialect): JsonObject {
  const { resolutions, usualResolution } = dialect;
  const { resolution = isForeign(question) ? usualResolution : undefined, ratio } =
    shapeOf(question);
  return defined({
    resolution: supported(resolution, resolutions),
    ratio: oneOf(ratio, RATIOS, "ratio"),
  });
}

/** Refuses with the API's own message. */
function supported(
  resolution: string | undefined,
  resolutions: readonly string[] | undefined,
): string | undefined {
  if (resolution === undefined || resolutions?.includes(resolution) !== false) return resolution;
  const shown = resolution.slice(0, 16);
  const allowed = resolutions.join(", ");
  throw invalid("resolution", `This model does not support ${shown}: it makes ${allowed}.`);
}

/** By resolution and ratio; for portrait, width and height are swapped. */
const SIZES: readonly (readonly [resolution: string, ratio: string, sizes: string])[] = [
  ["480p", "16:9", "864x496 854x480"],
  ["480p", "4:3", "752x560"],
  ["480p", "1:1", "640x640"],
  ["480p", "21:9", "992x432"],
  ["720p", "4:3", "1112x834"],
  ["720p", "1:1", "960x960"],
  ["720p", "21:9", "1470x630"],
  ["1080p", "4:3", "1664x1248"],
  ["1080p", "1:1", "1440x1440"],
  ["1080p", "21:9", "2206x946"],
];

/** For the vendor's own sizes, the documented resolution and ratio; for others, the nearest. */
function shapeOf(question: VideoRequest): Framing {
  const { size = "", resolution, ratio } = question;
  const plain = size.toLowerCase().replace("*", "x");
  for (const [ownResolution, ownRatio, sizes] of SIZES) {
    const isUpright = sizes.split(" ").includes(turned(plain, "x"));
    if (!isUpright && !sizes.split(" ").includes(plain)) continue;
    const isTurned = isUpright && turned(plain, "x") !== plain;
    return {
      resolution: resolution ?? ownResolution,
      ratio: ratio ?? (isTurned ? turned(ownRatio, ":") : ownRatio),
    };
  }
  return framingOf(question);
}

function timed(question: VideoRequest, dialect: ArkVideoDialect): JsonObject {
  const { seconds, frames } = question;
  const duration = secondsWithin(question, dialect);
  if (!dialect.countsFrames || frames === undefined) {
    return defined({ duration: duration ?? (isForeign(question) ? USUAL_SECONDS : undefined) });
  }
  if (frames < 29 || frames > 289 || (frames - 25) % 4 !== 0) {
    throw invalid("frames", "'frames' must be 29 to 289, and 25 more than a multiple of 4.");
  }
  return { ...(seconds === undefined ? {} : defined({ duration })), frames };
}

function secondsWithin(question: VideoRequest, dialect: ArkVideoDialect): number | undefined {
  const { seconds, frames } = question;
  if (seconds === -1 && dialect.choosesLength) return seconds;
  if (seconds === undefined && frames !== undefined && dialect.countsFrames) return undefined;
  const { lengths } = dialect;
  if (seconds !== undefined && lengths !== undefined && "min" in lengths) {
    const { min, max } = lengths;
    if (seconds < min || seconds > max) {
      throw invalid("duration", `'duration' must be between ${min} and ${max}.`);
    }
  }
  return secondsOf(question, lengths);
}

function checkSeed(seed: number | undefined): number | undefined {
  if (seed === undefined || (Number.isInteger(seed) && seed >= -1 && seed <= MAX_SEED)) return seed;
  throw invalid("seed", `'seed' must be a whole number from -1 to ${MAX_SEED}.`);
}
