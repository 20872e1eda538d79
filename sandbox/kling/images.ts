import { inspectMedia, type Media } from "#sandbox/engine/media.ts";
import { invalidValue } from "./error.ts";
import type { Aspect } from "./order.ts";

/** A picture by link, or as base64 alone: other vendors' "data:" in front of it is refused. */
export function readImage(value: string, path: string): Partial<Media> {
  if (value === "") throw invalidValue(path, "an image is required");
  if (/^https?:\/\/[^/\s]/.test(value)) return {};
  if (!/^[A-Za-z\d+/\s]+={0,2}$/.test(value))
    throw invalidValue(path, "must be a URL or base64 without a prefix");
  const media = inspectMedia("image", Buffer.from(value, "base64"));
  if (media.mediaType !== "image/png" && media.mediaType !== "image/jpeg")
    throw invalidValue(path, "File format is not supported, only jpg and png are");
  checkMeasures(media, path);
  return media;
}

export function readVideoLink(value: string, path: string): void {
  if (!/^https?:\/\/[^/\s]/.test(value)) throw invalidValue(path, "must be a URL");
}

function checkMeasures({ sizeBytes = 0, widthPixels, heightPixels }: Media, path: string): void {
  if (sizeBytes > MAX_BYTES) throw invalidValue(path, "File size is over 50 MB");
  if (widthPixels === undefined || heightPixels === undefined) return;
  if (Math.min(widthPixels, heightPixels) < 300)
    throw invalidValue(path, "Image pixel is invalid, each side must be 300 at least");
  const ratio = widthPixels / heightPixels;
  if (ratio < 0.4 || ratio > 2.5)
    throw invalidValue(path, "Image aspect ratio is invalid, it must be from 1:2.5 to 2.5:1");
}

const MAX_BYTES = 50 * 1_048_576;

/** The video's shape follows the picture's. */
export function aspectOf({ widthPixels = 16, heightPixels = 9 }: Partial<Media>): Aspect {
  const ratio = widthPixels / heightPixels;
  if (ratio > 4 / 3) return "16:9";
  return ratio < 3 / 4 ? "9:16" : "1:1";
}
