import type { ImageDecoder, ImageEvent, ImageRequest } from "#core/image.ts";
import { isObject, parseJson } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import { defined, integerOf, pick, textOf } from "#lib/values.ts";
import { aboutIn, errorInEvent, failureOf, madeIn } from "./parse.ts";
import { readUsage } from "./usage.ts";

export function openDecoder({ count = 1 }: ImageRequest): ImageDecoder {
  return new Decoder(count);
}

/** The format has no end marker: the stream ends with the last requested image. */
class Decoder implements ImageDecoder {
  readonly #count: number;
  #made = 0;
  isOver = false;

  constructor(count: number) {
    this.#count = count;
  }

  read({ data }: SseEvent): readonly ImageEvent[] {
    if (data === "[DONE]") return this.#end();
    const event = parseJson(data);
    if (!isObject(event)) return [];
    const error = errorInEvent(event);
    if (error !== undefined) throw failureOf(error);
    const picture = madeIn(event, undefined);
    if (picture === undefined) return [];

    const about = { ...pick(event, ["created_at"]), ...aboutIn(event) };
    const type = textOf(event["type"]) ?? "";
    if (type.endsWith(".partial_image")) {
      const step = integerOf(event["partial_image_index"]) ?? 0;
      return [{ type: "partial", index: this.#made, step, picture, about }];
    }
    if (!type.endsWith(".completed")) return [];
    const usage = readUsage(event["usage"]);
    const index = this.#made++;
    const made = { type: "picture", index, picture, about, ...defined({ usage }) } as const;
    return this.#made < this.#count ? [made] : [made, ...this.#end()];
  }

  #end(): readonly ImageEvent[] {
    if (this.isOver) return [];
    this.isOver = true;
    return [{ type: "end" }];
  }
}
