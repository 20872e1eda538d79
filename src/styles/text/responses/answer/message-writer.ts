import type { Citation, OpenBlock } from "#core/chat.ts";
import { randomBase62 } from "#lib/ids.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, textOf } from "#lib/values.ts";
import { buildCitation } from "../conversation/citation.ts";
import type { Close, Delta, Emit, ItemStatus, ItemWriter } from "./item-writer.ts";
import { RESPONSES } from "../raw-fields.ts";

interface Part {
  readonly kind: "text" | "refusal" | "audio";
  text: string;
  readonly annotations: Json[];
  readonly logprobs: Json[];
}

/** What a model says in a row; each block is a part. What it says aloud is written down. */
export class MessageWriter implements ItemWriter {
  readonly #emit: Emit;
  readonly #ownId: string | undefined;
  readonly #id: string;
  readonly #phase: string | undefined;
  readonly #content: JsonObject[] = [];
  #part: Part | undefined;

  constructor(emit: Emit, block: OpenBlock) {
    const own = extraOf(block);
    this.#emit = emit;
    this.#ownId = textOf(own?.["id"]);
    this.#id = this.#ownId ?? `msg_${randomBase62(24)}`;
    this.#phase = textOf(own?.["phase"]);
    emit("response.output_item.added", { item: this.#item("in_progress") });
    this.#open(block);
  }

  join(block: OpenBlock): boolean {
    if (!isSaid(block) || textOf(extraOf(block)?.["id"]) !== this.#ownId) return false;
    this.#open(block);
    return true;
  }

  delta(event: Delta): void {
    const part = this.#part;
    if (part === undefined) return;
    const delta = part.kind === "audio" ? (event.transcript ?? "") : event.text;
    const logprobs = isArray(event.logprobs) ? event.logprobs : [];
    if (delta === "" && logprobs.length === 0) return;
    part.text += delta;
    part.logprobs.push(...logprobs);
    if (part.kind === "refusal") this.#write("response.refusal.delta", { delta });
    else this.#write("response.output_text.delta", { delta, logprobs });
  }

  cite(citation: Citation): void {
    this.#annotate(buildCitation(citation));
  }

  close(event: Close): void {
    const part = this.#part;
    if (part === undefined) return;
    for (const one of listOf(event.extra?.[RESPONSES]?.["annotations"])) this.#annotate(one);
    const { text, logprobs } = part;
    if (part.kind === "refusal") this.#write("response.refusal.done", { refusal: text });
    else this.#write("response.output_text.done", { text, logprobs });
    const whole = buildPart(part);
    this.#write("response.content_part.done", { part: whole });
    this.#content.push(whole);
    this.#part = undefined;
  }

  end(status: ItemStatus): JsonObject {
    return this.#item(status);
  }

  #open({ type }: OpenBlock): void {
    const kind = type === "refusal" || type === "audio" ? type : "text";
    this.#part = { kind, text: "", annotations: [], logprobs: [] };
    this.#write("response.content_part.added", { part: buildPart(this.#part) });
  }

  #annotate(annotation: Json): void {
    const part = this.#part;
    if (part?.kind !== "text") return;
    this.#write("response.output_text.annotation.added", {
      annotation_index: part.annotations.length,
      annotation,
    });
    part.annotations.push(annotation);
  }

  #write(type: string, members: JsonObject): void {
    this.#emit(type, { item_id: this.#id, content_index: this.#content.length, ...members });
  }

  #item(status: ItemStatus | "in_progress"): JsonObject {
    return {
      id: this.#id,
      type: "message",
      status,
      role: "assistant",
      content: [...this.#content],
      ...defined({ phase: this.#phase }),
    };
  }
}

/** Also sound, of which this style has only the words. */
export function isSaid({ type }: OpenBlock): boolean {
  return type === "text" || type === "refusal" || type === "audio";
}

function extraOf(block: OpenBlock): JsonObject | undefined {
  return "extra" in block ? block.extra?.[RESPONSES] : undefined;
}

function buildPart({ kind, text, annotations, logprobs }: Part): JsonObject {
  return kind === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [...annotations], logprobs: [...logprobs] };
}
