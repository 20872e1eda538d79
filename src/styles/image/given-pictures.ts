import { invalid } from "#core/error.ts";
import { linkOf, picturesOf, type Base64, type ImageRequest, type Picture } from "#core/image.ts";
import { refuse } from "#core/lossy.ts";
import type { Range } from "./size-rule.ts";

/**
 * Throws `invalid_request` for more input images than the model accepts, or fewer than it requires.
 */
export function checkPictures(question: ImageRequest, { min, max }: Range): void {
  const { length } = picturesOf(question);
  if (length >= min && length <= max) return;
  if (max === 0) throw invalid("image", "'image' must be omitted: this model accepts only text.");
  const allowed = min === max ? `${min}` : `${min} to ${max}`;
  throw invalid(
    "image",
    `The number of images in 'image' must be ${allowed} for this model, not ${length}.`,
  );
}

/**
 * A link or data URI. Images in a vendor's own storage are addressed by `scheme`, if the vendor has
 * one.
 */
export function linkTo(picture: Picture, scheme?: string): Base64 {
  if (picture.kind === "reference" && scheme !== undefined && picture.id.startsWith(scheme)) {
    return picture.id;
  }
  const link = linkOf(picture);
  if (link !== undefined) return link;
  throw refuse("image", "a stored file can be used only with the vendor that stores it.");
}
