import { invalidValue } from "../error.ts";
import { aspectOf, readImage, readVideoLink } from "../images.ts";
import { isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { field, readChoice, readList, readText } from "@sluice/sandbox/openai/fields.ts";
import type { Seen } from "./images.ts";

/** Pictures, a video and elements, which the words name as `<<<image_1>>>`. */
export function readOmni(body: JsonObject, prompt: string, hasSound: boolean): Seen {
  const videos = readList(field(body, "video_list"), 0, 1) ?? [];
  const images = readList(field(body, "image_list"), 0, 7) ?? [];
  const elements = readList(field(body, "element_list"), 0, 7) ?? [];
  const most = videos.length > 0 ? 4 : 7;
  if (images.length + elements.length > most)
    throw invalidValue("image_list", `at most ${most} images and elements are allowed`);
  for (const [index, video] of videos.entries()) checkVideo(video, `video_list[${index}]`);
  if (hasSound && videos.length > 0)
    throw invalidValue("sound", "cannot be on with a reference video");
  checkNames(prompt, { image: images.length, video: videos.length, element: elements.length });

  const seen = images.map((each, index) => readListed(each, `image_list[${index}]`));
  const first = seen.find(({ type }) => type === "first_frame");
  if (first === undefined && seen.some(({ type }) => type === "end_frame"))
    throw invalidValue("image_list", "an end frame needs a first frame");
  if (first === undefined && videos.length === 0 && field(body, "aspect_ratio").value === undefined)
    throw invalidValue("aspect_ratio", "is required without a first frame and a video");
  return {
    aspect: first === undefined ? undefined : aspectOf(first.media),
    hasReferences:
      videos.length + elements.length > 0 || seen.some(({ type }) => type === undefined),
  };
}

function readListed(value: Json, path: string) {
  if (!isJsonObject(value)) throw invalidValue(path, "must be an object");
  const media = readImage(readText(field(value, "image_url", `${path}.image_url`)) ?? "", path);
  return {
    type: readChoice(field(value, "type", `${path}.type`), ["first_frame", "end_frame"]),
    media,
  };
}

function checkVideo(value: Json, path: string): void {
  if (!isJsonObject(value)) throw invalidValue(path, "must be an object");
  readVideoLink(readText(field(value, "video_url", `${path}.video_url`)) ?? "", path);
  readChoice(field(value, "refer_type", `${path}.refer_type`), ["feature", "base"]);
  readChoice(field(value, "keep_original_sound", `${path}.keep_original_sound`), ["yes", "no"]);
}

/** What the words name has to be there. */
function checkNames(prompt: string, counts: Readonly<Record<string, number>>): void {
  for (const [name, kind = "", number = ""] of prompt.matchAll(
    /<<<(image|video|element)_(\d+)>>>/g,
  )) {
    const count = counts[kind] ?? 0;
    if (Number(number) < 1 || Number(number) > count)
      throw invalidValue("prompt", `${name} is not among the ${count} given`);
  }
}
