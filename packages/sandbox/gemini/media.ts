import { describeMedia, inspectMedia, type Media } from "../engine/media.ts";
import { invalid } from "./error.ts";
import type { FileData, InlineData, Part } from "./proto/content.ts";

/** The uploads of a turn, those of function results included. */
export function mediaOf(parts: readonly Part[]): readonly Media[] {
  return parts.flatMap((part) => [
    ...readMedia(part),
    ...(part.functionResponse?.parts ?? []).flatMap(readMedia),
  ]);
}

/** "a 3 by 2 pixel PNG image of 74 bytes", for what a function has brought back. */
export function describeParts(parts: readonly MediaPart[]): string {
  return parts.flatMap(readMedia).map(describeMedia).join("\n");
}

/** Only what the vendor can read is let through, and only where it is what it claims to be. */
export function checkMedia(part: Part): void {
  for (const each of [part, ...(part.functionResponse?.parts ?? [])]) checkOne(each);
}

interface MediaPart {
  readonly inlineData?: InlineData;
  readonly fileData?: FileData;
}

function readMedia({ inlineData, fileData }: MediaPart): readonly Media[] {
  if (inlineData?.data !== undefined) {
    const { mimeType = "", data, displayName } = inlineData;
    const media = inspectMedia(kindOf(mimeType), data.bytes, mimeType);
    return [displayName === undefined ? media : { ...media, name: displayName }];
  }
  if (fileData?.fileUri === undefined) return [];
  const { mimeType, fileUri } = fileData;
  const isVideo = /^https:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//.test(fileUri);
  const kind = mimeType === undefined ? (isVideo ? "video" : "file") : kindOf(mimeType);
  return [{ kind, link: fileUri.slice(0, 200) }];
}

function kindOf(mimeType: string): Media["kind"] {
  const kind = mimeType.split("/")[0];
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file";
}

function checkOne({ inlineData, fileData }: MediaPart): void {
  if (fileData !== undefined) checkUri(fileData.fileUri ?? "");
  if (inlineData === undefined) return;

  const { mimeType = "", data } = inlineData;
  if (!READABLE.test(mimeType)) throw invalid(`Unsupported MIME type: ${mimeType.slice(0, 100)}`);
  if (data === undefined || data.bytes.length === 0)
    throw invalid("Unable to process an empty input. Please provide the data of the part.");
  const isSniffable = /^image\/(?:png|jpeg|webp)$/.test(mimeType);
  if (isSniffable && !inspectMedia("image", data.bytes).mediaType?.startsWith("image/"))
    throw invalid("Unable to process input image. Please retry or report the problem.");
}

function checkUri(uri: string): void {
  if (/^https:\/\/\S+$/.test(uri)) return;
  throw invalid(`Invalid or unsupported file uri: ${uri.slice(0, 200)}`);
}

/** https://ai.google.dev/gemini-api/docs/file-input-methods */
const READABLE =
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|audio\/[\w.+-]+(?:;.*)?|video\/[\w.+-]+|text\/[\w.+-]+(?:;.*)?|application\/(?:pdf|json|rtf|xml|x-javascript|javascript|x-python|typescript|x-typescript))$/;
