import { outside, type ImageBounds } from "../engine/given-image.ts";
import { inspectMedia, type Media } from "../engine/media.ts";
import { invalidValue } from "./error.ts";
import type { Aspect } from "./order.ts";

/** A picture by link, or as base64 alone: other vendors' "data:" in front of it is refused. */
export function readImage(value: string, path: string): Partial<Media> {
  if (value === "") throw invalidValue(path, "an image is required");
  if (/^https?:\/\/[^/\s]/.test(value)) return {};
  if (!/^[A-Za-z\d+/\s]+={0,2}$/.test(value))
    throw invalidValue(path, "must be a URL or base64 without a prefix");
  const media = inspectMedia("image", Buffer.from(value, "base64"));
  const reason = outside(media, BOUNDS);
  if (reason !== undefined) throw invalidValue(path, reason);
  return media;
}

const BOUNDS: ImageBounds = {
  types: ["image/jpeg", "image/png"],
  maxBytes: 50 * 1_048_576,
  minSide: 300,
  maxSide: Infinity,
  maxPixels: Infinity,
  maxRatio: 2.5,
};

export function readVideoLink(value: string, path: string): void {
  if (!/^https?:\/\/[^/\s]/.test(value)) throw invalidValue(path, "must be a URL");
}

/** The video's shape follows the picture's. */
export function aspectOf({ widthPixels = 16, heightPixels = 9 }: Partial<Media>): Aspect {
  const ratio = widthPixels / heightPixels;
  if (ratio > 4 / 3) return "16:9";
  return ratio < 3 / 4 ? "9:16" : "1:1";
}
