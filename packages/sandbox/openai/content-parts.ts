import { inspectMedia, type Media } from "../engine/media.ts";
import type { Json, JsonObject } from "../json.ts";
import { invalid } from "./error.ts";
import {
  field,
  readChoice,
  readList,
  readObject,
  readText,
  required,
  wrongType,
} from "./fields.ts";
import type { Message } from "./messages.ts";

/** A message's content, which is a text or a list of parts. */
export function readContent(
  content: Json,
  role: Message["role"],
  path: string,
  userParts: Readonly<Record<string, PartReader>>,
): Content {
  if (typeof content === "string") return { text: content, media: [], lowDetailImages: 0 };
  if (!Array.isArray(content)) throw wrongType(path, "a string or an array of parts", content);
  const list = readList({ path, value: content }, 1, 5_000) ?? [];
  const readers = { ...READERS[role], ...(role === "user" ? userParts : {}) };
  const parts = list.map((value, index) => readPart(value, readers, `${path}[${index}]`));
  return {
    text: parts.flatMap((part) => (part.text === undefined ? [] : [part.text])).join("\n"),
    media: parts.flatMap((part) => (part.media === undefined ? [] : [part.media])),
    lowDetailImages: parts.filter((part) => part.isLowDetail).length,
  };
}

export type Content = Pick<Message, "text" | "media" | "lowDetailImages">;

interface Part {
  readonly text?: string;
  readonly media?: Media;
  readonly isLowDetail?: boolean;
}

export type PartReader = (part: JsonObject, path: string) => Part;

const readTextPart: PartReader = (part, path) => ({ text: textOf(part, "text", path) });
const TEXT_ONLY = { text: readTextPart };

const READERS: Readonly<Record<Message["role"], Readonly<Record<string, PartReader>>>> = {
  system: TEXT_ONLY,
  developer: TEXT_ONLY,
  user: { text: readTextPart, image_url: readImage, input_audio: readAudio, file: readFile },
  assistant: {
    text: readTextPart,
    refusal: (part, path) => ({ text: textOf(part, "refusal", path) }),
  },
  tool: TEXT_ONLY,
  function: TEXT_ONLY,
};

function readPart(value: Json, readers: Readonly<Record<string, PartReader>>, path: string): Part {
  const part = required({ path, value }, readObject({ path, value }));
  const type = field(part, "type", `${path}.type`);
  const kind = required(type, readChoice(type, Object.keys(readers)));
  return required(type, readers[kind]?.(part, path));
}

function readImage(part: JsonObject, path: string): Part {
  const image = objectOf(part, "image_url", path);
  const url = textOf(image, "url", `${path}.image_url`);
  const detail = readChoice(field(image, "detail", `${path}.image_url.detail`), [
    "auto",
    "low",
    "high",
    "original",
  ]);
  return { media: fromUrl(url, "image", `${path}.image_url.url`), isLowDetail: detail === "low" };
}

function readAudio(part: JsonObject, path: string): Part {
  const audio = objectOf(part, "input_audio", path);
  const format = field(audio, "format", `${path}.input_audio.format`);
  const type = required(format, readChoice(format, ["wav", "mp3"]));
  const data = textOf(audio, "data", `${path}.input_audio`);
  return {
    media: inspectMedia(
      "audio",
      fromBase64(data, `${path}.input_audio.data`),
      type === "wav" ? "audio/wav" : "audio/mpeg",
    ),
  };
}

function readFile(part: JsonObject, path: string): Part {
  const file = objectOf(part, "file", path);
  const name = readText(field(file, "filename", `${path}.file.filename`));
  const named = name === undefined ? {} : { name };
  const id = readText(field(file, "file_id", `${path}.file.file_id`));
  if (id !== undefined) return { media: { kind: "file", name: id } };
  const data = textOf(file, "file_data", `${path}.file`);
  const media = data.startsWith("data:")
    ? fromUrl(data, "file", `${path}.file.file_data`)
    : inspectMedia("file", fromBase64(data, `${path}.file.file_data`));
  return { media: { ...media, ...named } };
}

/** A data URL is looked into; of any other only the address is known, since the sandbox fetches nothing. */
export function fromUrl(url: string, kind: Media["kind"], path: string): Media {
  const data = url.match(/^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,/);
  if (data !== null)
    return inspectMedia(kind, fromBase64(url.slice(data[0].length), path), data[1]);
  if (/^https?:\/\/\S+$/.test(url)) return { kind, link: url.slice(0, 200) };
  throw invalid(
    path,
    "invalid_value",
    `Invalid '${path}': expected a base64-encoded data URL or an http(s) URL.`,
  );
}

export function fromBase64(text: string, path: string): Uint8Array {
  const isClean = /^[A-Za-z\d+/]*={0,2}$/.test(text.trim());
  const bytes = Buffer.from(text, "base64");
  if (!isClean || bytes.length === 0)
    throw invalid(path, "invalid_value", `Invalid '${path}': expected base64-encoded data.`);
  return bytes;
}

export function objectOf(part: JsonObject, name: string, path: string): JsonObject {
  const value = field(part, name, `${path}.${name}`);
  return required(value, readObject(value));
}

export function textOf(object: JsonObject, name: string, path: string): string {
  const value = field(object, name, `${path}.${name}`);
  return required(value, readText(value));
}
