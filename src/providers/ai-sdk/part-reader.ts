import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { randomBase62 } from "#lib/ids.ts";
import { defined } from "#lib/values.ts";
import { textOfInput } from "#styles/text/messages/conversation/call-input.ts";
import { readToolName } from "#styles/text/messages/conversation/tool-name.ts";
import { BlockLine, type Slot } from "./block-line.ts";
import { readCitation } from "./citation-in.ts";
import { failureIn } from "./failure.ts";
import { readReason, readStopSequence } from "./finish-in.ts";
import { readProof } from "./proof.ts";
import { readShown } from "./shown-in.ts";
import { planIn } from "./tool-plan.ts";
import type { PackageTraits, UsageBeside } from "./traits.ts";
import { isMembers, itemsOf, membersOf, textIn, type Members } from "./unknown.ts";
import { readUsage } from "./usage-in.ts";

/** Its id among the texts under way. */
const PLAN = "tool_plan";

interface CallSlot {
  readonly slot: Slot;
  readonly kind: "function" | "custom";
  /** Free text stands inside of JSON, and can only be taken out of the whole. */
  input: string;
}

/** Reads the parts of an answer, in the order in which a package streams them. */
export class PartReader {
  readonly #traits: PackageTraits;
  readonly #line = new BlockLine();
  /** Text and reasoning under way, by the package's id. */
  readonly #spoken = new Map<string, Slot>();
  readonly #calls = new Map<string, CallSlot>();
  /** Its input is whole; its part with the proof may follow at once. */
  #endedCall: string | undefined;
  #metadata: Members = {};
  #hasStarted = false;
  #hasCalls = false;
  #finish: Members | undefined;
  #usageBeside: UsageBeside | undefined;

  constructor(traits: PackageTraits) {
    this.#traits = traits;
  }

  read(part: unknown): ChatEvent[] {
    const { type } = membersOf(part);
    if (type !== "tool-call") this.#endCall();
    if (isMembers(part) && typeof type === "string") this.#readPart(type, part);
    return this.#taken();
  }

