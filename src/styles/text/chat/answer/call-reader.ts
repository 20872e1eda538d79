import type { OpenBlock } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { randomBase62 } from "#lib/ids.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import type { BlockQueue, Slot } from "#styles/text/block-queue.ts";
import { CallArguments } from "../conversation/call-arguments.ts";
import { calledIn, kindOf } from "../conversation/call-kind.ts";
import { callSignature } from "../conversation/call-signature.ts";
import { unwrapInput } from "./stand-in.ts";
import { readName } from "#styles/text/tool-names.ts";
import { argumentsOf, integerOf, listOf, textOf } from "#lib/values.ts";

const MAX_CALLS = 1_000;

interface Call {
  readonly index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  readonly kind: "function" | "custom";
  readonly arguments: CallArguments;
  readonly slot: Slot;
}

/** Puts the tool calls of one choice together from their fragments. */
export class CallReader {
  readonly #choice: number;
  readonly #queue: BlockQueue;
  readonly #calls: Call[] = [];

  constructor(choice: number, queue: BlockQueue) {
    this.#choice = choice;
    this.#queue = queue;
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  /** `isWhole`: not a piece of an answer, so every call in it is one of its own. */
  read(delta: JsonObject, isWhole: boolean): void {
    for (const call of listOf(delta["tool_calls"])) if (isObject(call)) this.#read(call, isWhole);
    const legacy = delta["function_call"];
    if (isObject(legacy)) this.#read({ function: legacy }, isWhole);
  }

  #read(wire: JsonObject, isWhole: boolean): void {
    const called = calledIn(wire);
    const piece = argumentsOf(called?.["arguments"] ?? called?.["input"]);
    const name = textOf(called?.["name"]) || undefined;
    const id = textOf(wire["id"]) || undefined;
    const signature = callSignature(wire["extra_content"]);
    const isBare = id === undefined && name === undefined && piece === "";
    if (isBare && signature === undefined) return;

    const known = isWhole ? undefined : this.#continued(wire, id, name, piece);
    if (isBare && known === undefined) return;
    const call = known ?? this.#add(wire);
    call.id ??= id;
    call.name ??= name;
    if (signature !== undefined) call.slot.signature = signature;
    if (call.slot.state === "closed") return;

    call.arguments.add(piece);
    const waits = standsIn(call);
    // Its input can only be taken out when it is all there.
    if (waits) call.slot.events.length = 0;
    if (waits || piece === "") this.#queue.advance();
    else this.#queue.send(call.slot, { type: "delta", choice: this.#choice, text: piece });
  }

  /**
   * The call that a fragment continues. Its index says so, or its id, or
   * nothing at all; and some servers give every call the same index.
   */
  #continued(
    wire: JsonObject,
    id: string | undefined,
    name: string | undefined,
    piece: string,
  ): Call | undefined {
    const index = integerOf(wire["index"]);
    const byIndex = this.#calls.findLast((one) => one.index === index);
    const byId = this.#calls.findLast((one) => one.id === id);
    const call = index !== undefined ? byIndex : id !== undefined ? byId : this.#calls.at(-1);
    if (call === undefined || name === undefined) return call;
    if (id !== undefined && id === call.id) return call;
    const isOther = id !== undefined && call.id !== undefined;
    return isOther || (piece !== "" && call.arguments.isWhole()) ? undefined : call;
  }

  #add(wire: JsonObject): Call {
    if (this.#calls.length >= MAX_CALLS) {
      throw new GatewayError(
        "upstream_failed",
        "The upstream's response has too many parallel tool calls.",
      );
    }
    const kind = kindOf(wire);
    const args = new CallArguments();
    const slot = this.#queue.add({
      kind: "tool_call",
      head: () => headOf(call),
      isWhole: () => args.isWhole(),
      lastContent: () => lastContent(call),
    });
    const call: Call = {
      index: integerOf(wire["index"]),
      id: undefined,
      name: undefined,
      kind,
      arguments: args,
      slot,
    };
    this.#calls.push(call);
    return call;
  }
}

/** A function in place of a tool that takes free text. */
function standsIn({ name, kind }: Call): boolean {
  return name !== undefined && kind === "function" && readName(name).kind === "custom";
}

function lastContent(call: Call): string | undefined {
  if (standsIn(call)) return unwrapInput(call.arguments.text);
  // No arguments are an empty object, which is what a client will parse.
  return call.kind === "function" && call.arguments.isEmpty ? "{}" : undefined;
}

function headOf(call: Call): OpenBlock | undefined {
  if (call.name === undefined) return undefined;
  call.id ??= `call_${randomBase62(24)}`;
  const { name, kind } = readName(call.name);
  return { type: "tool_call", id: call.id, name, kind: call.kind === "custom" ? "custom" : kind };
}
