import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { randomBase62 } from "#lib/ids.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { restOf, textOf } from "#lib/values.ts";
import type { KindReader } from "./block-reader.ts";
import { textOfInput } from "../conversation/call-input.ts";
import { HeldText } from "./held-text.ts";
import { MESSAGES } from "../raw-fields.ts";
import { readToolName, type ToolKind } from "../conversation/tool-name.ts";

const MEMBERS = new Set(["type", "id", "name", "input"]);

/** A call of the caller's tool. Some servers put its whole input into its head. */
export class CallReader implements KindReader {
  static readonly pieces = ["input_json_delta"];
  readonly pieces = CallReader.pieces;
  readonly #wire: JsonObject;
  readonly #name: string;
  readonly #kind: ToolKind;
  /** Free text stands in an object, so it is known once that is whole. */
  readonly #held = new HeldText();
  #isEmpty = true;

  constructor(wire: JsonObject) {
    const written = textOf(wire["name"]) ?? "";
    if (written === "") {
      throw new GatewayError("upstream_failed", "The upstream's tool call has no tool name.");
    }
    const { name, kind } = readToolName(written);
    this.#wire = wire;
    this.#name = name;
    this.#kind = kind;
  }

  open(): ChatEvent[] {
    const id = textOf(this.#wire["id"]) || `toolu_${randomBase62(24)}`;
    const rest = restOf(this.#wire, MEMBERS);
    const extra = rest === undefined ? {} : { extra: { [MESSAGES]: rest } };
    const block = { type: "tool_call", id, name: this.#name, kind: this.#kind, ...extra } as const;
    return [{ type: "open", choice: 0, block }];
  }

  read(delta: JsonObject): ChatEvent[] {
    const text = textOf(delta["partial_json"]) ?? "";
    if (text === "") return [];
    this.#isEmpty = false;
    if (this.#kind === "function") return [{ type: "delta", choice: 0, text }];
    this.#held.add(text);
    return [];
  }

  close(): ChatEvent[] {
    const text = this.#rest();
    const close: ChatEvent = { type: "close", choice: 0 };
    return text === "" ? [close] : [{ type: "delta", choice: 0, text }, close];
  }

  #rest(): string {
    if (!this.#isEmpty) {
      return this.#kind === "function" ? "" : textOfInput(this.#held.text);
    }
    const { input } = this.#wire;
    const text = JSON.stringify(isObject(input) ? input : {});
    return this.#kind === "function" ? text : textOfInput(text);
  }
}
