import { inspectMedia, type Media } from "../engine/media.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { field, readList, readText } from "../openai/fields.ts";
import { invalidField, lackingField, refused } from "./error.ts";
import type { Action, ViduModel } from "./models.ts";

interface Images {
  readonly given: readonly string[];
  /** Of the first one, as far as that is known. */
  readonly media: Partial<Media>;
}

export function readImages(
  body: JsonObject,
  action: Action,
  { references }: Pick<ViduModel, "references">,
): Images {
  const { path, value } = field(body, "images");
  const list = readList({ path, value }, 0, 50) ?? [];
  const given = list.filter((each) => typeof each === "string");
  if (given.length !== list.length) throw invalidField(path);
  const subjects = action === "reference2video" ? readSubjects(body) : [];
  const [least, usual] = COUNTS[action];
  const most = action === "reference2video" ? references.images : usual;
  checkSounds(body, action === "reference2video" ? references.sounds : 0);
  const count = given.length + subjects.length;
  if (count > 0 && most === 0) throw refused("FieldUnwanted", `unwanted field: ${path}`);
  if (count === 0 && least > 0) throw lackingField(path);
  if (count < least || count > most)
    throw refused("FieldItemCountOutOfRange", `field item count out of range: ${path}`);

  const media = [...given, ...subjects].map(readImage);
  if (action === "start-end2video") checkAlike(media);
  return { given, media: media[0] ?? {} };
}

/** Links, or data URIs; a link is not followed. */
function checkSounds(body: JsonObject, most: number): void {
  const list = readList(field(body, "sounds"), 0, 50) ?? [];
  if (list.length > 0 && most === 0) throw refused("FieldUnwanted", "unwanted field: sounds");
  if (list.length > most)
    throw refused("FieldItemCountOutOfRange", "field item count out of range: sounds");
  if (list.some((each) => typeof each !== "string" || !/^(https?:\/\/|data:audio\/)/.test(each)))
    throw invalidField("sounds");
}

const COUNTS: Readonly<Record<Action, readonly [number, number]>> = {
  text2video: [0, 0],
  img2video: [1, 1],
  "start-end2video": [2, 2],
  reference2video: [1, 7],
};

/** Pictures under names that the prompt can mention. */
function readSubjects(body: JsonObject): readonly string[] {
  const subjects = readList(field(body, "subjects"), 0, 7) ?? [];
  return subjects.flatMap((subject, index) => {
    const path = `subjects[${index}]`;
    if (!isJsonObject(subject)) throw invalidField(path);
    if (readText(field(subject, "id", `${path}.id`)) === undefined)
      throw lackingField(`${path}.id`);
    readText(field(subject, "voice_id", `${path}.voice_id`));
    const images = readList(field(subject, "images", `${path}.images`), 1, 3) ?? [];
    return images.map((image) => {
      if (typeof image === "string") return image;
      throw invalidField(`${path}.images`);
    });
  });
}

/** A link, or a data URI, whose prefix is not optional. */
function readImage(address: string): Partial<Media> {
  if (/^https?:\/\/[^/\s]/.test(address)) return {};
  const [, format = "", data] = /^data:image\/([a-z]+);base64,(.+)$/s.exec(address) ?? [];
  if (data === undefined) throw invalidField("images");
  if (!["png", "jpeg", "jpg", "webp"].includes(format)) throw refused("ImageFormatInvalid");
  const media = inspectMedia("image", Buffer.from(data, "base64"));
  if (!/^image\/(?:png|jpeg|webp)$/.test(media.mediaType ?? ""))
    throw refused("ImageFormatInvalid");
  if ((media.sizeBytes ?? 0) >= MAX_BYTES) throw refused("PageSizeOutOfRange");
  const ratio = ratioOf(media);
  if (ratio !== undefined && (ratio < 0.25 || ratio > 4)) throw invalidField("images");
  return media;
}

const MAX_BYTES = 50 * 1_048_576;

/** What lies between two pictures can hardly change its shape. */
function checkAlike(media: readonly Partial<Media>[]): void {
  const [start, end] = media.map(ratioOf);
  if (start === undefined || end === undefined) return;
  if (start / end < 0.8 || start / end > 1.25) throw invalidField("images");
}

function ratioOf({ widthPixels, heightPixels }: Partial<Media>): number | undefined {
  return widthPixels === undefined || heightPixels === undefined
    ? undefined
    : widthPixels / heightPixels;
}
