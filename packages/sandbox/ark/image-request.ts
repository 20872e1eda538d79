import type { Measures } from "../engine/given-image.ts";
import type { Media } from "../engine/media.ts";
import { NUMBER, readNumber } from "../engine/text/numbers.ts";
import { withoutMagicWords } from "../faults/magic-words.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { invalid } from "../openai/error.ts";
import {
  field,
  readBoolean,
  readChoice,
  readInteger,
  readNumber as readDecimal,
  readObject,
  readText,
  required,
} from "../openai/fields.ts";
import { invalidParameter, unknownModel } from "./error.ts";
import { readGivenImages } from "./given-images.ts";
import { findImageModel, type ImageModel } from "./image-models.ts";
import { readSize } from "./image-size.ts";

/** A request for pictures that the vendor would accept. */
export interface ImageRequest {
  readonly model: ImageModel;
  readonly prompt: string;
  readonly given: readonly Media[];
  readonly size: Measures;
  /** How many it draws. */
  readonly count: number;
  readonly form: "url" | "b64_json";
  readonly isMarked: boolean;
  readonly isStream: boolean;
}

/** https://www.volcengine.com/docs/82379/1541523. Throws `ApiError` at what the vendor refuses. */
export function readImageRequest(body: Json | undefined): ImageRequest {
  if (!isJsonObject(body)) throw invalid(null, null, "The body is not a JSON object.");
  const model = readModel(body);
  const prompt = required(field(body, "prompt"), readText(field(body, "prompt")) || undefined);
  checkSteering(body, model);
  checkOptimizing(body, model);
  const given = readGivenImages(body, model);
  return {
    model,
    prompt: withoutMagicWords(prompt),
    given,
    size: readSize(body, model.sizes, given),
    count: readCount(body, model, prompt, given.length),
    form: readChoice(field(body, "response_format"), ["url", "b64_json"]) ?? "url",
    isMarked: readBoolean(field(body, "watermark")) ?? true,
    isStream: readStream(body, model),
  };
}

function readModel(body: JsonObject): ImageModel {
  const id = required(field(body, "model"), readText(field(body, "model")));
  const model = findImageModel(id);
  if (model === undefined) throw unknownModel(id);
  return model;
}

/** Later models take a seed and do nothing with it. */
function checkSteering(body: JsonObject, { guidance }: ImageModel): void {
  if (guidance === undefined) {
    refuse(body, "guidance_scale");
    return;
  }
  readInteger(field(body, "seed"), -1, 2 ** 31 - 1);
  readDecimal(field(body, "guidance_scale"), 1, 10);
}

function checkOptimizing(body: JsonObject, { optimizes }: ImageModel): void {
  if (optimizes.length === 0) {
    refuse(body, "optimize_prompt_options");
    return;
  }
  const options = readObject(field(body, "optimize_prompt_options")) ?? {};
  readChoice(field(options, "mode", "optimize_prompt_options.mode"), optimizes);
}

/** A set has as many pictures as the prompt asks for, within what the request and the vendor allow. */
function readCount(
  body: JsonObject,
  { drawsSets }: ImageModel,
  prompt: string,
  given: number,
): number {
  const names = ["sequential_image_generation", "sequential_image_generation_options"] as const;
  if (!drawsSets) {
    for (const name of names) refuse(body, name);
    return 1;
  }
  const mode = readChoice(field(body, names[0]), ["auto", "disabled"]) ?? "disabled";
  const options = readObject(field(body, names[1])) ?? {};
  const most = readInteger(field(options, "max_images", `${names[1]}.max_images`), 1, MAX_IMAGES);
  if (mode === "disabled") return 1;
  return Math.min(askedFor(prompt), most ?? MAX_IMAGES, MAX_IMAGES - given);
}

function askedFor(prompt: string): number {
  const numbers = prompt.match(new RegExp(String.raw`\b${NUMBER}\b`, "gi")) ?? [];
  return numbers.map(readNumber).find((number) => number > 1 && number <= MAX_IMAGES) ?? 1;
}

/** Those that are given included. */
const MAX_IMAGES = 15;

function readStream(body: JsonObject, { drawsSets }: ImageModel): boolean {
  const isStream = readBoolean(field(body, "stream")) ?? false;
  if (isStream && !drawsSets) refuse(body, "stream");
  return isStream;
}

function refuse(body: JsonObject, name: string): void {
  if (field(body, name).value !== undefined)
    throw invalidParameter(name, "not supported by the current model");
}
