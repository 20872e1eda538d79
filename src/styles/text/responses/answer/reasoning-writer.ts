import type { OpenBlock } from "#core/chat.ts";
import { writeSignature } from "#core/signature.ts";
import { randomBase62 } from "#lib/ids.ts";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import type { Close, Delta, Emit, ItemWriter } from "./item-writer.ts";
import { RESPONSES } from "../raw-fields.ts";

/** What a caller gets to see of reasoning. */
export interface Visibility {
  readonly text: boolean;
  /** What proves it, to be sent back; it must come with the text that it proves. */
  readonly proof: boolean;
}

/** The events of a summary, and those of the reasoning itself, which only some servers show. */
const FORMS = {
  summary: {
    type: "summary_text",
    index: "summary_index",
    added: "response.reasoning_summary_part.added",
    delta: "response.reasoning_summary_text.delta",
    done: "response.reasoning_summary_text.done",
    ended: "response.reasoning_summary_part.done",
  },
  raw: {
    type: "reasoning_text",
    index: "content_index",
    added: "response.content_part.added",
    delta: "response.reasoning_text.delta",
    done: "response.reasoning_text.done",
    ended: "response.content_part.done",
  },
} as const;

export class ReasoningWriter implements ItemWriter {
  readonly #emit: Emit;
  readonly #visibility: Visibility;
  readonly #isRaw: boolean;
  readonly #id: string;
  #text = "";
  #proof: string | undefined;

  constructor(emit: Emit, block: OpenBlock, visibility: Visibility) {
    const own = "extra" in block ? block.extra?.[RESPONSES] : undefined;
    this.#emit = emit;
    this.#visibility = visibility;
    this.#isRaw = own?.["raw"] === true;
    this.#id = textOf(own?.["id"]) ?? `rs_${randomBase62(24)}`;
    emit("response.output_item.added", { item: this.#item() });
  }

  join(): boolean {
    return false;
  }

  delta({ text }: Delta): void {
    if (text === "" || !(this.#visibility.text || this.#isRaw)) return;
    const { type, added, delta } = this.#form;
    if (this.#text === "") this.#write(added, { part: { type, text: "" } });
    this.#text += text;
    this.#write(delta, { delta: text });
  }

  cite(): void {
    // Nobody cites while they think.
  }

  close({ signature }: Close): void {
    const { type, done, ended } = this.#form;
    const text = this.#text;
    if (text !== "") {
      this.#write(done, { text });
      this.#write(ended, { part: { type, text } });
    }
    if (signature !== undefined && this.#visibility.proof) {
      this.#proof = writeSignature(signature, RESPONSES);
    }
  }

  end(): JsonObject {
    return this.#item();
  }

  get #form(): (typeof FORMS)["summary" | "raw"] {
    return this.#isRaw ? FORMS.raw : FORMS.summary;
  }

  #write(name: string, members: JsonObject): void {
    this.#emit(name, { item_id: this.#id, [this.#form.index]: 0, ...members });
  }

  #item(): JsonObject {
    const parts = this.#text === "" ? [] : [{ type: this.#form.type, text: this.#text }];
    return {
      id: this.#id,
      type: "reasoning",
      summary: this.#isRaw ? [] : parts,
      ...(this.#isRaw ? { content: parts } : {}),
      ...(this.#proof === undefined ? {} : { encrypted_content: this.#proof }),
    };
  }
}
