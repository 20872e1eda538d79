import type { OpenBlock } from "#core/chat.ts";
import { randomBase62 } from "#lib/ids.ts";
import type { JsonObject } from "#lib/json.ts";
import { objectOf, textOf } from "#lib/values.ts";
import type { Delta, Emit, ItemWriter } from "./item-writer.ts";
import { RESPONSES } from "../raw-fields.ts";

/** What clients are told while a server's own tool is at work. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  web_search_call: ["in_progress", "searching", "completed"],
  file_search_call: ["in_progress", "searching", "completed"],
  code_interpreter_call: ["in_progress", "interpreting", "completed"],
  image_generation_call: ["in_progress", "generating", "completed"],
};

/** An item that is there at once, whole: a server's own tool, or an image. */
export class ServerItemWriter implements ItemWriter {
  readonly #emit: Emit;
  readonly #isImage: boolean;
  readonly #begun: JsonObject;
  #base64 = "";

  constructor(emit: Emit, block: OpenBlock) {
    this.#emit = emit;
    this.#isImage = block.type === "image";
    this.#begun = block.type === "other" ? block.data : imageOf(block);
    const isAtWork = this.#begun["status"] !== undefined;
    emit("response.output_item.added", {
      item: { ...this.#begun, ...(isAtWork ? { status: "in_progress" } : {}) },
    });
  }

  join(): boolean {
    return false;
  }

  delta({ text }: Delta): void {
    this.#base64 += text;
  }

  cite(): void {
    // A tool cites nothing; what is said of its results does.
  }

  close(): void {
    const { id, status } = this.#begun;
    const type = textOf(this.#begun["type"]) ?? "";
    const steps = status === "completed" ? STEPS[type] : undefined;
    for (const step of steps ?? []) this.#emit(`response.${type}.${step}`, { item_id: id });
  }

  end(): JsonObject {
    return this.#isImage ? { ...this.#begun, result: this.#base64 } : this.#begun;
  }
}

function imageOf(block: OpenBlock): JsonObject {
  const own = "extra" in block ? block.extra?.[RESPONSES] : undefined;
  const mediaType = "mediaType" in block ? block.mediaType : undefined;
  return {
    id: textOf(own?.["id"]) ?? `ig_${randomBase62(24)}`,
    type: "image_generation_call",
    status: "completed",
    output_format: (mediaType ?? "image/png").replace("image/", ""),
    ...objectOf(own?.["image"]),
    result: null,
  };
}
