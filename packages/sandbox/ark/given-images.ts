import { outside, readGiven, type ImageBounds } from "../engine/given-image.ts";
import type { Media } from "../engine/media.ts";
import { isJsonArray, type Json, type JsonObject } from "../json.ts";
import { ApiError } from "../openai/error.ts";
import { field, required, wrongType } from "../openai/fields.ts";
import { invalidParameter } from "./error.ts";
import type { ImageModel } from "./image-models.ts";

/** The pictures that a request brings: one alone, or a list. */
export function readGivenImages(body: JsonObject, model: ImageModel): readonly Media[] {
  const { path, value } = field(body, "image");
  const { min, max } = model.given;
  if (value === undefined)
    return min === 0 ? [] : required<readonly Media[]>({ path, value }, value);
  if (max === 0) throw invalidParameter(path, "not supported by the current model");
  const list = isJsonArray(value) ? value : [value];
  if (list.length < 1 || list.length > max) {
    throw invalidParameter(
      path,
      `expected from 1 to ${max} images, but got ${list.length} instead`,
    );
  }
  const bounds = model.drawsSets ? BOUNDS : NARROW_BOUNDS;
  return list.map((each) => readOne(path, each, bounds));
}

function readOne(path: string, value: Json, bounds: ImageBounds): Media {
  if (typeof value !== "string") throw wrongType(path, "a string or an array of strings", value);
  const image = readGiven(value, /^https?:\/\/[^\s/]+\/\S*$/);
  if (image === undefined) throw invalidUrl(value);
  const reason = outside(image, bounds);
  if (reason !== undefined) throw invalidParameter(path, reason);
  return image;
}

function invalidUrl(value: string): ApiError {
  const isEmpty = value === "";
  return new ApiError(400, {
    message: isEmpty
      ? "The request failed because the image URL is empty."
      : "The request failed because the image URL is neither an http(s) URL nor a base64-encoded image.",
    type: "BadRequest",
    param: "image",
    code: `InvalidImageURL.${isEmpty ? "EmptyURL" : "InvalidFormat"}`,
  });
}

const BOUNDS: ImageBounds = {
  types: ["image/jpeg", "image/png", "image/webp", "image/bmp", "image/tiff", "image/gif"],
  maxBytes: 10 * 1_048_576,
  minSide: 15,
  maxSide: Infinity,
  maxPixels: 36_000_000,
  maxRatio: 16,
};

/** Of the model that only edits. */
const NARROW_BOUNDS: ImageBounds = { ...BOUNDS, types: ["image/jpeg", "image/png"], maxRatio: 3 };
