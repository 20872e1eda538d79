import type { AssetFailure, AssetType } from "#core/asset.ts";
import { mediaTypeOf } from "#lib/media-type.ts";
import { mp4TimeOf } from "#lib/mp4-time.ts";
import { readPictureHead } from "#lib/picture.ts";
import { playTimeOf } from "#lib/play-time.ts";

const MIB = 1024 * 1024;
const SECOND_MS = 1_000;

/** File requirements by asset kind. Vendors enforce their own, narrower ones. */
const RULES = {
  image: { maxBytes: 30 * MIB, isHeld: true },
  video: { maxBytes: 200 * MIB, isHeld: false },
  audio: { maxBytes: 15 * MIB, isHeld: true },
} as const satisfies Readonly<Record<AssetType, { maxBytes: number; isHeld: boolean }>>;

const MIN_SIDE = 64;
const MAX_SIDE = 10_000;
const MAX_RATIO = 8;
const MIN_MS = SECOND_MS;
const MAX_MS = 300 * SECOND_MS;

export function maxBytesOf(type: AssetType): number {
  return RULES[type].maxBytes;
}

/** Bytes from a video's start that contain its format and dimensions. */
export const FILM_HEAD_BYTES = MIB;

/** The whole file is read for checking; for other kinds, only its start. */
export function isHeld(type: AssetType): boolean {
  return RULES[type].isHeld;
}

/** Detects a file's format from its bytes, or returns the reason why it is invalid. */
export async function checkFile(
  bytes: Uint8Array,
  type: AssetType,
  maxPixels: number,
): Promise<{ readonly mediaType: string } | AssetFailure> {
  if (bytes.length === 0) return failure("DownloadFailed", "The file is empty.");
  switch (type) {
    case "image":
      return await checkPicture(bytes, maxPixels);
    case "video":
      return checkFilm(bytes);
    case "audio":
      return checkSound(bytes);
  }
}

async function checkPicture(bytes: Uint8Array, maxPixels: number) {
  const head = await readPictureHead(bytes);
  if (head === undefined) return unlike("image");
  const { mediaType, width, height } = head;
  if (Math.min(width, height) < MIN_SIDE) {
    return failure("WidthTooSmall", `A side of the picture is shorter than ${MIN_SIDE} pixels.`);
  }
  if (Math.max(width, height) > MAX_SIDE) {
    return failure("WidthTooLarge", `A side of the picture is longer than ${MAX_SIDE} pixels.`);
  }
  if (width * height > maxPixels) {
    return failure("PixelCountTooLarge", `The picture has more than ${maxPixels} pixels.`);
  }
  if (Math.max(width / height, height / width) > MAX_RATIO) {
    return failure("AspectRatioTooLarge", "The picture is far longer than it is wide.");
  }
  return { mediaType };
}

function checkFilm(bytes: Uint8Array) {
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined || !mediaType.startsWith("video/")) return unlike("video");
  const ms = mediaType === "video/mp4" ? mp4TimeOf(bytes) : undefined;
  const isMov = Buffer.from(bytes.subarray(8, 12)).toString("latin1") === "qt  ";
  return wrongLength(ms) ?? { mediaType: isMov ? "video/quicktime" : mediaType };
}

const SOUNDS = ["audio/wav", "audio/mpeg"];

function checkSound(bytes: Uint8Array) {
  const [first = 0, second = 0] = bytes;
  // A recording may begin with its first frame, of layer III.
  const isFrame = first === 0xff && (second & 0xe6) === 0xe2;
  const mediaType = isFrame ? "audio/mpeg" : mediaTypeOf(bytes);
  if (mediaType === undefined || !SOUNDS.includes(mediaType)) return unlike("audio");
  return wrongLength(playTimeOf(bytes)) ?? { mediaType };
}

function wrongLength(ms: number | undefined): AssetFailure | undefined {
  if (ms === undefined) return undefined;
  if (ms < MIN_MS) return failure("DurationTooShort", "It plays for less than a second.");
  if (ms > MAX_MS) {
    return failure("DurationTooLong", `It plays for more than ${MAX_MS / SECOND_MS} seconds.`);
  }
  return undefined;
}

function unlike(type: AssetType): AssetFailure {
  return failure("TypeMismatch", `The file has no known format of type ${type}.`);
}

export function failure(code: string, message: string): AssetFailure {
  return { code, message };
}
