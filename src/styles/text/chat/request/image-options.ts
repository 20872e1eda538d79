import type { ImageOptions } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, objectOf, textOf } from "#lib/values.ts";
import { vendorObjects, withoutKnown } from "./vendor-members.ts";

const MEMBERS = ["aspect_ratio", "image_size"];

/** Options of the image in the answer, in a member of its own or in a vendor's object. */
export function parseImageOptions(body: JsonObject): ImageOptions | undefined {
  const configs = [body, ...vendorObjects(body)].map(({ image_config: config }) =>
    objectOf(config),
  );
  const config = configs.find((one) => one !== undefined);
  const options = defined({
    aspectRatio: textOf(config?.["aspect_ratio"]),
    size: textOf(config?.["image_size"]),
  });
  return Object.keys(options).length === 0 ? undefined : options;
}

export function buildImageOptions({ aspectRatio, size }: ImageOptions): JsonObject {
  return { image_config: defined({ aspect_ratio: aspectRatio, image_size: size }) };
}

/** Further options of an image, which have no place in the hub. */
export function restOfImageOptions(body: JsonObject): JsonObject {
  return defined({ image_config: withoutKnown(body["image_config"], MEMBERS) });
}
