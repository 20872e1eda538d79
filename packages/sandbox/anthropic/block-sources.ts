import { inspectMedia, type Media } from "../engine/media.ts";
import type { JsonObject } from "../json.ts";
import type { DocumentContent } from "./blocks.ts";
import { invalid } from "./error.ts";
import {
  field,
  inside,
  readList,
  readTagged,
  readText,
  refuseExtras,
  required,
  type FieldValue,
} from "./fields.ts";
import type { Betas } from "./request-headers.ts";

/** Where the bytes of a picture come from. */
export function readImageSource(block: JsonObject, path: string, betas: Betas): Media {
  const {
    object,
    tag,
    path: at,
  } = readTagged(field(block, "source", path), ["base64", "file", "url"]);
  if (tag === "url") return link(object, at, "image");
  if (tag === "file") return storedFile(object, at, betas);

  refuseExtras(object, ["type", "media_type", "data"], at);
  const claimed = mediaType(object, at, IMAGE_TYPES);
  const media = inspectMedia("image", readBase64(object, at));
  if (media.mediaType === undefined || !IMAGE_TYPES.some((type) => type === media.mediaType))
    throw invalid("", "Could not process image");
  if (media.mediaType !== claimed) {
    throw invalid(
      at,
      `The image was specified using the ${claimed} media type, but the image appears to be a ${media.mediaType} image`,
    );
  }
  const size = media.sizeBytes ?? 0;
  if (size > MAX_IMAGE_BYTES)
    throw invalid(at, `image exceeds 5 MB maximum: ${size} bytes > ${MAX_IMAGE_BYTES} bytes`);
  if (Math.max(media.widthPixels ?? 0, media.heightPixels ?? 0) > MAX_IMAGE_PIXELS) {
    throw invalid(
      at,
      `At least one of the image dimensions exceed max allowed size: ${MAX_IMAGE_PIXELS} pixels`,
    );
  }
  return media;
}

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
const MAX_IMAGE_BYTES = 5 * 1_048_576;
const MAX_IMAGE_PIXELS = 8_000;

interface DocumentSource {
  readonly media: Media;
  readonly content: DocumentContent;
}

/** A PDF, a text, a list of parts, a link, or a stored file. */
export function readDocumentSource(block: JsonObject, path: string, betas: Betas): DocumentSource {
  const tagged = readTagged(field(block, "source", path), [
    "base64",
    "content",
    "file",
    "text",
    "url",
  ]);
  const { object, path: at } = tagged;
  switch (tagged.tag) {
    case "base64":
      return { media: readPdf(object, at), content: { kind: "opaque" } };
    case "content":
      return fromTexts(readParts(field(object, "content", at)));
    case "file":
      return { media: storedFile(object, at, betas), content: { kind: "opaque" } };
    case "text":
      return readPlainText(object, at);
    case "url":
      return { media: link(object, at, "file"), content: { kind: "opaque" } };
  }
}

function readPdf(object: JsonObject, at: string): Media {
  refuseExtras(object, ["type", "media_type", "data"], at);
  mediaType(object, at, ["application/pdf"]);
  const media = inspectMedia("file", readBase64(object, at));
  if (media.mediaType !== "application/pdf") throw invalid(at, "The PDF specified was not valid.");
  return media;
}

function readPlainText(object: JsonObject, at: string): DocumentSource {
  refuseExtras(object, ["type", "media_type", "data"], at);
  mediaType(object, at, ["text/plain"]);
  const text = required(field(object, "data", at), readText);
  if (text === "") throw invalid(inside(at, "data"), "String should have at least 1 character");
  const sizeBytes = Buffer.byteLength(text);
  return {
    media: { kind: "file", sizeBytes },
    content: { kind: "text", text },
  };
}

function fromTexts(texts: readonly string[]): DocumentSource {
  const sizeBytes = Buffer.byteLength(texts.join("\n"));
  return {
    media: { kind: "file", sizeBytes },
    content: { kind: "blocks", texts },
  };
}

/** The texts of a document in parts; a picture among them counts as an empty one. */
function readParts(at: FieldValue): readonly string[] {
  if (typeof at.value === "string") return [at.value];
  return required(at, readList).map((value, index) => {
    const { object, tag, path } = readTagged({ path: inside(at.path, index), value }, [
      "text",
      "image",
    ]);
    return tag === "text" ? required(field(object, "text", path), readText) : "";
  });
}

function mediaType<const Type extends string>(
  object: JsonObject,
  path: string,
  types: readonly Type[],
): Type {
  const at = field(object, "media_type", path);
  const given = required(at, readText);
  const found = types.find((type) => type === given);
  if (found !== undefined) return found;
  throw invalid(at.path, `Input should be ${types.map((type) => `'${type}'`).join(" or ")}`);
}

function readBase64(object: JsonObject, path: string): Uint8Array {
  const at = field(object, "data", path);
  const text = required(at, readText);
  const bytes = Buffer.from(text, "base64");
  if (!/^[A-Za-z\d+/\s]*={0,2}\s*$/.test(text) || bytes.length === 0)
    throw invalid(at.path, "Invalid base64 data");
  return bytes;
}

/** Only the address is known, since the sandbox fetches nothing. */
function link(object: JsonObject, path: string, kind: Media["kind"]): Media {
  refuseExtras(object, ["type", "url"], path);
  const url = required(field(object, "url", path), readText);
  if (!/^https:\/\/\S+$/.test(url))
    throw invalid(inside(path, "url"), "Only HTTPS URLs are supported.");
  return { kind, link: url.slice(0, 200) };
}

function storedFile(object: JsonObject, path: string, betas: Betas): Media {
  refuseExtras(object, ["type", "file_id"], path);
  const id = required(field(object, "file_id", path), readText);
  if (!betas.has("files-api-2025-04-14"))
    throw invalid(path, "File sources are only available with the files API beta.");
  if (!/^file_\w+$/.test(id)) throw invalid(inside(path, "file_id"), `Invalid file ID: ${id}`);
  return { kind: "file", name: id };
}
