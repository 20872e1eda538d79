import type { GatewayError } from "#core/error.ts";
import type { ImageEncoder, ImageQuestion, MadePicture } from "#core/image.ts";
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
export function openEncoder(question: ImageQuestion, at: number): ImageEncoder {
  return new Encoder(question.task === "generate" ? "image_generation" : "image_edit", at);
}

class Encoder implements ImageEncoder {
  readonly #prefix: string;
  readonly #at: number;
  /** The last picture so far: what was used goes with the last of all. */
  #held: JsonObject | undefined;

  constructor(prefix: string, at: number) {
    this.#prefix = prefix;
    this.#at = at;
  }

  encode(event: Parameters<ImageEncoder["encode"]>[0]): string {
    switch (event.type) {
      case "partial":
        return this.#event("partial_image", {
          created_at: this.#at,
          ...pictureOf(event.picture),
          ...event.about,
          partial_image_index: event.step,
        });
      case "picture": {
        const before = this.#release(NO_USAGE);
        this.#held = { created_at: this.#at, ...pictureOf(event.picture), ...event.about };
        return before;
      }
      case "failed": {
        const { code, message } = event.error;
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
