import { invalid } from "#core/error.ts";
import type { VideoMedia } from "#core/video.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { readMedia } from "../read-media.ts";

const MAX_REFERENCES = { image: 9, video: 3, audio: 3 } as const;
const PAYLOADS = ["text", "image_url", "video_url", "audio_url"];

interface Content {
  readonly prompt?: string;
  readonly media: readonly VideoMedia[];
}

/** Reads a validated list. */
export function readContent(content: Json | undefined): Content {
  const elements = listOf(content).filter(isObject);
  const words = elements.flatMap((each) => (each["type"] === "text" ? [each["text"]] : []));
  const media = elements.flatMap((each, index) => mediumIn(each, `content[${index}]`));
  checkTogether(media);
  const prompt = words.map((each) => textOf(each) ?? "").join("\n");
  return { ...(prompt === "" ? {} : { prompt }), media };
}

function mediumIn(element: JsonObject, at: string): readonly VideoMedia[] {
  const name = textOf(element["type"]) ?? "";
  const another = PAYLOADS.find((each) => each !== name && isSaid(element[each]));
  if (another !== undefined) {
    throw invalid(
      `${at}.${another}`,
      `'${at}.${another}' is not allowed in an element of '${name}'.`,
    );
  }
  if (name === "text") {
    if (!isSaid(element["role"])) return [];
    throw invalid(`${at}.role`, `'${at}.role' is not allowed in an element of 'text'.`);
  }
  const type = name.slice(0, -"_url".length) as VideoMedia["type"];
  const url = textOf(memberOf(element[name], "url")) ?? "";
  return [{ type, role: roleOf(element, type), source: readMedia(url, type, `${at}.${name}.url`) }];
}

function isSaid(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

/** An image without a role is the first frame. */
function roleOf({ role }: JsonObject, type: VideoMedia["type"]): VideoMedia["role"] {
  if (role === "last_frame") return "last_frame";
  const isFirst = type === "image" && (role === "first_frame" || !isSaid(role));
  return isFirst ? "first_frame" : "reference";
}

function checkTogether(media: readonly VideoMedia[]): void {
  const count = (role: VideoMedia["role"]): number =>
    media.filter((each) => each.role === role).length;
  if (count("first_frame") > 1 || count("last_frame") > 1) {
    throw invalid(
      "content",
      "'content' may have one first frame and one last frame; an image without a role is a first frame.",
    );
  }
  if (count("last_frame") > count("first_frame")) {
    throw invalid("content", "A last frame requires a first frame.");
  }
  const references = media.filter(({ role }) => role === "reference");
  if (count("first_frame") > 0 && references.length > 0) {
    throw invalid("content", "Frames and references cannot be combined.");
  }
  for (const [type, most] of Object.entries(MAX_REFERENCES)) {
    if (references.filter((each) => each.type === type).length <= most) continue;
    throw invalid("content", `'content' must have at most ${most} elements of '${type}_url'.`);
  }
  if (references.length > 0 && references.every(({ type }) => type === "audio")) {
    throw invalid("content", "Audio requires an image or a video.");
  }
}
