import type { ImageDecoder, ImageEvent } from "#core/image.ts";
import type { UpstreamError } from "#core/style.ts";
import { parseJson, type Json } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import { defined, integerOf, memberOf, textOf } from "#lib/values.ts";
import { noPicture } from "#styles/image/no-picture.ts";
import { asGatewayError } from "#styles/upstream-error.ts";
import { failureIn, pictureIn, usageIn } from "./parse.ts";

/** https://www.volcengine.com/docs/82379/1824137 */
export class ArkDecoder implements ImageDecoder {
  #made = 0;
  #failed = 0;
  #failure: UpstreamError | undefined;
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  read({ event, data }: SseEvent): readonly ImageEvent[] {
    if (this.#isOver) return [];
    if (data === "[DONE]") return this.#end(null);
    const body = parseJson(data) ?? null;
    const type = textOf(memberOf(body, "type")) ?? event ?? "";
    switch (type.slice(type.indexOf(".") + 1)) {
      case "partial_image":
        return this.#partial(body);
      case "partial_succeeded":
        return this.#picture(body);
      case "partial_failed":
        return this.#fail(body);
      case "completed":
        return this.#end(body);
    }
    const failure = failureIn(body);
    if (failure !== undefined) throw asGatewayError(failure);
    return [];
  }

  #partial(body: Json): readonly ImageEvent[] {
    const picture = pictureIn(body);
    if (picture === undefined) return [];
    const step = integerOf(memberOf(body, "partial_image_index")) ?? 0;
    return [{ type: "partial", index: this.#indexIn(body), step, picture }];
  }

  #picture(body: Json): readonly ImageEvent[] {
    const picture = pictureIn(body);
    if (picture === undefined) throw noPicture();
    const index = this.#indexIn(body);
    this.#made++;
    return [{ type: "picture", index, picture }];
  }

  #fail(body: Json): readonly ImageEvent[] {
    const error = failureIn(body);
    if (error === undefined) return [];
    const index = this.#indexIn(body);
    this.#failed++;
    this.#failure ??= error;
    return [{ type: "failed", index, error }];
  }

  /** If every image failed, the whole response failed. */
  #end(body: Json): readonly ImageEvent[] {
    if (this.#made === 0 && this.#failure !== undefined) throw asGatewayError(this.#failure);
    this.#isOver = true;
    return [{ type: "end", ...defined({ usage: usageIn(memberOf(body, "usage")) }) }];
  }

  #indexIn(body: Json): number {
    return integerOf(memberOf(body, "image_index")) ?? this.#made + this.#failed;
  }
}