  /** `isWhole`: nothing can be missing. Otherwise an answer without its vendor's end broke off. */
  end(isWhole: boolean): ChatEvent[] {
    this.#endCall();
    const reason = membersOf(this.#finish?.["finishReason"]);
    const unified = textIn(reason, "unified");
    const isCut =
      this.#finish === undefined || (unified === "other" && reason["raw"] === undefined);
    if (isCut && !isWhole) {
      throw new GatewayError(
        "upstream_failed",
        "The upstream's response ended before it was complete.",
      );
    }
    if (unified === "error") {
      throw new GatewayError("upstream_failed", "The upstream failed to end its answer.");
    }
    this.#line.endAll();
    const usage = readUsage(this.#finish?.["usage"], this.#usageBeside);
    const stopSequence = readStopSequence(this.#finish?.["providerMetadata"]);
    return [
      ...this.#start(),
      ...this.#line.take(),
      {
        type: "finish",
        choice: 0,
        reason: readReason(unified, this.#hasCalls),
        ...(isCut && { isUnstated: true }),
        ...defined({ stopSequence }),
      },
      ...(usage === undefined ? [] : [{ type: "usage" as const, usage }]),
    ];
  }

  #readPart(type: string, part: Members): void {
    switch (type) {
      case "response-metadata":
        this.#metadata = { ...this.#metadata, ...part };
        break;
      case "text-start":
      case "text-delta":
      case "text-end":
        this.#readSpoken("text", type, part);
        if (type === "text-end") for (const each of itemsOf(part["citations"])) this.#cite(each);
        break;
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        this.#readSpoken("reasoning", type, part);
        break;
      case "tool-input-start":
        if (part["providerExecuted"] !== true) this.#callOf(part["id"], part["toolName"]);
        break;
      case "tool-input-delta":
        this.#addInput(part);
        break;
      case "tool-input-end":
        this.#endedCall = textIn(part, "id");
        break;
      case "tool-call":
        if (part["providerExecuted"] !== true) this.#readCall(part);
        break;
      case "source":
        this.#cite({ source: part });
        break;
      case "file":
        this.#show(part);
        break;
      case "finish":
        this.#finish = part;
        break;
      case "raw":
        this.#plan(part["rawValue"]);
        this.#usageBeside =
          this.#traits.usageBeside?.(membersOf(part["rawValue"])) ?? this.#usageBeside;
        break;
      case "error":
        throw failureIn(part["error"]);
    }
  }

  /** It ends where anything else begins. */
  #plan(event: unknown): void {
    const delta = this.#traits.hasToolPlans === true ? planIn(event) : undefined;
    if (delta !== undefined) this.#readSpoken("text", "text-delta", { id: PLAN, delta });
    else if (this.#spoken.has(`text ${PLAN}`)) this.#readSpoken("text", "text-end", { id: PLAN });
  }

  /** Nothing is begun for nothing, and what closed meanwhile is begun anew. */
  #readSpoken(kind: "text" | "reasoning", type: string, part: Members): void {
    const key = `${kind} ${String(part["id"])}`;
    const delta = textIn(part, "delta") ?? "";
    const proof =
      kind === "reasoning" ? readProof(part["providerMetadata"], this.#traits) : undefined;
    let slot = this.#spoken.get(key);
    if (delta !== "" || proof !== undefined) {
      if (slot === undefined || slot.state === "closed") slot = this.#line.begin({ type: kind });
      this.#spoken.set(key, slot);
      if (proof !== undefined) slot.signature = proof;
      this.#line.say(slot, delta);
    }
    if (!type.endsWith("-end")) return;
    if (slot !== undefined) this.#line.end(slot);
    this.#spoken.delete(key);
  }

  #callOf(id: unknown, toolName: unknown): CallSlot {
    const callId = typeof id === "string" && id !== "" ? id : `call_${randomBase62(24)}`;
    const known = this.#calls.get(callId);
    if (known !== undefined) return known;
    if (typeof toolName !== "string" || toolName === "") {
      throw new GatewayError("upstream_failed", "The upstream's tool call has no tool name.");
    }
    const { name, kind } = readToolName(toolName);
    const slot = this.#line.begin({ type: "tool_call", id: callId, name, kind });
    const call: CallSlot = { slot, kind, input: "" };
    this.#calls.set(callId, call);
    this.#hasCalls = true;
    return call;
  }

  #addInput({ id, delta }: Members): void {
    const call = typeof id === "string" ? this.#calls.get(id) : undefined;
    if (call === undefined || typeof delta !== "string") return;
    call.input += delta;
    if (call.kind === "function") this.#line.say(call.slot, delta);
  }

  #readCall({ toolCallId, toolName, input, providerMetadata }: Members): void {
    const call = this.#callOf(toolCallId, toolName);
    if (call.slot.isDone) return;
    if (call.input === "") {
      const whole = typeof input === "string" ? input : JSON.stringify(input ?? {});
      call.input = whole;
      if (call.kind === "function") this.#line.say(call.slot, whole);
    }
    call.slot.signature = readProof(providerMetadata, this.#traits);
    this.#close(call);
    this.#endedCall = undefined;
  }

  /** Whatever came next, it was not the part that belongs to the call. */
  #endCall(): void {
    const call = this.#endedCall === undefined ? undefined : this.#calls.get(this.#endedCall);
    this.#endedCall = undefined;
    if (call !== undefined && !call.slot.isDone) this.#close(call);
  }

  #close(call: CallSlot): void {
    if (call.kind === "custom") this.#line.say(call.slot, textOfInput(call.input));
    this.#line.end(call.slot);
  }

  #cite(said: unknown): void {
    const citation = readCitation(said);
    if (citation !== undefined) this.#line.cite(citation);
  }

  #show(part: Members): void {
    const shown = readShown(part);
    if (shown === undefined) return;
    const slot = this.#line.begin({ type: shown.type, mediaType: shown.mediaType });
    this.#line.say(slot, shown.base64);
    this.#line.end(slot);
  }

  #taken(): ChatEvent[] {
    const events = this.#line.take();
    return events.length === 0 ? events : [...this.#start(), ...events];
  }

  /** Only with its first block, so that until then another upstream can take over. */
  #start(): ChatEvent[] {
    if (this.#hasStarted) return [];
    this.#hasStarted = true;
    const { timestamp } = this.#metadata;
    return [
      {
        type: "start",
        id: textIn(this.#metadata, "id") || randomBase62(24),
        model: textIn(this.#metadata, "modelId") ?? "",
        createdAt: timestamp instanceof Date ? timestamp.getTime() || 0 : 0,
      },
    ];
  }
}
