import { invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import { refuse } from "#core/lossy.ts";
import type { Address } from "#core/style.ts";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { either, flag, integer, list, object, text, type ObjectRule } from "#lib/rules.ts";
import {
  defined,
  flagOf,
  integerOf,
  listOf,
  memberOf,
  objectOf,
  restOf,
  textOf,
} from "#lib/values.ts";
import { readGiven } from "#styles/video/read-medium.ts";
import { readSeconds } from "#styles/video/read-seconds.ts";
import { scenarioOf } from "#styles/video/scenario.ts";
import { ID } from "./build.ts";

const MAX_SEED = 4_294_967_295;
const WORD = text({ maxLength: 64 });
const MEDIUM = object({}, "`bytesBase64Encoded` and `mimeType`.");
const INSTANCE = object({
  prompt: text(),
  image: MEDIUM,
  lastFrame: MEDIUM,
  referenceImages: list(object({ "image!": MEDIUM, referenceType: WORD }), 16),
  video: MEDIUM,
});
const PARAMETERS = object({
  aspectRatio: WORD,
  resolution: WORD,
  durationSeconds: either(integer(1, 3_600), text({ maxLength: 8 })),
  negativePrompt: text(),
  personGeneration: WORD,
  sampleCount: integer(1, 16),
  numberOfVideos: integer(1, 16),
  seed: integer(0, MAX_SEED),
  generateAudio: flag(),
  enhancePrompt: flag(),
  fps: integer(1, 240),
  addWatermark: flag(),
});

export const REQUEST: ObjectRule = object({
  "instances!": list(INSTANCE, 1, 1),
  parameters: PARAMETERS,
});

const known = (rule: ObjectRule): ReadonlySet<string> => new Set(rule.members.keys());
const KNOWN = {
  body: known(REQUEST),
  instance: known(INSTANCE),
  parameters: known(PARAMETERS),
} as const;

/** One instance, and its parameters. The model is in the path. */
export function readPrediction(body: JsonObject, { model = "" }: Address): VideoRequest {
  validate(body, REQUEST);
  const instance = objectOf(listOf(body["instances"])[0]) ?? {};
  const parameters = objectOf(body["parameters"]) ?? {};
  if (instance["mask"] !== undefined && instance["mask"] !== null) {
    throw refuse("mask", "masks of videos are not supported.");
  }
  const media = mediaIn(instance);
  const extra = {
    ...restOf(body, KNOWN.body),
    ...restOf(instance, KNOWN.instance),
    ...restOf(parameters, KNOWN.parameters),
  };
  return {
    model,
    scenario: scenarioOf(media),
    media,
    ...defined({
      prompt: textOf(instance["prompt"]),
      negativePrompt: textOf(parameters["negativePrompt"]),
      seconds: readSeconds(parameters["durationSeconds"], "parameters.durationSeconds"),
      resolution: textOf(parameters["resolution"])?.toLowerCase(),
      ratio: textOf(parameters["aspectRatio"]),
      framesPerSecond: integerOf(parameters["fps"]),
      count: integerOf(parameters["sampleCount"]) ?? integerOf(parameters["numberOfVideos"]),
      seed: integerOf(parameters["seed"]),
      audio: flagOf(parameters["generateAudio"]),
      watermark: flagOf(parameters["addWatermark"]),
      rewrite: flagOf(parameters["enhancePrompt"]),
      people: textOf(parameters["personGeneration"]),
      extra: Object.keys(extra).length === 0 ? undefined : { [ID]: extra },
    }),
  };
}

function mediaIn(instance: JsonObject): readonly VideoMedia[] {
  const { image, lastFrame, video } = instance;
  return [
    ...readOne(image, "image", "first_frame"),
    ...readOne(lastFrame, "lastFrame", "last_frame"),
    ...listOf(instance["referenceImages"]).flatMap((each) => {
      refuseStyle(each);
      return readOne(memberOf(each, "image"), "referenceImages", "reference");
    }),
    ...readOne(video, "video", "base"),
  ];
}

/** Reference images are used for content; few models support style references. */
function refuseStyle(reference: Json): void {
  const type = textOf(memberOf(reference, "referenceType")) ?? "asset";
  if (type.toLowerCase() === "asset") return;
  throw refuse("referenceImages.referenceType", "only assets are supported.");
}

function readOne(
  value: Json | undefined,
  name: string,
  role: VideoMedia["role"],
): readonly VideoMedia[] {
  if (value === undefined || value === null) return [];
  const param = `instances[0].${name}`;
  const source = readGiven(value, param);
  if (source !== undefined) return [{ type: name === "video" ? "video" : "image", role, source }];
  throw invalid(param, `'${param}' must have 'bytesBase64Encoded' and 'mimeType'.`);
}
