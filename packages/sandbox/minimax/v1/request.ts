import { outside, readGiven, type ImageBounds } from "@sluice/sandbox/engine/given-image.ts";
import type { Media } from "@sluice/sandbox/engine/media.ts";
import { nearestRatio, sidesOf } from "@sluice/sandbox/engine/ratios.ts";
import { isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { invalidParams } from "../error.ts";
import type { MinimaxOrder } from "../order.ts";
import {
  field,
  readBoolean,
  readChoice,
  readInteger,
  readList,
  readText,
  required,
  type FieldValue,
} from "@sluice/sandbox/openai/fields.ts";
import { findOldModel, type OldModel } from "./models.ts";

export function readV1Request(body: Json | undefined): MinimaxOrder {
  if (!isJsonObject(body)) throw invalidParams("the body must be a JSON object");
  const id = required(field(body, "model"), readText(field(body, "model")));
  const model = findOldModel(id);
  if (model === undefined) throw invalidParams(`model ${id} does not exist`);
  const prompt = readText(field(body, "prompt"), 2_000) ?? "";
  const given = readPictures(body, model);
  if (prompt.trim() === "" && given.length === 0) throw invalidParams("prompt is required");
  for (const name of ["prompt_optimizer", "fast_pretreatment", "aigc_watermark"])
    readBoolean(field(body, name));
  const [usual] = model.resolutions;
  const resolution = readChoice(field(body, "resolution"), model.resolutions) ?? usual;
  const seconds = readInteger(field(body, "duration"), 1, 60) ?? 6;
  if (!model.seconds.includes(seconds) || (resolution === "1080P" && seconds > 6))
    throw invalidParams(`duration ${seconds} is not supported in ${resolution}`);
  if (resolution === "512P" && given.length === 0)
    throw invalidParams("resolution 512P needs first_frame_image");
  const ratio = nearestRatio(given[0] ?? {});
  return {
    version: "v1",
    model: id,
    prompt,
    seconds,
    ...sidesOf(ratio, Number.parseInt(resolution, 10)),
    resolution,
    ratio,
    hasSound: false,
    images: given.length,
    videos: 0,
    audios: 0,
    callbackUrl: readCallback(body),
  };
}

function readPictures(body: JsonObject, { given, needsGiven }: OldModel): readonly Media[] {
  const first = readPicture(field(body, "first_frame_image"));
  const last = readPicture(field(body, "last_frame_image"));
  const subject = readSubject(body);
  const found = { first, last, subject };
  for (const kind of ["first", "last", "subject"] as const)
    if (found[kind] !== undefined && !given.includes(kind))
      throw invalidParams(`the model takes no ${FIELDS[kind]}`);
  const [main] = given;
  if (needsGiven && main !== undefined && found[main] === undefined)
    throw invalidParams(`${FIELDS[main]} is required`);
  return [first, last, subject].flatMap((each) => each ?? []);
}

const FIELDS = {
  first: "first_frame_image",
  last: "last_frame_image",
  subject: "subject_reference",
} as const;

function readSubject(body: JsonObject): Media | undefined {
  const list = field(body, "subject_reference");
  const [subject] = readList(list, 1, 1) ?? [];
  if (subject === undefined) return undefined;
  if (!isJsonObject(subject)) throw invalidParams("subject_reference must be a list of objects");
  readChoice(field(subject, "type", "subject_reference[0].type"), ["character"]);
  const images = field(subject, "image", "subject_reference[0].image");
  const [value] = required(images, readList(images, 1, 1));
  return required(images, readPicture({ path: images.path, value }));
}

function readPicture({ path, value }: FieldValue): Media | undefined {
  const text = readText({ path, value });
  if (text === undefined) return undefined;
  const media = readGiven(text, /^https?:\/\/[^\s/]+/);
  const reason = media === undefined ? "neither a URL nor a data URL" : outside(media, BOUNDS);
  if (media === undefined || reason !== undefined) throw invalidParams(`${path}: ${reason}`);
  return media;
}

const BOUNDS: ImageBounds = {
  types: ["image/jpeg", "image/png", "image/webp"],
  maxBytes: 20 * 1_048_576,
  minSide: 300,
  maxSide: Infinity,
  maxPixels: Infinity,
  maxRatio: 2.5,
};

function readCallback(body: JsonObject): string | undefined {
  const address = readText(field(body, "callback_url")) || undefined;
  if (address === undefined || URL.canParse(address)) return address;
  throw invalidParams("callback_url must be a URL");
}
