import type { AssetFile, AssetType } from "./asset-file.ts";

/** Why an asset could not be taken in. */
export const FAILURES = [
  "DownloadFailed",
  "TypeMismatch",
  "FormatUnsupported",
  "FormatUndetectable",
  "DurationTooShort",
  "DurationTooLong",
  "WidthTooSmall",
  "WidthTooLarge",
  "HeightTooSmall",
  "HeightTooLarge",
  "AspectRatioTooSmall",
  "AspectRatioTooLarge",
  "FileSizeTooLarge",
  "PixelCountTooSmall",
  "PixelCountTooLarge",
  "FpsTooLow",
  "FpsTooHigh",
  "AudioTrackRequired",
  "AudioTrackForbidden",
  "ContentRestricted",
  "InputImageSensitiveContentDetected",
  "InputVideoSensitiveContentDetected",
  "InputAudioSensitiveContentDetected",
  "FaceMismatch",
  "TranscodingFailed",
] as const;

export type Failure = (typeof FAILURES)[number];

/** Which of them a file is refused with once it is looked at; nothing where it is as it should be. */
export function failureOf(file: AssetFile, wanted: AssetType): Failure | undefined {
  if (file.type !== wanted) return "TypeMismatch";
  if (file.sizeBytes > MAX_BYTES[wanted]) return "FileSizeTooLarge";
  const { widthPixels: width, heightPixels: height, seconds, framesPerSecond } = file;
  if (wanted === "Image" && width !== undefined && height !== undefined)
    return failureOfSides(width, height);
  return (
    outside(seconds, SECONDS, "DurationTooShort", "DurationTooLong") ??
    outside(framesPerSecond, RATES, "FpsTooLow", "FpsTooHigh")
  );
}

/** A file of a type is read no further than a byte beyond what is allowed. */
export const MAX_BYTES: Readonly<Record<AssetType, number>> = {
  Image: 30 * 1_048_576 - 1,
  Video: 50 * 1_048_576,
  Audio: 15 * 1_048_576,
};

type Range = readonly [least: number, most: number];
const SIDES: Range = [300, 6_000];
const RATIOS: Range = [0.4, 2.5];
/** A file's last sound or picture may end a little later than it should. */
const SECONDS: Range = [1.95, 15.05];
const RATES: Range = [23.9, 60.1];

function failureOfSides(width: number, height: number): Failure | undefined {
  return (
    outside(width, SIDES, "WidthTooSmall", "WidthTooLarge") ??
    outside(height, SIDES, "HeightTooSmall", "HeightTooLarge") ??
    outside(width / height, RATIOS, "AspectRatioTooSmall", "AspectRatioTooLarge")
  );
}

function outside(
  value: number | undefined,
  [least, most]: Range,
  below: Failure,
  above: Failure,
): Failure | undefined {
  if (value === undefined) return undefined;
  return value < least ? below : value > most ? above : undefined;
}
