import { outside, readGiven, type ImageBounds } from "@sluice/sandbox/engine/given-image.ts";
import type { Media } from "@sluice/sandbox/engine/media.ts";
import { isJsonArray, type Json } from "@sluice/sandbox/json.ts";
import { checkNegativePrompt } from "../image-parameters.ts";
import { invalidParameter, memberOf } from "../native.ts";
import { MEDIA_TYPES, type WanModel } from "./models.ts";

/** The inputs of a video. */
export interface WanInput {
  readonly prompt: string;
  /** The first picture that was given, as far as it is known. */
  readonly picture: Media | undefined;
  readonly videos: number;
  /** It sounds as it was told to. */
  readonly hasOwnSound: boolean;
}

export function readWanInput(
  input: Json | undefined,
  model: WanModel,
  takesOss: boolean,
): WanInput {
  const read = givenReader(model, takesOss);
  const template = textAt(input, "template");
  checkNegativePrompt(memberOf(input, "negative_prompt"));
  const sound = read.file("audio_url", memberOf(input, "audio_url"));
  const given = readFor(model, input, read, template !== undefined);
  const prompt = textAt(input, "prompt") ?? "";
  const isWordy =
    model.from === "words" ||
    model.from === "references" ||
    (model.from === "any" && memberOf(input, "media") === undefined);
  if (prompt.trim() === "" && isWordy) throw invalidParameter("input.prompt is required.");
  const isHeard = sound && !["2.1", "2.2"].includes(model.generation);
  return {
    prompt: prompt.slice(0, model.promptChars),
    ...given,
    hasOwnSound: isHeard || given.hasOwnSound,
  };
}

type Given = Pick<WanInput, "picture" | "videos" | "hasOwnSound">;
const EMPTY: Given = { picture: undefined, videos: 0, hasOwnSound: false };

function readFor(
  model: WanModel,
  input: Json | undefined,
  read: GivenReader,
  isEffect: boolean,
): Given {
  switch (model.from) {
    case "words":
      return EMPTY;
    case "picture":
      return {
        ...EMPTY,
        picture: demanded("img_url", read.picture("img_url", memberOf(input, "img_url"))),
      };
    case "frames": {
      const [first, last] = ["first_frame_url", "last_frame_url"].map((name) =>
        read.picture(name, memberOf(input, name)),
      );
      // An effect knows how it ends.
      if (!isEffect) demanded("last_frame_url", last);
      return { ...EMPTY, picture: demanded("first_frame_url", first) };
    }
    case "references":
      return readReferences(input, read);
    case "any":
      return memberOf(input, "media") === undefined ? EMPTY : readMedia(model, input, read);
    case "media":
      return readMedia(model, input, read);
  }
}

function readReferences(input: Json | undefined, read: GivenReader): Given {
  const [mixed, videos] = ["reference_urls", "reference_video_urls"].map((name) => {
    const list = memberOf(input, name) ?? [];
    if (!isJsonArray(list)) throw invalidParameter(`input.${name} must be a list.`);
    for (const each of list)
      if (!read.file(name, each)) throw invalidParameter(`input.${name} must be URLs.`);
    return list.length;
  });
  const total = (mixed ?? 0) + (videos ?? 0);
  if (total < 1 || total > 5 || (videos ?? 0) > 3)
    throw invalidParameter("There must be 1 to 5 references, of which at most 3 are videos.");
  return { ...EMPTY, videos: videos ?? 0 };
}

function readMedia({ media: types }: WanModel, input: Json | undefined, read: GivenReader): Given {
  const list = memberOf(input, "media");
  if (!isJsonArray(list) || list.length === 0 || list.length > MOST_MEDIA)
    throw invalidParameter(`input.media must be a list of 1 to ${MOST_MEDIA}.`);
  const parts = list.map((part) => {
    const type = MEDIA_TYPES.find((each) => each === memberOf(part, "type"));
    if (type === undefined || !types.includes(type))
      throw invalidParameter(`The type of input.media must be one of ${types.join(", ")}.`);
    read.file("reference_voice", memberOf(part, "reference_voice"));
    const url = memberOf(part, "url");
    if (!/frame|image/.test(type)) {
      if (!read.file("media", url)) throw invalidParameter("The url of input.media is required.");
      return { type, picture: undefined };
    }
    return { type, picture: demanded("media", read.picture("media", url)) };
  });
  const isOnce = (type: string) => parts.filter((part) => part.type === type).length <= 1;
  if (!["first_frame", "last_frame", "first_clip", "driving_audio", "video"].every(isOnce))
    throw invalidParameter("input.media holds a type twice of which there can be one.");
  return {
    picture: parts.find(({ picture }) => picture !== undefined)?.picture,
    videos: parts.filter(({ type }) => /video|clip/.test(type)).length,
    hasOwnSound: parts.some(({ type }) => type === "driving_audio"),
  };
}

const MOST_MEDIA = 10;

interface GivenReader {
  picture(name: string, url: Json | undefined): Media | undefined;
  /** Whether there is one; no link is followed. */
  file(name: string, url: Json | undefined): boolean;
}

function givenReader({ generation }: WanModel, takesOss: boolean): GivenReader {
  const link = takesOss ? /^(?:https?|oss):\/\/[^\s/]+\/?\S*$/ : /^https?:\/\/[^\s/]+\/?\S*$/;
  const isLate = ["2.6", "2.7", "3.0"].includes(generation);
  return {
    picture(name, url) {
      if (url === undefined) return undefined;
      const read = typeof url === "string" ? readGiven(url, link) : undefined;
      if (read === undefined)
        throw invalidParameter(`input.${name} must be a URL or a base64-encoded image.`);
      const reason = outside(read, isLate ? LATE_BOUNDS : BOUNDS);
      if (reason !== undefined) throw invalidParameter(`Invalid input.${name}: ${reason}.`);
      return read;
    },
    file(name, url) {
      if (url === undefined) return false;
      if (typeof url === "string" && link.test(url)) return true;
      throw invalidParameter(`input.${name} must be a URL.`);
    },
  };
}

const BOUNDS: ImageBounds = {
  types: ["image/jpeg", "image/png", "image/bmp", "image/webp"],
  maxBytes: 10 * 1_048_576,
  minSide: 360,
  maxSide: 2_000,
  maxPixels: Infinity,
  maxRatio: Infinity,
};
const LATE_BOUNDS: ImageBounds = {
  ...BOUNDS,
  maxBytes: 20 * 1_048_576,
  minSide: 240,
  maxSide: 8_000,
};

function demanded(name: string, media: Media | undefined): Media {
  if (media === undefined) throw invalidParameter(`input.${name} is required.`);
  return media;
}

function textAt(input: Json | undefined, name: string): string | undefined {
  const text = memberOf(input, name);
  if (text === undefined || typeof text === "string") return text;
  throw invalidParameter(`input.${name} must be a string.`);
}
