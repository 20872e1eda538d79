import { GatewayError } from "#core/error.ts";
import type { Images, MadePicture } from "#core/image.ts";
import type { UpstreamError } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, longTextOf, memberOf, pick, textOf } from "#lib/values.ts";
import { createdAtIn } from "#styles/image/created-at.ts";
import { readPicture } from "#styles/image/picture-in.ts";
import { asGatewayError, explainInside, isFilled } from "#styles/upstream-error.ts";
import { readUsage } from "./usage.ts";

/** Response members that describe the images. */
const ABOUT = ["background", "output_format", "quality", "size"];

export function parse(body: JsonObject): Images {
  if (isFilled(body["error"])) throw failureOf(explainInside(body));
  const items = listOf(body["data"]).filter(isObject);
  const format = textOf(body["output_format"]);
  const pictures = items.flatMap((item) => madeIn(item, format) ?? []);
  const failures = items.flatMap((item) => {
    const { error } = item;
    return isFilled(error) ? [explainInside({ error })] : [];
  });
  if (pictures.length === 0) throw failureOf(failures[0]);
  const createdAt = createdAtIn(body["created"]);
  return {
    pictures,
    ...(failures.length > 0 && { failures }),
    about: aboutIn(body),
    ...defined({ usage: readUsage(body["usage"]), createdAt }),
  };
}

export function aboutIn(body: JsonObject): JsonObject {
  return pick(body, ABOUT);
}

/** The image in a response item or an event; undefined if it has none. */
export function madeIn(item: JsonObject, format: string | undefined): MadePicture | undefined {
  const said = longTextOf(item["b64_json"]) || longTextOf(item["url"]);
  if (said === undefined || said === "") return undefined;
  // Several servers write `data:image/png;base64,...` in either member.
  const picture = readPicture(said, "data");
  const mediaType = textOf(item["output_format"]) ?? format;
  const about = defined({
    revisedPrompt: textOf(item["revised_prompt"]) || undefined,
    size: textOf(item["size"]),
  });
  if (picture.kind !== "base64") return { url: said.toString(), ...about };
  const type = picture.mediaType || (mediaType === undefined ? "" : mediaTypeOf(mediaType));
  return { base64: picture.base64, ...(type !== "" && { mediaType: type }), ...about };
}

function mediaTypeOf(format: string): string {
  return format === "svg" ? "image/svg+xml" : `image/${format}`;
}

/** `type: "error"`, with the error in this member or beside it. */
export function errorInEvent(event: Json): UpstreamError | undefined {
  if (!isObject(event)) return undefined;
  if (isFilled(memberOf(event, "error"))) return explainInside(event);
  return event["type"] === "error" ? explainInside(event) : undefined;
}

export function failureOf(error: UpstreamError | undefined): GatewayError {
  if (error === undefined) {
    return new GatewayError("upstream_failed", "The upstream's answer has no image.");
  }
  return asGatewayError(error);
}
