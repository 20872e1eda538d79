import { inspectMedia, type Media } from "./media.ts";

/** A vendor's rules for given images. */
export interface ImageBounds {
  /** As in "image/png". */
  readonly types: readonly string[];
  readonly maxBytes: number;
  readonly minSide: number;
  readonly maxSide: number;
  readonly maxPixels: number;
  /** The longer side over the shorter one. */
  readonly maxRatio: number;
}

/** A data URL is looked into; of a link only the form is. Nothing where it is neither. */
export function readGiven(text: string, link: RegExp): Media | undefined {
  if (link.test(text)) return { kind: "image", link: text.slice(0, 200) };
  const head = text.match(/^data:image\/[a-z\d.+-]+;base64,/)?.[0];
  if (head === undefined) return undefined;
  const data = text.slice(head.length);
  if (data === "" || !/^[A-Za-z\d+/]*={0,2}$/.test(data)) return undefined;
  return inspectMedia("image", Buffer.from(data, "base64"));
}

/** What is wrong with it, where something is; a link is not followed. */
export function outside(image: Media, bounds: ImageBounds): string | undefined {
  const { link, mediaType, widthPixels: width, heightPixels: height, sizeBytes = 0 } = image;
  if (link !== undefined) return undefined;
  if (mediaType === undefined || !bounds.types.includes(mediaType)) {
    const list = bounds.types.map((type) => type.replace("image/", "")).join(", ");
    return `the image format is not supported, expected one of ${list}`;
  }
  if (sizeBytes > bounds.maxBytes) {
    return `the image has ${sizeBytes} bytes, expected at most ${bounds.maxBytes}`;
  }
  if (width === undefined || height === undefined) return "the image could not be decoded";
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  if (short < bounds.minSide) {
    return `the image is ${width}x${height}, expected sides of at least ${bounds.minSide} pixels`;
  }
  if (long > bounds.maxSide) {
    return `the image is ${width}x${height}, expected sides of at most ${bounds.maxSide} pixels`;
  }
  if (width * height > bounds.maxPixels) {
    return `the image has ${width * height} pixels, expected at most ${bounds.maxPixels}`;
  }
  if (long > short * bounds.maxRatio) {
    return `the aspect ratio of the image is out of the range [1/${bounds.maxRatio}, ${bounds.maxRatio}]`;
  }
  return undefined;
}

/** Measures of the same area as a square of that side, in the shape of the picture, if that is known. */
export function shapedLike(image: Media | undefined, side: number, step = 16): Measures {
  const { widthPixels = 1, heightPixels = 1 } = image ?? {};
  const root = Math.sqrt(widthPixels / heightPixels);
  const whole = (length: number) => Math.max(step, Math.round(length / step) * step);
  return { width: whole(side * root), height: whole(side / root) };
}

export interface Measures {
  readonly width: number;
  readonly height: number;
}
