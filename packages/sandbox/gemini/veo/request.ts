import { isJsonArray, isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { invalid } from "../error.ts";
import { readGivenMedia, type VeoGiven } from "./given.ts";
import { PEOPLE, type Place, type VeoModel } from "./models.ts";

/** Videos as they were ordered. */
export interface VeoOrder {
  readonly place: Place;
  readonly model: string;
  readonly prompt: string;
  readonly count: number;
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  readonly hasSound: boolean;
  /** "gs://…", below which the videos shall be put. */
  readonly bucket: string | undefined;
}

/** Fields of other names are ignored, as in any free-form message. */
export function readVeoRequest(body: Json | undefined, model: VeoModel, place: Place): VeoOrder {
  const { instances, parameters = {} } = isJsonObject(body) ? body : {};
  const [instance, ...others] = isJsonArray(instances) ? instances : [];
  if (!isJsonObject(instance) || others.length > 0)
    throw invalid("The request must contain exactly one instance.");
  if (!isJsonObject(parameters)) throw invalid("The parameters must be an object.");
  const given = readGivenMedia(instance, place);
  if (given.hasLastFrame && !model.takesLastFrame) throw unsupported("lastFrame");
  checkElsewhere(parameters, model, place);
  checkPeople(parameters, model, place, given);
  readWhole(parameters, "seed", 0, 4_294_967_295);
  readText(parameters, "negativePrompt");

  const seconds = readSeconds(parameters, model, place, given);
  const aspectRatio = readChoice(parameters, "aspectRatio", ["16:9", "9:16"]) ?? "16:9";
  const resolution = readResolution(parameters, model, { seconds, aspectRatio, given });
  const [long, short] = SIDES[resolution] ?? USUAL_SIDES;
  const isWide = aspectRatio === "16:9";
  return {
    place,
    model: model.id,
    prompt: readPrompt(instance, given),
    count: readWhole(parameters, "sampleCount", 1, place === "vertex" ? 4 : 1) ?? 1,
    seconds,
    width: isWide ? long : short,
    height: isWide ? short : long,
    hasSound: model.hasSound && parameters["generateAudio"] !== false,
    bucket: readText(parameters, "storageUri"),
  };
}

const USUAL_SIDES = [1_280, 720] as const;
const SIDES: Readonly<Record<string, readonly [long: number, short: number]>> = {
  "720p": USUAL_SIDES,
  "1080p": [1_920, 1_080],
  "4k": [3_840, 2_160],
};

function readPrompt({ prompt }: JsonObject, { image, hasVideo }: VeoGiven): string {
  if (prompt !== undefined && prompt !== null && typeof prompt !== "string")
    throw invalid("The prompt must be a string.");
  if (prompt) return prompt;
  if (image !== undefined || hasVideo) return "";
  throw invalid("The instance must contain a prompt that is not empty, or an image.");
}

/** Fields that only one of the services supports, or one generation there. */
function checkElsewhere(parameters: JsonObject, { id, hasSound }: VeoModel, place: Place): void {
  const isSecond = id.startsWith("veo-2");
  const foreign = place === "gemini" ? ["numberOfVideos", ...PROJECT_ONLY] : [];
  const later = place === "vertex" && !isSecond ? ["fps"] : [];
  const silent = hasSound ? [] : ["generateAudio"];
  for (const name of [...foreign, ...later, ...silent])
    if (parameters[name] !== undefined && parameters[name] !== null) throw unsupported(name);
  for (const name of ["generateAudio", "enhancePrompt", "addWatermark"])
    if (!["boolean", "undefined"].includes(typeof (parameters[name] ?? undefined)))
      throw invalid(`\`${name}\` must be a boolean.`);
  if (parameters["enhancePrompt"] === false && !isSecond)
    throw invalid("Veo 3 prompt enhancement cannot be disabled.");
  readChoice(parameters, "compressionQuality", ["optimized", "lossless"]);
  readChoice(parameters, "resizeMode", ["pad", "crop"]);
  readWhole(parameters, "fps", 24, 24);
  const bucket = readText(parameters, "storageUri");
  if (bucket !== undefined && !/^gs:\/\/[^/\s]+/.test(bucket))
    throw invalid("`storageUri` must be the address of a bucket, as in gs://bucket/folder.");
}

const PROJECT_ONLY = [
  "generateAudio",
  "enhancePrompt",
  "compressionQuality",
  "resizeMode",
  "storageUri",
  "fps",
  "addWatermark",
];

function unsupported(name: string): Error {
  return invalid(
    `\`${name}\` isn't supported by this model. Please remove it or refer to the Gemini API documentation for supported usage.`,
  );
}

function checkPeople(
  parameters: JsonObject,
  { people: [without, having] }: VeoModel,
  place: Place,
  { image, references }: VeoGiven,
): void {
  const hasPictures = image !== undefined || references > 0;
  const known = place === "vertex" ? PEOPLE : hasPictures ? having : without;
  readChoice(parameters, "personGeneration", known);
}

/** A number; where a key is all it takes, a text that is one will do. */
function readSeconds(
  parameters: JsonObject,
  { lengths }: VeoModel,
  place: Place,
  { references }: VeoGiven,
): number {
  const said = parameters["durationSeconds"] ?? undefined;
  const isText = place === "gemini" && typeof said === "string" && /^\d{1,3}$/.test(said);
  const seconds = said === undefined ? USUAL_SECONDS : isText ? Number(said) : said;
  if (typeof seconds !== "number" || !lengths.includes(seconds)) {
    const list = lengths.join(", ");
    throw invalid(`The number value for \`durationSeconds\` is out of bound: use one of ${list}.`);
  }
  if (references > 0 && seconds !== USUAL_SECONDS)
    throw invalid(`\`durationSeconds\` must be ${USUAL_SECONDS} with \`referenceImages\`.`);
  return seconds;
}

const USUAL_SECONDS = 8;

interface Shot {
  readonly seconds: number;
  readonly aspectRatio: string;
  readonly given: VeoGiven;
}

function readResolution(
  parameters: JsonObject,
  { resolutions, highOnly }: VeoModel,
  { seconds, aspectRatio, given }: Shot,
): string {
  const [lowest] = resolutions;
  if (lowest === undefined) {
    if (parameters["resolution"] !== undefined) throw unsupported("resolution");
    return "720p";
  }
  const resolution = readChoice(parameters, "resolution", resolutions) ?? lowest;
  if (resolution === lowest) return resolution;
  if (given.hasVideo) throw invalid("A video can only be extended in 720p.");
  if (highOnly.seconds !== undefined && seconds !== highOnly.seconds)
    throw invalid(`\`resolution\` ${resolution} requires \`durationSeconds\` 8.`);
  if (highOnly.aspectRatio !== undefined && aspectRatio !== highOnly.aspectRatio)
    throw invalid(`\`resolution\` ${resolution} requires \`aspectRatio\` 16:9.`);
  return resolution;
}

function readChoice(
  parameters: JsonObject,
  name: string,
  known: readonly string[],
): string | undefined {
  const value = readText(parameters, name);
  if (value === undefined) return undefined;
  // The names of an enumeration may also come in capitals.
  const found = known.find((each) => each === value || each.toUpperCase() === value);
  if (found !== undefined) return found;
  throw invalid(`\`${name}\` must be one of ${known.join(", ")}.`);
}

function readText(parameters: JsonObject, name: string): string | undefined {
  const value = parameters[name] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw invalid(`\`${name}\` must be a string.`);
}

function readWhole(
  parameters: JsonObject,
  name: string,
  low: number,
  high: number,
): number | undefined {
  const value = parameters[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= low && value <= high)
    return value;
  throw invalid(`\`${name}\` must be a whole number from ${low} to ${high}.`);
}
