import type { Media } from "@sluice/sandbox/engine/media.ts";
import { invalidValue } from "../error.ts";
import { readImage, readVideoLink } from "../images.ts";
import { isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { field, readList, readText, required } from "@sluice/sandbox/openai/fields.ts";
import type { V3Model } from "./models.ts";
import type { Product } from "./request.ts";
import type { Settings } from "./settings.ts";

/** The inputs of a video, besides its settings. */
export interface Contents {
  readonly prompt: string;
  readonly firstFrame: Partial<Media> | undefined;
  readonly hasLastFrame: boolean;
  /** The kinds of what it refers to: "refer_image" and "element". */
  readonly references: readonly string[];
  readonly elements: number;
  readonly video: "feature_video" | "base_video" | undefined;
}

export function readContents(body: JsonObject, model: V3Model): Contents {
  const { path, value } = field(body, "contents");
  const list = required({ path, value }, readList({ path, value }, 1, 50));
  const items = list.map((each, index) => readItem(each, `contents[${index}]`, model));
  const of = (type: string) => items.filter((item) => item.type === type);
  for (const type of ["prompt", "first_frame", "last_frame"]) checkSingle(of(type).length, type);
  const videos = [...of("feature_video"), ...of("base_video")];
  checkSingle(videos.length, "reference video");

  const [first] = of("first_frame");
  const [video] = videos;
  return {
    prompt: of("prompt")[0]?.text ?? "",
    firstFrame: first?.media,
    hasLastFrame: of("last_frame").length > 0,
    references: [...of("refer_image"), ...of("element")].map(({ type }) => type),
    elements: of("element").length,
    video:
      video === undefined
        ? undefined
        : video.type === "base_video"
          ? "base_video"
          : "feature_video",
  };
}

function checkSingle(count: number, what: string): void {
  if (count > 1) throw invalidValue("contents", `at most one ${what} is allowed`);
}

interface Item {
  readonly type: string;
  readonly text: string;
  readonly media: Partial<Media>;
}

function readItem(value: Json, path: string, model: V3Model): Item {
  if (!isJsonObject(value)) throw invalidValue(path, "must be an object");
  const type = readText(field(value, "type", `${path}.type`)) ?? "";
  if (!["prompt", "first_frame", "last_frame", ...model.takes].includes(type))
    throw invalidValue(`${path}.type`, `'${type}' is not supported by the current model`);
  readText(field(value, "id", `${path}.id`));
  const name = MEMBERS[type] ?? "url";
  const text = readText(field(value, name, `${path}.${name}`)) ?? "";
  if (text === "") throw invalidValue(`${path}.${name}`, "cannot be empty");
  if (type.endsWith("_video")) readVideoLink(text, `${path}.url`);
  const isImage = type.endsWith("_frame") || type === "refer_image";
  return { type, text, media: isImage ? readImage(text, `${path}.url`) : {} };
}

const MEMBERS: Readonly<Record<string, string>> = {
  prompt: "text",
  element: "element_id",
  voice: "voice_id",
};

/** Allowed combinations of inputs. */
export function checkContents(
  contents: Contents,
  settings: Settings,
  product: Product,
  model: V3Model,
  id: string,
): void {
  const { firstFrame, hasLastFrame, references, elements, video } = contents;
  const hasFrames = firstFrame !== undefined || hasLastFrame;
  const images = references.length - elements;
  const most = video === undefined ? 7 : 4;
  const rules: readonly (readonly [boolean, string])[] = [
    [hasLastFrame && !model.takesLastFrame, "a last frame is not supported by the current model"],
    [hasLastFrame && firstFrame === undefined, "a last frame needs a first frame"],
    [product === "image-to-video" && firstFrame === undefined, "a first frame is required"],
    [hasLastFrame && video === "feature_video", "a last frame cannot be used with a feature video"],
    [hasFrames && video === "base_video", "frames cannot be used with a base video"],
    [
      hasFrames && images > 0 && id === "kling-o1",
      "frames and reference images cannot be used together",
    ],
    [hasFrames && elements > 3, "at most 3 elements are allowed with frames"],
    [references.length > most, `at most ${most} reference images and elements are allowed`],
    [video === "feature_video" && settings.audio !== "off", "a feature video needs audio off"],
    [video === "feature_video" && settings.shoots === false, "a feature video needs multi_shot"],
    [video === "base_video" && settings.asksForShots, "a base video cannot have multi_shot"],
    [
      video === "base_video" && settings.audio === "native",
      "a base video cannot have native audio",
    ],
    [
      settings.audio === "original" && video === undefined,
      "original audio needs a reference video",
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken !== undefined) throw invalidValue("contents", broken[1]);
}
