import type { MediaBlock, MediaSource } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, objectOf, textOf } from "#lib/values.ts";

/** `undefined` for a part that holds no media. */
export function parseMedia(part: JsonObject): MediaBlock | undefined {
  const inline = objectOf(part["inlineData"]);
  if (inline !== undefined) {
    const mediaType = textOf(inline["mimeType"]);
    const base64 = standardBase64(textOf(inline["data"]) ?? "");
    return {
      type: kindOf(mediaType ?? ""),
      source: { kind: "data", base64 },
      ...defined({ mediaType, filename: textOf(inline["displayName"]) }),
    };
  }
  const file = objectOf(part["fileData"]);
  const uri = textOf(file?.["fileUri"]);
  if (uri === undefined) return undefined;
  const mediaType = textOf(file?.["mimeType"]);
  return {
    type: kindOf(mediaType ?? mediaTypeOfLink(uri) ?? "video/*"),
    source: sourceOf(uri),
    ...defined({ mediaType, filename: textOf(file?.["displayName"]) }),
  };
}

/** By the ending of its path; `undefined` where that says nothing. */
export function mediaTypeOfLink(link: string): string | undefined {
  const path = link.split(/[?#]/, 1)[0] ?? "";
  const dot = path.lastIndexOf(".");
  return dot < 0 ? undefined : ENDINGS.get(path.slice(dot + 1).toLowerCase());
}

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["gif", "image/gif"],
  ["heic", "image/heic"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
  ["mp3", "audio/mp3"],
  ["wav", "audio/wav"],
  ["flac", "audio/flac"],
  ["ogg", "audio/ogg"],
  ["mp4", "video/mp4"],
  ["mov", "video/quicktime"],
  ["webm", "video/webm"],
]);

function kindOf(mediaType: string): MediaBlock["type"] {
  const [kind] = mediaType.toLowerCase().split("/", 1);
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file";
}

/** A bucket's address, or a file that was uploaded to the vendor: nobody else can reach either. */
function sourceOf(uri: string): MediaSource {
  const isLink = uri.startsWith("https://") || uri.startsWith("http://");
  const isUploaded = /^https?:\/\/[^/]+\/v1(beta)?\/files\//.test(uri);
  return isLink && !isUploaded ? { kind: "url", url: uri } : { kind: "reference", id: uri };
}

/** Both alphabets of base64 are in use. */
function standardBase64(data: string): string {
  return /[-_]/.test(data) ? data.replaceAll("-", "+").replaceAll("_", "/") : data;
}
