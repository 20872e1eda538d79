import { readGiven } from "@sluice/sandbox/engine/given-image.ts";
import { inspectMedia, type Media } from "@sluice/sandbox/engine/media.ts";
import { hasAlpha, isWholeImage } from "@sluice/sandbox/engine/whole-image.ts";
import type { Json, JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError, invalid } from "../error.ts";
import { field, readList, readObject, readText, required } from "../fields.ts";
import { filesNamed } from "../form-body.ts";
import type { Form } from "@sluice/sandbox/wire/form.ts";
import type { PictureModel } from "./models.ts";

/** A picture to work on. */
export interface GivenPicture {
  /** As errors name its place. */
  readonly path: string;
  readonly media: Media;
  /** Absent where only a link was given. */
  readonly bytes?: Uint8Array;
}

export const MAX_GIVEN = 16;
const MAX_FILE_BYTES = 50 * 1_048_576;
const MAX_OLD_FILE_BYTES = 4 * 1_048_576;
const TYPES = ["image/jpeg", "image/png", "image/webp"];

/** Those that came as files of a form. */
export function uploads(form: Form, name: string): readonly GivenPicture[] {
  const files = filesNamed(form, name);
  return files.map(({ bytes }, index) => ({
    path: files.length === 1 ? name : `${name}[${index}]`,
    media: inspectMedia("image", bytes),
    bytes,
  }));
}

/** Those that a JSON body names, each by a link or as a data URL. */
export function references(body: JsonObject): readonly GivenPicture[] {
  const list = required(field(body, "images"), readList(field(body, "images"), 1, MAX_GIVEN));
  return list.map((value, index) => reference(value, `images[${index}]`));
}

export function reference(value: Json, path: string): GivenPicture {
  const object = required({ path, value }, readObject({ path, value }));
  const link = readText(field(object, "image_url", `${path}.image_url`));
  const file = readText(field(object, "file_id", `${path}.file_id`));
  if ((link === undefined) === (file === undefined))
    throw invalid(path, "invalid_value", `Give either 'image_url' or 'file_id' for '${path}'.`);
  // Nothing can be uploaded to the sandbox, so it has no file of any name.
  if (link === undefined)
    throw invalid(`${path}.file_id`, "file_not_found", `No such file: '${file}'.`);

  const media = readGiven(link, /^https?:\/\/[^\s/]+/i);
  if (media === undefined || OTHER_FILE.test(media.link ?? ""))
    throw unreadable(`${path}.image_url`);
  const data = media.link === undefined ? link.slice(link.indexOf(",") + 1) : undefined;
  return {
    path: `${path}.image_url`,
    media,
    ...(data === undefined ? {} : { bytes: Buffer.from(data, "base64") }),
  };
}

/** No link is followed, but some tell by their end that there is no such picture. */
const OTHER_FILE = /\.(?:svg|gif|bmp|tiff?|heic|avif|pdf|html?|txt)(?:[?#]|$)/i;

/** Each is looked at to its end; throws `ApiError` at the first that will not do. */
export async function checkGiven(
  pictures: readonly GivenPicture[],
  model: PictureModel,
): Promise<void> {
  for (const picture of pictures) await checkPicture(picture, model);
}

async function checkPicture({ path, media, bytes }: GivenPicture, model: PictureModel) {
  if (bytes === undefined) return;
  const type = media.mediaType ?? "application/octet-stream";
  if (!TYPES.includes(type)) {
    throw invalid(
      path,
      "unsupported_file_mimetype",
      `Invalid file '${path}': unsupported mimetype ('${type}'). Supported file formats are 'image/jpeg', 'image/png', and 'image/webp'.`,
    );
  }
  if (!model.isByTokens && (type !== "image/png" || bytes.length >= MAX_OLD_FILE_BYTES))
    throw invalid(path, null, "Uploaded image must be a PNG and less than 4 MB.");
  if (bytes.length >= MAX_FILE_BYTES)
    throw invalid(path, null, "Uploaded image must be less than 50 MB.");
  if (!(await isWholeImage(bytes))) throw unreadable(path);
  if (!model.isByTokens && media.widthPixels !== media.heightPixels)
    throw invalid(path, null, "Uploaded image must be square.");
}

/** The mask goes with the first picture. */
export async function checkMask(
  { path, media, bytes }: GivenPicture,
  first: GivenPicture | undefined,
): Promise<void> {
  if (bytes === undefined) return;
  if (media.mediaType !== "image/png" || bytes.length >= MAX_OLD_FILE_BYTES)
    throw badMask("mask must be a PNG and less than 4 MB");
  if (!(await isWholeImage(bytes))) throw unreadable(path);
  if (!hasAlpha(bytes)) throw badMask("mask image missing alpha channel");
  const image = first?.media;
  if (image?.widthPixels === undefined) return;
  if (image.widthPixels !== media.widthPixels || image.heightPixels !== media.heightPixels)
    throw badMask("mask size does not match image size");
}

function badMask(problem: string): ApiError {
  return invalid("mask", "invalid_mask_image_format", `Invalid mask image format - ${problem}`);
}

function unreadable(path: string): ApiError {
  return new ApiError(400, {
    message: "Invalid image data.",
    type: "image_generation_user_error",
    param: path,
    code: "invalid_image_file",
  });
}
