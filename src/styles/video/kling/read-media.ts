import { invalid } from "#core/error.ts";
import type { VideoMedia, VideoScenario } from "#core/video.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, textOf } from "#lib/values.ts";
import { readMedia } from "../read-media.ts";
import { scenarioOf } from "../scenario.ts";
import { checkInputs } from "./omni.ts";

interface Shown {
  readonly scenario: VideoScenario;
  readonly media: readonly VideoMedia[];
}

/** Last path segments, by input type. */
export const PATHS = ["text2video", "image2video", "multi-image2video", "omni-video"] as const;

export function readShown(path: string | undefined, body: JsonObject): Shown {
  switch (path) {
    case "text2video":
      return readNothing(body);
    case "image2video":
      return readFrames(body);
    case "multi-image2video":
      return readReferences(body);
    default:
      return readAll(body);
  }
}

/** Some clients send every field, and empty values for unset ones. */
function pictureIn(value: Json | undefined, role: VideoMedia["role"], param: string) {
  const text = textOf(value) ?? "";
  return text === ""
    ? []
    : [{ type: "image", role, source: readMedia(text, "image", param) } as const];
}

function readNothing(body: JsonObject): Shown {
  const shown = ["image", "image_tail", "image_list", "video_list"].find(
    (name) => textOf(body[name]) || listOf(body[name]).length > 0,
  );
  if (shown === undefined) return { scenario: "text", media: [] };
  throw invalid(shown, `'${shown}' must be omitted: text2video accepts only text.`);
}

function readFrames(body: JsonObject): Shown {
  const media = [
    ...pictureIn(body["image"], "first_frame", "image"),
    ...pictureIn(body["image_tail"], "last_frame", "image_tail"),
  ];
  if (media.length === 0) throw invalid("image", "'image' or 'image_tail' must have an image.");
  return { scenario: scenarioOf(media), media };
}

const MOST_PICTURES = 4;

function readReferences(body: JsonObject): Shown {
  const media = listOf(body["image_list"]).flatMap((each, index) =>
    pictureIn(
      isObject(each) ? each["image"] : undefined,
      "reference",
      `image_list[${index}].image`,
    ),
  );
  if (media.length > 0 && media.length <= MOST_PICTURES) return { scenario: "reference", media };
  throw invalid("image_list", `'image_list' must have 1 to ${MOST_PICTURES} images.`);
}

const ROLES: ReadonlyMap<Json | undefined, VideoMedia["role"]> = new Map([
  ["first_frame", "first_frame"],
  ["end_frame", "last_frame"],
]);

function readAll(body: JsonObject): Shown {
  const pictures = listOf(body["image_list"])
    .filter(isObject)
    .map((each, index): VideoMedia => {
      const param = `image_list[${index}].image_url`;
      const url = textOf(each["image_url"]) ?? "";
      const role = ROLES.get(each["type"]) ?? "reference";
      return {
        type: "image",
        role,
        source: readMedia(url, "image", param),
        tag: `image_${index + 1}`,
      };
    });
  const videos = listOf(body["video_list"])
    .filter(isObject)
    .map((each, index): VideoMedia => {
      const url = textOf(each["video_url"]) ?? "";
      return {
        type: "video",
        role: each["refer_type"] === "base" ? "base" : "reference",
        source: readMedia(url, "video", `video_list[${index}].video_url`),
        tag: `video_${index + 1}`,
      };
    });
  checkInputs(videos.length, pictures.length + listOf(body["element_list"]).length);
  const media = [...pictures, ...videos];
  const isLookedAt = media.some(({ role }) => role === "reference");
  return { scenario: isLookedAt ? "omni" : scenarioOf(media), media };
}

/** Replaces media numbers in the prompt by names, because the order may differ elsewhere. */
export function withNames(prompt: string, media: readonly VideoMedia[]): string {
  const tags = new Set(media.map(({ tag }) => tag));
  return prompt.replaceAll(/<<<((?:image|video)_\d{1,3})>>>/g, (said, tag: string) =>
    tags.has(tag) ? `@${tag}` : said,
  );
}
