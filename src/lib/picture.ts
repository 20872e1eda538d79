import { readTiffSize } from "./tiff-size.ts";

/** Properties from an image's first bytes. */
export interface PictureHead {
  /** `image/png`. */
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

/**
 * Reads the header of an image in any common format; undefined if it is not an
 * image. Pixels are not decoded, and the file may be cut off.
 */
export async function readPictureHead(bytes: Uint8Array): Promise<PictureHead | undefined> {
  try {
    const { format, width, height } = await new Bun.Image(bytes).metadata();
    return { mediaType: `image/${format}`, width, height };
  } catch {
    // TIFF is recognised here but not decoded: some vendors accept it.
    const size = readTiffSize(bytes);
    return size && { mediaType: "image/tiff", ...size };
  }
}

/** Formats for encoding images. */
export type PictureFormat = "png" | "jpeg" | "webp";

/**
 * Converts an image to another format, the first frame of an animation;
 * undefined if it cannot be read.
 */
export async function convertPicture(
  bytes: Uint8Array,
  format: PictureFormat,
  maxPixels: number,
): Promise<Uint8Array | undefined> {
  try {
    return await new Bun.Image(bytes, { maxPixels })[format]().bytes();
  } catch {
    return undefined;
  }
}
