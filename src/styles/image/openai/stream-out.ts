import type { GatewayError } from "#core/error.ts";
import type { ImageEncoder, ImageEvent, ImageRequest, MadePicture } from "#core/image.ts";
import { NO_USAGE, type Usage } from "#core/usage.ts";
import type { JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { defined } from "#lib/values.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { writeUsage } from "./usage.ts";

/**
 * `image_generation.partial_image` and `.completed`, `image_edit.*` for edits:
 * https://platform.openai.com/docs/api-reference/images-streaming
 */
export function openEncoder(question: ImageRequest, at: number): ImageEncoder {
  return new Encoder(question, at);
}

class Encoder implements ImageEncoder {
  readonly #prefix: string;
  readonly #at: number;
  /** Remaining images, as far as known. */
  #left: number;
  /** The latest image; it is held back, because usage belongs to the last one. */
  #held: JsonObject | undefined;

  constructor({ task, count = 1 }: ImageRequest, at: number) {
    this.#prefix = task === "generate" ? "image_generation" : "image_edit";
    this.#at = at;
    this.#left = count;
  }

  encode(event: Parameters<ImageEncoder["encode"]>[0]): string {
    switch (event.type) {
      case "partial": {
        const before = this.#release(NO_USAGE);
        const members = { ...this.#shown(event), partial_image_index: event.step };
        return before + this.#event("partial_image", members);
      }
      case "picture": {
        const before = this.#release(NO_USAGE);
        this.#held = this.#shown(event);
        // Sends the image at once unless it is the last expected one.
        return --this.#left > 0 ? before + this.#release(NO_USAGE) : before;
      }
      case "failed": {
        const { code, message } = event.error;
        this.#left--;
        return this.#event("failed", { image_index: event.index, error: { code, message } });
      }
    }
  }

  end(usage: Usage): string {
    return this.#release(usage);
  }

  fail(error: GatewayError): string {
    const before = this.#release(NO_USAGE);
    return before + formatSse(JSON.stringify({ type: "error", ...buildError(error) }), "error");
  }

  #shown({ picture, about }: Extract<ImageEvent, { type: "partial" | "picture" }>): JsonObject {
    return { created_at: this.#at, ...pictureOf(picture), ...about };
  }

  #release(usage: Usage): string {
    const held = this.#held;
    this.#held = undefined;
    return held === undefined
      ? ""
      : this.#event("completed", { ...held, usage: writeUsage(usage) });
  }

  #event(name: string, members: JsonObject): string {
    const type = `${this.#prefix}.${name}`;
    return formatSse(JSON.stringify({ type, ...members }), type);
  }
}

function pictureOf({ base64, url, revisedPrompt, size }: MadePicture): JsonObject {
  return defined({ b64_json: base64, url, revised_prompt: revisedPrompt, size });
}
