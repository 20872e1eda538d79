import { readGiven } from "@sluice/sandbox/engine/given-image.ts";
import type { Media } from "@sluice/sandbox/engine/media.ts";
import { nearestRatio, RATIOS, sidesOf } from "@sluice/sandbox/engine/ratios.ts";
import { isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { invalidParams } from "../error.ts";
import type { MinimaxOrder } from "../order.ts";
import {
  field,
  readBoolean,
  readChoice,
  readInteger,
  readList,
  readObject,
  readText,
  required,
} from "@sluice/sandbox/openai/fields.ts";

export function readV2Request(body: Json | undefined): MinimaxOrder {
  if (!isJsonObject(body)) throw invalidParams("the body must be a JSON object");
  const model = field(body, "model");
  const id = required(model, readChoice(model, ["MiniMax-H3", "MiniMax-H3-Max"]));
  const isMax = id === "MiniMax-H3-Max";
  const content = readContent(body);
  const isReferred = content.images.some((each) => each.role === "reference_image");
  if (isMax && (isReferred || content.videos + content.audios > 0))
    throw invalidParams("references are not supported by MiniMax-H3-Max");
  const resolution = field(body, "resolution");
  const asked = required(
    resolution,
    readChoice(resolution, isMax ? ["480P", "768P"] : ["768P", "2K"]),
  );
  const duration = field(body, "duration");
  const seconds = required(duration, readInteger(duration, isMax ? 5 : 4, 15));
  const ratio = readRatio(body, content);
  readBoolean(field(body, "aigc_watermark"));
  const callbackUrl = readText(field(body, "callback_url")) || undefined;
  if (callbackUrl !== undefined && !URL.canParse(callbackUrl))
    throw invalidParams("callback_url must be a URL");
  return {
    version: "v2",
    model: id,
    prompt: content.text,
    seconds,
    ...sidesOf(ratio, LINES[asked]),
    resolution: asked,
    ratio,
    hasSound: true,
    images: content.images.length,
    videos: content.videos,
    audios: content.audios,
    callbackUrl,
  };
}

const LINES = { "480P": 480, "768P": 768, "2K": 1_440 } as const;

function readRatio(body: JsonObject, { images, videos }: Content) {
  const ratio = readChoice(field(body, "ratio"), [...RATIOS, "adaptive"]);
  if (ratio !== undefined && ratio !== "adaptive") return ratio;
  if (images.length + videos === 0)
    throw invalidParams("ratio must be given, and not be adaptive, where there is only text");
  return nearestRatio(images[0]?.media ?? {});
}

interface Content {
  readonly text: string;
  readonly images: readonly Element[];
  readonly videos: number;
  readonly audios: number;
}

function readContent(body: JsonObject): Content {
  const list = field(body, "content");
  const values = required(list, readList(list, 1, 50));
  const elements = values.map((value, index) => readElement(value, `content[${index}]`));
  const of = (type: Element["type"]) => elements.filter((each) => each.type === type);
  const images = of("image_url");
  const [videos, audios] = [of("video_url").length, of("audio_url").length];
  const text = of("text")
    .map((each) => each.text)
    .join("\n");
  if (of("text").length === 0) throw invalidParams("content must have a text");
  if (text.length > 7_000) throw invalidParams("the text must have at most 7000 characters");
  if (images.length > 9 || videos > 3 || audios > 3)
    throw invalidParams("content must have at most 9 images, 3 videos and 3 audios");
  if (audios > 0 && images.length + videos === 0)
    throw invalidParams("an audio needs an image or a video beside it");
  checkRoles(images, videos + audios > 0);
  return { text, images, videos, audios };
}

/** A picture without a role begins the video, where it is the only one. */
function checkRoles(images: readonly Element[], hasReferences: boolean): void {
  const named = (role: string) => images.filter((image) => image.role === role).length;
  const nameless = images.filter((image) => image.role === undefined).length;
  const first = named("first_frame") + nameless;
  const last = named("last_frame");
  if (nameless > 0 && images.length > 1)
    throw invalidParams("images must have a role where there are several");
  if (first > 1 || last > 1) throw invalidParams("there must be at most one of each frame");
  if (last > 0 && first === 0) throw invalidParams("last_frame needs first_frame");
  if (first + last > 0 && (hasReferences || named("reference_image") > 0))
    throw invalidParams("frames and references cannot be used together");
}

interface Element {
  readonly type: "text" | "image_url" | "video_url" | "audio_url";
  readonly text: string;
  readonly role: string | undefined;
  readonly media: Partial<Media>;
}

function readElement(value: Json, path: string): Element {
  const element = required({ path, value }, readObject({ path, value }));
  const kind = field(element, "type", `${path}.type`);
  const type = required(kind, readChoice(kind, TYPES));
  if (TYPES.some((other) => other !== type && Object.hasOwn(element, other)))
    throw invalidParams(`${path} must hold ${type} alone`);
  const role = field(element, "role", `${path}.role`);
  if (type === "text") {
    const text = field(element, "text", `${path}.text`);
    const words = required(text, readText(text));
    if (words.trim() === "" || role.value !== undefined)
      throw invalidParams(`${path} must be a text that is not empty, and has no role`);
    return { type, text: words, role: undefined, media: {} };
  }
  const inner = field(element, type, `${path}.${type}`);
  const url = field(required(inner, readObject(inner)), "url", `${path}.${type}.url`);
  const media = readAddress(type, required(url, readText(url)), url.path);
  const named = readChoice(role, ROLES[type]);
  if (type !== "image_url") required(role, named);
  return { type, text: "", role: named, media };
}

const TYPES = ["text", "image_url", "video_url", "audio_url"] as const;
const ROLES = {
  image_url: ["first_frame", "last_frame", "reference_image"],
  video_url: ["reference_video"],
  audio_url: ["reference_audio"],
} as const;

function readAddress(type: keyof typeof ROLES, url: string, path: string): Partial<Media> {
  if (/^https?:\/\/[^\s/]+/.test(url)) return {};
  const isAudio = type === "audio_url" && /^data:audio\/[a-z\d.+-]+;base64,.+/s.test(url);
  if (isAudio) return {};
  const media = type === "image_url" ? readGiven(url, /^https?:/) : undefined;
  if (media?.widthPixels !== undefined) return media;
  throw invalidParams(`${path} must be a URL`);
}
