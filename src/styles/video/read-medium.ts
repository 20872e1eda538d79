import { invalid } from "#core/error.ts";
import type { MediaOrigin } from "#core/video.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { readPicture } from "#styles/image/picture-in.ts";

const ASSET = "asset://";
const ASSET_ID = /^[\w.:-]{1,256}$/;

/** A medium as clients write it: like an image, or as a reference into the asset library. */
export function readMedium(text: string, param: string): MediaOrigin {
  const given = text.trim();
  if (given === "") throw invalid(param, `'${param}' is empty.`);
  if (given.slice(0, ASSET.length).toLowerCase() !== ASSET) return readPicture(given, param);
  const id = given.slice(ASSET.length);
  if (ASSET_ID.test(id)) return { kind: "asset", id };
  throw invalid(param, `'${param}' must be the id of an asset.`);
}

/** The same within an object, under any of its names. */
export function readGiven(value: Json | undefined, param: string): MediaOrigin | undefined {
  const text = textOf(value);
  if (text !== undefined) return readMedium(text, param);
  if (!isObject(value)) return undefined;
  const inner = value["image_url"] ?? value["image"] ?? value["url"] ?? value["uri"];
  if (inner !== undefined && inner !== null) return readGiven(inner, param);
  return readHeld(value, param) ?? stored(value);
}

/** Base64 with a separate media type. */
function readHeld(value: JsonObject, param: string): MediaOrigin | undefined {
  const inline = isObject(value["inlineData"]) ? value["inlineData"] : value;
  const names = ["bytesBase64Encoded", "imageBytes", "encodedVideo", "videoBytes", "data"];
  const given = names.map((name) => textOf(inline[name])).find((each) => each !== undefined);
  if (given === undefined) return undefined;
  const held = readPicture(given, param);
  if (held.kind !== "base64") throw invalid(param, `'${param}' must be base64.`);
  const mediaType = textOf(inline["mimeType"]) ?? textOf(inline["encoding"]);
  return { ...held, mediaType: mediaType?.toLowerCase() ?? held.mediaType };
}

/** A reference that only the vendor can resolve. */
function stored(value: JsonObject): MediaOrigin | undefined {
  const id = textOf(value["file_id"]) ?? textOf(value["gcsUri"]) ?? textOf(value["fileUri"]);
  return id === undefined || id === "" ? undefined : { kind: "reference", id };
}
