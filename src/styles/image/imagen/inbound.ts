import { invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type {
  Base64,
  HeldPicture,
  ImageRequest,
  Images,
  InboundImageFormat,
  Picture,
} from "#core/image.ts";
import { refuse } from "#core/lossy.ts";
import type { Address } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { flag, integer, list, number, object, text, type ObjectRule } from "#lib/rules.ts";
import {
  defined,
  flagOf,
  integerOf,
  listOf,
  longTextOf,
  memberOf,
  numberOf,
  objectOf,
  restOf,
  textOf,
} from "#lib/values.ts";
import { openEncoder } from "#styles/image/openai/stream-out.ts";
import { buildError } from "#styles/text/gemini/error.ts";
import { camelized } from "#styles/text/gemini/request/names.ts";

const WORD = text({ maxLength: 64 });
const PICTURE = object({}, "`bytesBase64Encoded` and `mimeType`.");
const INSTANCE = object({
  prompt: text(),
  image: PICTURE,
  referenceImages: list(object({ referenceImage: PICTURE, referenceType: WORD }), 16),
});
const PARAMETERS = object({
  sampleCount: integer(1, 16),
  aspectRatio: WORD,
  sampleImageSize: WORD,
  imageSize: WORD,
  negativePrompt: text(),
  seed: integer(0, 4_294_967_295),
  addWatermark: flag(),
  enhancePrompt: flag(),
  guidanceScale: number(0, 1_000),
  personGeneration: WORD,
  outputOptions: object({ mimeType: WORD, compressionQuality: integer(0, 100) }),
});

export const REQUEST: ObjectRule = object({
  "instances!": list(INSTANCE, 1, 1),
  parameters: PARAMETERS,
});

const known = (rule: ObjectRule): ReadonlySet<string> => new Set(rule.members.keys());
const KNOWN = {
  body: known(REQUEST),
  instance: known(INSTANCE),
  // Reasons are always included.
  parameters: new Set([...PARAMETERS.members.keys(), "includeRaiReason"]),
};

/** Images by predictions, as clients of the native style request them. */
export const predictions: InboundImageFormat = {
  id: "imagen",
  inbound: { knowsLong: true, read, write, openEncoder, buildError },
};

/** One instance. The model is in the path. */
function read(sent: JsonObject, { model = "" }: Address): ImageRequest {
  const body = camelized(sent);
  validate(body, REQUEST);
  const instance = objectOf(listOf(body["instances"])[0]) ?? {};
  const parameters = objectOf(body["parameters"]) ?? {};
  const { pictures, mask } = shownIn(instance);
  const prompt = textOf(instance["prompt"]) ?? "";
  if (prompt === "" && pictures.length === 0) {
    throw invalid("instances[0].prompt", "'instances[0].prompt' is required.");
  }
  const options = parameters["outputOptions"];
  const extra = {
    ...restOf(body, KNOWN.body),
    ...restOf(instance, KNOWN.instance),
    ...restOf(parameters, KNOWN.parameters),
  };
  return {
    model,
    task: pictures.length === 0 ? "generate" : "edit",
    turns: [{ role: "user", parts: [...pictures, ...(prompt === "" ? [] : [prompt])] }],
    stream: false,
    delivery: "base64",
    ...defined({
      mask,
      count: integerOf(parameters["sampleCount"]),
      aspectRatio: textOf(parameters["aspectRatio"]),
      resolution: textOf(parameters["sampleImageSize"]) ?? textOf(parameters["imageSize"]),
      negativePrompt: textOf(parameters["negativePrompt"]),
      seed: integerOf(parameters["seed"]),
      watermark: flagOf(parameters["addWatermark"]),
      rewrite: flagOf(parameters["enhancePrompt"]),
      guidance: numberOf(parameters["guidanceScale"]),
      people: textOf(parameters["personGeneration"])?.toLowerCase(),
      format: textOf(memberOf(options, "mimeType"))?.replace("image/", ""),
      compression: integerOf(memberOf(options, "compressionQuality")),
      extra: Object.keys(extra).length === 0 ? undefined : extra,
    }),
  };
}

/** Input images, and the mask of the first one. */
function shownIn(instance: JsonObject): {
  readonly pictures: readonly Picture[];
  readonly mask: Picture | undefined;
} {
  const pictures: Picture[] = [];
  let mask: Picture | undefined;
  const given = (value: Json | undefined, name: string): Picture => {
    const param = `instances[0].${name}`;
    const picture = pictureIn(value);
    if (picture !== undefined) return picture;
    throw invalid(param, `'${param}' must have 'bytesBase64Encoded' and 'mimeType'.`);
  };
  if (isObject(instance["image"])) pictures.push(given(instance["image"], "image"));
  for (const reference of listOf(instance["referenceImages"])) {
    const type = textOf(memberOf(reference, "referenceType")) ?? "REFERENCE_TYPE_RAW";
    const picture = given(memberOf(reference, "referenceImage"), "referenceImages");
    if (type === "REFERENCE_TYPE_RAW") pictures.push(picture);
    else if (type === "REFERENCE_TYPE_MASK") mask = picture;
    else throw refuse("referenceImages.referenceType", "only raw images and masks are supported.");
  }
  return { pictures, mask };
}

function pictureIn(value: Json | undefined): Picture | undefined {
  const base64 = longTextOf(memberOf(value, "bytesBase64Encoded"));
  const mediaType = textOf(memberOf(value, "mimeType")) ?? "";
  if (base64 !== undefined) return held(base64, mediaType);
  const id = textOf(memberOf(value, "gcsUri"));
  return id === undefined ? undefined : { kind: "reference", id };
}

function held(base64: Base64, mediaType: string): HeldPicture {
  return { kind: "base64", base64, mediaType };
}

/**
 * A filtered image is replaced by its reason. An image that could not be downloaded is returned as
 * a link.
 */
function write({ pictures, failures = [] }: Images): JsonObject {
  return {
    predictions: [
      ...pictures.map(({ base64, url, mediaType = "image/png", revisedPrompt }) =>
        defined({
          bytesBase64Encoded: base64,
          gcsUri: base64 === undefined ? url : undefined,
          mimeType: mediaType,
          prompt: revisedPrompt,
        }),
      ),
      ...failures.map(({ message }) => ({ raiFilteredReason: message })),
    ],
  };
}
