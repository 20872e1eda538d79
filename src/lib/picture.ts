import { readTiffSize } from "./tiff-size.ts";

/** What the first bytes of a picture say. */
export interface PictureHead {
  /** `image/png`. */
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

/**
 * Reads the head of a picture of any common format; undefined where it is none.
 * Pixels are not looked at, and the file may be cut off.
 */
export async function readPictureHead(bytes: Uint8Array): Promise<PictureHead | undefined> {
  try {
    const { format, width, height } = await new Bun.Image(bytes).metadata();
    return { mediaType: `image/${format}`, width, height };
  } catch {
    // Known here, though not what its pixels are: some vendors read it.
    const size = readTiffSize(bytes);
    return size && { mediaType: "image/tiff", ...size };
  }
}

/** What pictures can be written as. */
export type PictureFormat = "png" | "jpeg" | "webp";

/** The same picture in another format, of an animation the first frame; undefined where it cannot be read. */
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
