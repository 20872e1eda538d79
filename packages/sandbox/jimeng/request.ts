import { sizeOf } from "../ark/videos/sizes.ts";
import { outside, type ImageBounds } from "../engine/given-image.ts";
import { inspectMedia, type Media } from "../engine/media.ts";
import { nearestRatio, RATIOS } from "../engine/ratios.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { field, readChoice, readInteger, readList, readText, required } from "../openai/fields.ts";
import { invalidInput } from "./error.ts";
import { findJimeng, type JimengModel } from "./models.ts";

/** A video as it was ordered. */
export interface JimengOrder {
  readonly reqKey: string;
  readonly prompt: string;
  readonly frames: number;
  readonly width: number;
  readonly height: number;
}

export function readJimengRequest(body: JsonObject): JimengOrder {
  const reqKey = readReqKey(body);
  const model = findJimeng(reqKey);
  if (model === undefined) throw invalidInput(`The req_key ${reqKey} is unknown.`);
  const pictures = readPictures(body, model);
  const prompt = readText(field(body, "prompt"), 800) ?? "";
  // Only the camera's moves, and the oldest of those who look at pictures, do without words.
  const isWordless = model.hasTemplates || reqKey === "jimeng_vgfm_i2v_l20";
  if (prompt.trim() === "" && !isWordless) throw invalidInput("The prompt is missing.");
  checkCamera(body, model);
  readInteger(field(body, "seed"), -1, 2_147_483_647);
  const asked = readChoice(field(body, "aspect_ratio"), RATIOS) ?? "16:9";
  const ratio = pictures.length === 0 ? asked : nearestRatio(pictures[0] ?? {});
  const [width, height] = sizeOf(model.resolution, ratio);
  return { reqKey, prompt, frames: readFrames(body, model), width, height };
}

export function readReqKey(body: JsonObject): string {
  return required(field(body, "req_key"), readText(field(body, "req_key")) || undefined);
}

/** One less than the frames make five seconds, or ten. */
function readFrames(body: JsonObject, { frames }: JimengModel): number {
  const value = readInteger(field(body, "frames"), 1, 1_000) ?? 121;
  if (frames.includes(value)) return value;
  throw invalidInput(`The frames must be ${frames.join(" or ")}.`);
}

function checkCamera(body: JsonObject, { hasTemplates }: JimengModel): void {
  const template = readText(field(body, "template_id")) || undefined;
  const strength = readChoice(field(body, "camera_strength"), ["weak", "medium", "strong"]);
  if (hasTemplates) required(field(body, "template_id"), template);
  else if (template !== undefined || strength !== undefined)
    throw invalidInput("The camera cannot be moved by a template with this req_key.");
}

/** Links or base64, but not both; no link is followed. */
function readPictures(body: JsonObject, { pictures }: JimengModel): readonly Partial<Media>[] {
  const links = readList(field(body, "image_urls"), 0, 10) ?? [];
  const encoded = readList(field(body, "binary_data_base64"), 0, 10) ?? [];
  if (links.length > 0 && encoded.length > 0)
    throw invalidInput("There must be either image_urls or binary_data_base64.");
  const [least, most] = pictures;
  const count = links.length + encoded.length;
  if (count < least || count > most)
    throw invalidInput(`There must be ${least === most ? least : `${least} to ${most}`} images.`);
  if (links.some((link) => typeof link !== "string" || !/^https?:\/\/[^\s/]+/.test(link)))
    throw invalidInput("The image_urls must be URLs.");
  const media = encoded.map(readEncoded);
  const [first, last] = media.map(ratioOf);
  if (first !== undefined && last !== undefined && Math.abs(first / last - 1) > 0.05)
    throw invalidInput("The last frame must have the ratio of the first.");
  return [...links.map(() => ({})), ...media];
}

function readEncoded(data: Json): Media {
  if (typeof data !== "string" || data === "" || !/^[A-Za-z\d+/]*={0,2}$/.test(data))
    throw invalidInput("The binary_data_base64 must be base64 without a prefix.");
  const media = inspectMedia("image", Buffer.from(data, "base64"));
  const reason = outside(media, BOUNDS);
  if (reason !== undefined) throw invalidInput(reason);
  return media;
}

const BOUNDS: ImageBounds = {
  types: ["image/jpeg", "image/png"],
  maxBytes: 4.7 * 1_048_576,
  minSide: 320,
  maxSide: 4_096,
  maxPixels: Infinity,
  maxRatio: 3,
};

function ratioOf({ widthPixels = 1, heightPixels = 1 }: Media): number {
  return widthPixels / heightPixels;
}

/** Every body of this protocol is an object. */
export function readBody(body: Json | undefined): JsonObject {
  if (isJsonObject(body)) return body;
  throw invalidInput("The body must be a JSON object.");
}
