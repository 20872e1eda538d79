import { inspectMedia, type Media } from "@sluice/sandbox/engine/media.ts";
import { readGiven } from "@sluice/sandbox/engine/given-image.ts";
import { ApiError, invalid } from "../error.ts";
import { field, readObject, readText, required } from "../fields.ts";
import type { VideoBody } from "./body.ts";
import type { Size } from "./models.ts";

/** A picture or a video to begin with: a file of the form, or an object that says where it is. */
export function checkReference({ fields, file }: VideoBody, size: Size): void {
  const upload = file(NAME);
  if (upload !== undefined) {
    checkMedia(inspectMedia("image", upload.bytes), size, [...PICTURES, "video/mp4"]);
    return;
  }
  const object = readObject(field(fields, NAME));
  if (object === undefined) return;
  const image = field(object, "image_url", `${NAME}.image_url`);
  const id = readText(field(object, "file_id", `${NAME}.file_id`));
  const url = readText(image, MAX_URL);
  if ((url === undefined) === (id === undefined))
    throw invalid(NAME, "invalid_value", `'${NAME}' must have either image_url or file_id.`);
  if (id !== undefined) {
    // Nothing can be uploaded beforehand here.
    throw new ApiError(404, { message: `No such File object: ${id}`, param: "id" });
  }
  const media = readGiven(required(image, url), /^https?:\/\/[^\s/]+/);
  if (media === undefined)
    throw invalid(image.path, "invalid_value", "Expected a URL or a base64-encoded data URL.");
  if (media.link === undefined) checkMedia(media, size, PICTURES);
}

const NAME = "input_reference";
const MAX_URL = 20_971_520;
const PICTURES = ["image/jpeg", "image/png", "image/webp"];

function checkMedia(
  { mediaType = "unknown", widthPixels, heightPixels }: Media,
  size: Size,
  types: readonly string[],
): void {
  if (!types.includes(mediaType)) {
    const message = `Invalid file: unsupported type '${mediaType}'. Supported types are: ${types.join(", ")}.`;
    throw invalid(NAME, "unsupported_file_type", message);
  }
  if (mediaType === "video/mp4" || `${widthPixels}x${heightPixels}` === size) return;
  const message = "Inpaint image must match the requested width and height";
  throw invalid(NAME, "invalid_value", message);
}
