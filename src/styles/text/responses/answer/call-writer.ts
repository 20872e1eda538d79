import type { OpenBlock } from "#core/chat.ts";
import { randomBase62 } from "#lib/ids.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
import type { Delta, Emit, ItemStatus, ItemWriter } from "./item-writer.ts";
import { RESPONSES } from "../raw-fields.ts";

type Call = Extract<OpenBlock, { type: "tool_call" }>;

/** A call has two ids: its item's own, and the one that its result will name. */
export class CallWriter implements ItemWriter {
  readonly #emit: Emit;
  readonly #call: Call;
  readonly #id: string;
  #text = "";

  constructor(emit: Emit, call: Call) {
    const prefix = call.kind === "custom" ? "ctc_" : "fc_";
    this.#emit = emit;
    this.#call = call;
    this.#id = textOf(call.extra?.[RESPONSES]?.["id"]) ?? prefix + randomBase62(24);
    emit("response.output_item.added", { item: this.#item("in_progress") });
  }

  join(): boolean {
    return false;
  }

  delta({ text }: Delta): void {
    if (text === "") return;
    this.#text += text;
    const type = this.#isCustom
      ? "response.custom_tool_call_input.delta"
      : "response.function_call_arguments.delta";
    this.#emit(type, { item_id: this.#id, delta: text });
  }

  cite(): void {
    // A call cites nothing.
  }

  close(): void {
    const item_id = this.#id;
    if (this.#isCustom) {
      this.#emit("response.custom_tool_call_input.done", { item_id, input: this.#text });
    } else {
      const { name } = this.#call;
      const done = { item_id, name, arguments: this.#text };
      this.#emit("response.function_call_arguments.done", done);
    }
  }

  end(status: ItemStatus): JsonObject {
    return this.#item(status);
  }

  get #isCustom(): boolean {
    return this.#call.kind === "custom";
  }

  #item(status: ItemStatus | "in_progress"): JsonObject {
    const { id: call_id, name } = this.#call;
    const namespace = textOf(this.#call.extra?.[RESPONSES]?.["namespace"]);
    return {
      id: this.#id,
      type: this.#isCustom ? "custom_tool_call" : "function_call",
      status,
      call_id,
      name,
      [this.#isCustom ? "input" : "arguments"]: this.#text,
      ...defined({ namespace }),
    };
  }
}
