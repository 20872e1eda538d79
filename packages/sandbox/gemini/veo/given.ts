import { inspectMedia, type Media } from "@sluice/sandbox/engine/media.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { invalid } from "../error.ts";
import type { Place } from "./models.ts";

/** First frame, last frame, references or source of a video. */
export interface VeoGiven {
  readonly image: Media | undefined;
  readonly hasLastFrame: boolean;
  readonly references: number;
  readonly hasVideo: boolean;
}

export function readGivenMedia(instance: JsonObject, place: Place): VeoGiven {
  const { image, lastFrame, referenceImages, video } = instance;
  const references = readReferences(referenceImages ?? undefined, place);
  const given = {
    image: readImage(image ?? undefined, "image", place),
    hasLastFrame: readImage(lastFrame ?? undefined, "lastFrame", place) !== undefined,
    references: references.length,
    hasVideo: readVideo(video ?? undefined, place),
  };
  if (given.hasLastFrame && given.image === undefined)
    throw invalid("`lastFrame` can only be used together with `image`.");
  const hasOther = given.image !== undefined || given.hasVideo;
  if (given.references > 0 && hasOther)
    throw invalid("`referenceImages` cannot be used together with other media.");
  if (given.hasVideo && given.image !== undefined)
    throw invalid("`video` and `image` cannot be used together.");
  return given;
}

function readReferences(list: Json | undefined, place: Place): readonly Media[] {
  if (list === undefined) return [];
  if (!isJsonArray(list) || list.length > MOST_REFERENCES)
    throw invalid(`\`referenceImages\` must be a list of at most ${MOST_REFERENCES} images.`);
  return list.map((reference, index) => {
    const name = `referenceImages[${index}]`;
    const { image, referenceType } = isJsonObject(reference) ? reference : {};
    if (!KINDS.some((kind) => kind === (referenceType ?? "asset")))
      throw invalid(`\`${name}.referenceType\` must be asset or style.`);
    const media = readImage(image ?? undefined, `${name}.image`, place);
    if (media !== undefined) return media;
    throw invalid(`\`${name}.image\` is required.`);
  });
}

const MOST_REFERENCES = 3;
const KINDS = ["asset", "style", "ASSET", "STYLE"];

/** Bytes and their type, in either spelling, or a file in a bucket; no link is followed. */
function readImage(image: Json | undefined, name: string, place: Place): Media | undefined {
  if (image === undefined) return undefined;
  if (!isJsonObject(image)) throw invalid(`\`${name}\` must be an object.`);
  if (place === "vertex" && isBucket(image["gcsUri"])) return { kind: "image" };
  const inline = place === "gemini" ? image["inlineData"] : undefined;
  const { data, mimeType } = isJsonObject(inline)
    ? { data: inline["data"], mimeType: inline["mimeType"] }
    : { data: image["bytesBase64Encoded"], mimeType: image["mimeType"] };
  const bytes = bytesOf(data);
  if (bytes === undefined)
    throw invalid(`\`${name}\` must have bytesBase64Encoded and mimeType, and no link.`);
  if (typeof mimeType !== "string" || !TYPES.includes(mimeType))
    throw invalid(`Unsupported mimeType of \`${name}\`: expected one of ${TYPES.join(", ")}.`);
  const media = inspectMedia("image", bytes);
  if (media.mediaType !== mimeType || bytes.length > MAX_BYTES)
    throw invalid("Unable to process input image. Please retry or report the problem.");
  return media;
}

const TYPES = ["image/png", "image/jpeg", "image/webp"];
const MAX_BYTES = 20 * 1_048_576;

/** One that was made before, or one in a bucket. */
function readVideo(video: Json | undefined, place: Place): boolean {
  if (video === undefined) return false;
  const { uri, gcsUri, encodedVideo, bytesBase64Encoded } = isJsonObject(video) ? video : {};
  const isNamed = place === "vertex" ? isBucket(gcsUri) : typeof uri === "string" && uri !== "";
  const bytes = bytesOf(place === "vertex" ? bytesBase64Encoded : encodedVideo);
  const isVideo =
    bytes !== undefined && inspectMedia("video", bytes).mediaType?.startsWith("video/") === true;
  if (isNamed || isVideo) return true;
  throw invalid("`video` must be a video that was generated before, by its address or its bytes.");
}

function isBucket(uri: Json | undefined): boolean {
  return typeof uri === "string" && /^gs:\/\/[^/\s]+\/\S+$/.test(uri);
}

function bytesOf(data: Json | undefined): Uint8Array | undefined {
  if (typeof data !== "string" || data === "" || !/^[A-Za-z\d+/_-]*={0,2}$/.test(data))
    return undefined;
  return Buffer.from(data, "base64");
}
