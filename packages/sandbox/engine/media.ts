import { bmpSides, tiffSides, webpSides, type Sides } from "./image-heads.ts";
import { readWav } from "./sound/wav.ts";

/** A picture, recording or file of a message: what can be told without looking at the content. */
export interface Media {
  readonly kind: "image" | "audio" | "video" | "file";
  readonly name?: string;
  /** Where it lies, when only a link was sent; the sandbox follows no links. */
  readonly link?: string;
  readonly sizeBytes?: number;
  readonly mediaType?: string;
  readonly widthPixels?: number;
  readonly heightPixels?: number;
  readonly seconds?: number;
}

/** Reads type and measures from the bytes themselves, so that a damaged upload shows. */
export function inspectMedia(kind: Media["kind"], bytes: Uint8Array, claimed?: string): Media {
  const found = sniff(bytes);
  const mediaType = found.mediaType ?? claimed;
  return {
    kind,
    sizeBytes: bytes.length,
    ...found,
    ...(mediaType === undefined ? {} : { mediaType }),
  };
}

/** "a 64 by 32 pixel PNG image of 310 bytes" */
export function describeMedia(media: Media): string {
  const type = media.mediaType?.split("/")[1]?.split(";")[0]?.toUpperCase();
  const words = [
    media.widthPixels === undefined ? "" : `${media.widthPixels} by ${media.heightPixels} pixel`,
    media.seconds === undefined ? "" : `${Number(media.seconds.toFixed(2))} second`,
    type ?? "",
    media.kind,
    media.name === undefined ? "" : `named ${media.name}`,
    media.sizeBytes === undefined ? "" : `of ${media.sizeBytes} bytes`,
    media.link === undefined ? "" : `at ${media.link}`,
  ].filter((word) => word !== "");
  const phrase = words.join(" ");
  return /^[aeio8]|^11\b|^MP/i.test(phrase) ? `an ${phrase}` : `a ${phrase}`;
}

type FoundMedia = Pick<Media, "mediaType" | "widthPixels" | "heightPixels" | "seconds">;

function sniff(bytes: Uint8Array): FoundMedia {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = String.fromCharCode(...bytes.subarray(0, 16));

  if (head.startsWith("\x89PNG\r\n\x1a\n")) {
    return {
      mediaType: "image/png",
      ...size(view, 24, () => [view.getUint32(16), view.getUint32(20)]),
    };
  }
  if (head.startsWith("GIF8")) {
    return {
      mediaType: "image/gif",
      ...size(view, 10, () => [view.getUint16(6, true), view.getUint16(8, true)]),
    };
  }
  if (head.startsWith("\xff\xd8\xff")) return { mediaType: "image/jpeg", ...jpegSize(view) };
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP")
    return { mediaType: "image/webp", ...sidesOf(webpSides(view)) };
  if (head.startsWith("BM")) return { mediaType: "image/bmp", ...sidesOf(bmpSides(view)) };
  if (head.startsWith("II*\0") || head.startsWith("MM\0*"))
    return { mediaType: "image/tiff", ...sidesOf(tiffSides(view)) };
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WAVE")
    return { mediaType: "audio/wav", ...wavLength(bytes) };
  if (head.startsWith("ID3") || head.startsWith("\xff\xfb")) return { mediaType: "audio/mpeg" };
  if (head.startsWith("%PDF-")) return { mediaType: "application/pdf" };
  if (head.slice(4, 8) === "ftyp") return { mediaType: "video/mp4" };
  return {};
}

function size(view: DataView, needs: number, read: () => readonly [number, number]): FoundMedia {
  if (view.byteLength < needs) return {};
  const [widthPixels, heightPixels] = read();
  return { widthPixels, heightPixels };
}

function sidesOf(sides: Sides | undefined): FoundMedia {
  return sides === undefined ? {} : { widthPixels: sides[0], heightPixels: sides[1] };
}

/** Walks the segments up to the frame header, which carries the measures. */
function jpegSize(view: DataView): FoundMedia {
  let at = 2;
  while (at + 9 < view.byteLength) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame)
      return { heightPixels: view.getUint16(at + 5), widthPixels: view.getUint16(at + 7) };
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return {};
}

function wavLength(bytes: Uint8Array): FoundMedia {
  const { seconds } = readWav(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return seconds === undefined ? {} : { seconds };
}
