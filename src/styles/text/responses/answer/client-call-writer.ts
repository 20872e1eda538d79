import type { OpenBlock } from "#core/chat.ts";
import { randomBase62 } from "#lib/ids.ts";
import type { JsonObject } from "#lib/json.ts";
import { readClientArguments, type ClientTool } from "../conversation/client-tools.ts";
import type { Delta, Emit, ItemStatus, ItemWriter } from "./item-writer.ts";

/**
 * A call of a tool that the style names by its type. Its members are known
 * only when the arguments are whole, so the item begins when it ends.
 */
export class ClientCallWriter implements ItemWriter {
  readonly #emit: Emit;
  readonly #call: Extract<OpenBlock, { type: "tool_call" }>;
  readonly #tool: ClientTool;
  #text = "";

  constructor(emit: Emit, call: Extract<OpenBlock, { type: "tool_call" }>, tool: ClientTool) {
    this.#emit = emit;
    this.#call = call;
    this.#tool = tool;
  }

  join(): boolean {
    return false;
  }

  delta({ text }: Delta): void {
    this.#text += text;
  }

  cite(): void {
    // A call cites nothing.
  }

  close(): void {
    // Nothing is owed before the item's end.
  }

  end(status: ItemStatus): JsonObject {
    const { callType, idPrefix } = this.#tool;
    const item = {
      id: idPrefix + randomBase62(24),
      type: callType,
      status,
      call_id: this.#call.id,
      ...this.#tool.buildCall(readClientArguments(this.#text)),
    };
    this.#emit("response.output_item.added", { item: { ...item, status: "in_progress" } });
    return item;
  }
}
