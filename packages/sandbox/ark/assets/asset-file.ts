import { inspectMedia } from "@sluice/sandbox/engine/media.ts";
import { readMp3Seconds } from "@sluice/sandbox/engine/mp3-head.ts";
import { readMp4Head } from "@sluice/sandbox/engine/mp4-head.ts";

export const ASSET_TYPES = ["Image", "Video", "Audio"] as const;
export type AssetType = (typeof ASSET_TYPES)[number];

/** Type and properties of an asset's file, read from its bytes. */
export interface AssetFile {
  readonly type: AssetType;
  /** "image/png" */
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly widthPixels?: number;
  readonly heightPixels?: number;
  readonly seconds?: number;
  readonly framesPerSecond?: number;
}

/** A word where it cannot be told what it is, or where it is nothing that can be an asset. */
export function readAssetFile(bytes: Uint8Array): AssetFile | "undetectable" | "unsupported" {
  const sizeBytes = bytes.length;
  const head = readMp4Head(bytes);
  if (head !== undefined) {
    const { brand, ...measures } = head;
    if (PHONE_BRANDS.has(brand)) return { type: "Image", mediaType: "image/heic", sizeBytes };
    const mediaType = brand === "qt  " ? "video/quicktime" : "video/mp4";
    return { type: "Video", mediaType, sizeBytes, ...measures };
  }
  const { kind: _k, mediaType, ...measures } = inspectMedia("file", bytes);
  const type = TYPES[mediaType ?? ""];
  if (mediaType !== undefined && type !== undefined && mediaType !== MP3)
    return { type, mediaType, sizeBytes, ...measures };
  const seconds = readMp3Seconds(bytes);
  if (seconds !== undefined) return { type: "Audio", mediaType: MP3, sizeBytes, seconds };
  if (mediaType === undefined) return "undetectable";
  return mediaType === MP3 ? { type: "Audio", mediaType, sizeBytes } : "unsupported";
}

const MP3 = "audio/mpeg";
const PHONE_BRANDS: ReadonlySet<string> = new Set(["heic", "heix", "heif", "mif1"]);

const TYPES: Readonly<Record<string, AssetType>> = {
  "image/png": "Image",
  "image/jpeg": "Image",
  "image/webp": "Image",
  "image/bmp": "Image",
  "image/tiff": "Image",
  "image/gif": "Image",
  "audio/wav": "Audio",
  [MP3]: "Audio",
};
