import { invalid, type GatewayError } from "#core/error.ts";
import type { VideoMedia } from "#core/video.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { readMedium } from "#styles/video/read-medium.ts";
import { readFlags, type Flags } from "./inline-flags.ts";

/** Text and media of one list. */
export interface Content {
  /** Undefined without text. */
  readonly prompt?: string;
  readonly media: readonly VideoMedia[];
  readonly flags: Flags;
}

const MAX_ELEMENTS = 64;

/** `at`: the client's name of the list. */
export function readContent(content: readonly Json[], at: string): Content {
  if (content.length > MAX_ELEMENTS) {
    throw invalid(at, `'${at}' must have at most ${MAX_ELEMENTS} elements.`);
  }
  const texts: string[] = [];
  const media: Element[] = [];
  for (const [index, element] of content.entries()) {
    const place = `${at}[${index}]`;
    if (!isObject(element)) throw invalid(place, `'${place}' must be an object.`);
    if (element["type"] === "text") texts.push(readText(element, place));
    else media.push(readElement(element, place));
  }
  const prompt = texts.filter((text) => text.trim() !== "").join("\n");
  return {
    ...(prompt === "" ? {} : { prompt }),
    media: withRoles(media, at),
    flags: readFlags(prompt),
  };
}

function readText({ text = "" }: JsonObject, place: string): string {
  if (typeof text === "string") return text;
  throw invalid(`${place}.text`, `'${place}.text' must be text.`);
}

/** A medium without a role yet. */
interface Element extends Omit<VideoMedia, "role"> {
  readonly role: VideoMedia["role"] | undefined;
}

const TYPES: ReadonlyMap<Json | undefined, VideoMedia["type"]> = new Map([
  ["image_url", "image"],
  ["video_url", "video"],
  ["audio_url", "audio"],
]);

function readElement(element: JsonObject, place: string): Element {
  const member = textOf(element["type"]) ?? "";
  const type = TYPES.get(member);
  if (type === undefined) {
    const allowed = "text, image_url, video_url or audio_url";
    throw invalid(`${place}.type`, `'${place}.type' must be ${allowed}.`);
  }
  const url = textOf(memberOf(element[member], "url")) ?? "";
  if (url.trim() === "") throw invalid(`${place}.${member}.url`, `${member}.url is required`);
  const source = readMedium(url, `${place}.${member}.url`);
  return { type, source, role: readRole(element["role"], type, place) };
}

/** Two names for each frame: the vendor's, and the API's own. */
const IMAGE_ROLES: ReadonlyMap<string, VideoMedia["role"]> = new Map([
  ["reference_image", "reference"],
  ["first_frame", "first_frame"],
  ["first_image", "first_frame"],
  ["last_frame", "last_frame"],
  ["last_image", "last_frame"],
]);

function readRole(role: Json | undefined, type: VideoMedia["type"], place: string) {
  const isSilent = role === undefined || role === null || role === "";
  const own = `reference_${type}`;
  if (type !== "image") {
    if (isSilent || role === own) return "reference" as const;
    throw invalid(`${place}.role`, `'${place}.role' must be ${own}.`);
  }
  const known = IMAGE_ROLES.get(textOf(role) ?? "");
  if (known !== undefined || isSilent) return known;
  const allowed = [...IMAGE_ROLES.keys()].join(", ");
  throw invalid(`${place}.role`, `'${place}.role' must be one of ${allowed}.`);
}

/** A single image without a role is the first frame; several images need a role each. */
function withRoles(elements: readonly Element[], at: string): readonly VideoMedia[] {
  const images = elements.filter(({ type }) => type === "image");
  const count = (role: VideoMedia["role"] | undefined): number =>
    images.filter((each) => each.role === role).length;
  if (count("last_frame") > 0 && count("reference") > 0) {
    throw mixed(at, "last frame image content cannot be mixed with reference image");
  }
  if (count("first_frame") > 1) {
    throw mixed(
      at,
      "only one image may be the first frame: others are of the role reference_image",
    );
  }
  if (count("last_frame") > 1) throw mixed(at, "only one image may be the last frame");
  const isFirst = images.length === 1 || (images.length === 2 && count("last_frame") === 1);
  if (count(undefined) > 0 && !isFirst) {
    throw mixed(at, "role is required for each image where there are several");
  }
  return elements.map(({ role = "first_frame", ...rest }) => ({ ...rest, role }));
}

function mixed(at: string, message: string): GatewayError {
  return invalid(at, message);
}
