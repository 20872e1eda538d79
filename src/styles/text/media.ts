import { Buffer } from "node:buffer";
import type { Block, MediaBlock, MediaSource } from "#core/chat.ts";

export function isMedia(block: Block): block is MediaBlock {
  return (
    block.type === "image" ||
    block.type === "audio" ||
    block.type === "video" ||
    block.type === "file"
  );
}

/** For a block that may have been changed since it was read: a link exchanged for its content, for example. */
export function isSameMedia(one: MediaBlock, other: MediaBlock): boolean {
  return (
    one.mediaType === other.mediaType &&
    one.source.kind === other.source.kind &&
    contentOf(one.source) === contentOf(other.source)
  );
}

function contentOf(source: MediaSource): string {
  switch (source.kind) {
    case "url":
      return source.url;
    case "data":
      return source.base64;
    case "reference":
      return source.id;
  }
}

/** A link, a data URL, or base64 with nothing around it. */
export function sourceOf(value: string): { source: MediaSource; mediaType?: string } {
  if (value.startsWith("http://") || value.startsWith("https://")) {
    return { source: { kind: "url", url: value } };
  }
  if (!value.startsWith("data:")) {
    return value.slice(0, 16).includes("://")
      ? { source: { kind: "url", url: value } }
      : { source: { kind: "data", base64: value } };
  }
  const comma = value.indexOf(",");
  const head = value.slice("data:".length, comma);
  const isBase64 = head.endsWith(";base64");
  const mediaType = isBase64 ? head.slice(0, -";base64".length) : head;
  if (comma < 0) return { source: { kind: "url", url: value } };
  const base64 = isBase64 ? value.slice(comma + 1) : unescaped(value.slice(comma + 1));
  return { source: { kind: "data", base64 }, ...(mediaType === "" ? {} : { mediaType }) };
}

const PERCENT = 0x25;

/** Bytes that are written as `%80` need not be text; a `%` before anything else stands for itself. */
function unescaped(text: string): string {
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const digits = bytes[at] === PERCENT ? bytes.toString("latin1", at + 1, at + 3) : "";
    const isEscaped = /^[0-9a-f]{2}$/i.test(digits);
    bytes[length++] = isEscaped ? Number.parseInt(digits, 16) : (bytes[at] ?? 0);
    if (isEscaped) at += 2;
  }
  return bytes.toString("base64", 0, length);
}

const TYPES = {
  image: "image/png",
  audio: "audio/wav",
  video: "video/mp4",
  file: "application/octet-stream",
};

export function dataUrl(block: MediaBlock, base64: string): string {
  return `data:${block.mediaType ?? TYPES[block.type]};base64,${base64}`;
}

const FORMATS: ReadonlyMap<string, string> = new Map([
  ["audio/wave", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp4", "m4a"],
]);

export function formatOf(mediaType: string | undefined): string | undefined {
  if (mediaType === undefined) return undefined;
  return FORMATS.get(mediaType) ?? mediaType.slice(mediaType.indexOf("/") + 1);
}
