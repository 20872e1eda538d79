import { outside, type ImageBounds } from "@sluice/sandbox/engine/given-image.ts";
import { inspectMedia, type Media } from "@sluice/sandbox/engine/media.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import {
  field,
  readChoice,
  readList,
  readObject,
  readText,
  required,
} from "@sluice/sandbox/openai/fields.ts";
import { readAsset, readAssetId, type FindAsset } from "./asset-reference.ts";
import { checkModes } from "./content-modes.ts";
import { invalidField, refusedAs } from "./error.ts";
import type { VideoModel } from "./models.ts";

/** The inputs of a video. */
export interface VideoContent {
  readonly text: string;
  readonly images: readonly Reference[];
  readonly videos: readonly Reference[];
  readonly audios: readonly Reference[];
  readonly draftTaskId: string | undefined;
}

export interface Reference {
  /** "content[1]" */
  readonly path: string;
  readonly role: string | undefined;
  readonly media: Partial<Media>;
  /** Whether the person in it was verified. */
  readonly isVerified: boolean;
}

export function readContent(
  body: JsonObject,
  model: VideoModel,
  findAsset: FindAsset,
): VideoContent {
  const { path, value } = field(body, "content");
  const list = required({ path, value }, readList({ path, value }, 1, MAX_ELEMENTS));
  const elements = list.map((element, index) =>
    readElement(element, `content[${index}]`, findAsset),
  );
  const of = (kind: Element["kind"]) => elements.filter((each) => each.kind === kind);
  const draft = of("draft_task")[0];
  if (draft !== undefined && elements.some(({ kind }) => !["draft_task", "text"].includes(kind)))
    throw invalidField(draft.path, "a draft task cannot be mixed with other media");

  const content = {
    text: of("text")
      .map(({ text }) => text)
      .join("\n"),
    images: of("image_url"),
    videos: of("video_url"),
    audios: of("audio_url"),
    draftTaskId: draft?.text,
  };
  if (content.text.trim() === "" && elements.every(({ kind }) => kind === "text"))
    throw invalidField("content", "text is required where there is no other content");
  checkModes(content, model);
  return content;
}

const MAX_ELEMENTS = 50;

/** The text in the content of a video request; empty if there is none. */
export function textOfContent(body: Json | undefined): string | undefined {
  const content = isJsonObject(body) ? body["content"] : undefined;
  if (!isJsonArray(content)) return undefined;
  return content
    .map((part) => (isJsonObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("\n");
}

interface Element extends Reference {
  readonly kind: "text" | "image_url" | "video_url" | "audio_url" | "draft_task";
  readonly text: string;
}

function readElement(element: Json, path: string, findAsset: FindAsset): Element {
  if (!isJsonObject(element)) throw invalidField(path, "expected an object");
  const type = field(element, "type", `${path}.type`);
  const kind = required(
    type,
    readChoice(type, ["text", "image_url", "video_url", "audio_url", "draft_task"]),
  );
  const plain = { kind, path, role: undefined, media: {}, isVerified: false, text: "" };
  if (kind === "text") {
    const text = field(element, "text", `${path}.text`);
    return { ...plain, text: required(text, readText(text)) };
  }
  if (kind === "draft_task") return { ...plain, text: readInner(element, kind, "id", path) };

  const address = readInner(element, kind, "url", path);
  const role = field(element, "role", `${path}.role`);
  const media = MEDIA[kind];
  const id = readAssetId(address, path);
  return {
    ...plain,
    role: readChoice(role, media.roles) ?? requiredRole(media.roles, role.path),
    ...(id === undefined
      ? { media: media.read(address, path) }
      : readAsset(findAsset(id), media.asset, path)),
  };
}

/** A picture's role can be told from how many there are; there is no choice for the others, which still have to say it. */
function requiredRole(roles: readonly string[], path: string): undefined {
  if (roles.length > 1) return undefined;
  throw invalidField(path, `role must be specified as ${roles.join()}`);
}

function readInner(element: JsonObject, kind: string, name: string, path: string): string {
  const inner = field(element, kind, `${path}.${kind}`);
  const object = required(inner, readObject(inner));
  const address = field(object, name, `${path}.${kind}.${name}`);
  return required(address, readText(address));
}

const MEDIA = {
  image_url: {
    roles: ["first_frame", "last_frame", "reference_image"],
    read: readImage,
    asset: "Image",
  },
  video_url: { roles: ["reference_video"], read: readVideo, asset: "Video" },
  audio_url: { roles: ["reference_audio"], read: readAudio, asset: "Audio" },
} as const;

function readImage(address: string, path: string): Partial<Media> {
  if (address === "")
    throw refusedAs(
      "InvalidImageURL.EmptyURL",
      "The request failed because the image URL is empty.",
      path,
    );
  if (isLink(address)) return {};
  const [, format = "", data = ""] = /^data:image\/([a-z]+);base64,(.+)$/s.exec(address) ?? [];
  if (!IMAGE_FORMATS.includes(format)) {
    const message =
      "The request failed because the image URL is neither a link nor an asset nor a data URI of a known format.";
    throw refusedAs("InvalidImageURL.InvalidFormat", message, path);
  }
  const media = inspectMedia("image", Buffer.from(data, "base64"), `image/${format}`);
  checkImage(media, format, path);
  return media;
}

const IMAGE_FORMATS = ["jpeg", "jpg", "png", "webp", "bmp", "tiff", "gif", "heic", "heif"];
const PHONE_FORMATS = ["heic", "heif"];

function checkImage(media: Media, format: string, path: string): void {
  // What telephones write cannot be looked into here.
  const isOpaque = PHONE_FORMATS.includes(format) && (media.sizeBytes ?? 0) < BOUNDS.maxBytes;
  const reason = isOpaque ? undefined : outside(media, BOUNDS);
  if (reason !== undefined) throw invalidField(path, reason);
}

const BOUNDS: ImageBounds = {
  types: ["image/jpeg", "image/png", "image/webp", "image/bmp", "image/tiff", "image/gif"],
  maxBytes: 30 * 1_048_576,
  minSide: 300,
  maxSide: 6_000,
  maxPixels: Infinity,
  maxRatio: 2.5,
};

function readVideo(address: string, path: string): Partial<Media> {
  if (isLink(address)) return {};
  throw invalidField(path, "video_url.url must be a link or an asset");
}

function readAudio(address: string, path: string): Partial<Media> {
  if (isLink(address)) return {};
  const [, format = "", data = ""] = /^data:audio\/([a-z\d]+);base64,(.+)$/s.exec(address) ?? [];
  if (!["wav", "mp3", "mpeg"].includes(format))
    throw invalidField(path, "audio_url.url must be a link, an asset, or a data URI of wav or mp3");
  const media = inspectMedia("audio", Buffer.from(data, "base64"), `audio/${format}`);
  if ((media.sizeBytes ?? 0) > 15 * 1_048_576)
    throw invalidField(path, "audio size must be at most 15 MB");
  return media;
}

function isLink(address: string): boolean {
  return /^https?:\/\/[^/\s]+/.test(address);
}
