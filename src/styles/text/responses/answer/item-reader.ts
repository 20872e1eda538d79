import type { Extra, OpenBlock } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { readSignature } from "#core/signature.ts";
import { randomBase62 } from "#lib/ids.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { argumentsOf, defined, listOf, memberOf, restOf, textOf } from "#lib/values.ts";
import type { BlockQueue, Slot } from "#styles/text/block-queue.ts";
import { readName } from "#styles/text/tool-names.ts";
import { parseCitation } from "../conversation/citation.ts";
import { RESPONSES } from "../raw-fields.ts";

const MAX_ARGUMENTS_LENGTH = 16 * 1_024 * 1_024;
const MAX_PARTS = 10_000;
const MAX_CITATIONS = 1_000;

/** The usual summary, or the reasoning itself, which some servers show. */
type ReasoningKind = "summary" | "raw";

type PartKind = "text" | "refusal" | ReasoningKind;

/** What came of one part of an item. */
interface Part {
  readonly kind: PartKind;
  readonly at: number;
  slot: Slot | undefined;
  /** All that was said of it: its end repeats the whole. */
  text: string;
  /** Its end was told. */
  isEnded: boolean;
  annotations: number;
  hasLogprobs: boolean;
}

/**
 * One item of an answer, from whatever its server sends of it: pieces, wholes
 * at the end of each part, the whole item, or all of these. What was already
 * read is not read again.
 */
export class ItemReader {
  readonly #queue: BlockQueue;
  readonly #parts = new Map<string, Part>();
  #item: JsonObject;
  #call: Slot | undefined;
  #argumentsLength = 0;
  #isCallWhole = false;
  #reasoning: Slot | undefined;
  #reasoningKind: ReasoningKind | undefined;
  isDone = false;

  constructor(queue: BlockQueue, item: JsonObject) {
    this.#queue = queue;
    this.#item = item;
    this.begin(item);
  }

  get isCall(): boolean {
    return this.#call !== undefined;
  }

  /** Its head, as soon as that is known. */
  begin(item: JsonObject): void {
    this.#item = { ...this.#item, ...item };
    const { type } = this.#item;
    if (type !== "function_call" && type !== "custom_tool_call") return;
    const kind = type === "function_call" ? "function" : "custom";
    this.#call ??= this.#queue.add({
      kind: "tool_call",
      head: () => this.#headOfCall(kind),
      isWhole: () => this.isDone || this.#isCallWhole,
      // Clients parse the arguments: without any, they are an empty object.
      lastContent: () => (kind === "function" && this.#argumentsLength === 0 ? "{}" : undefined),
    });
    this.#queue.advance();
  }

  say(kind: "text" | "refusal", at: number, text: string, logprobs?: Json): void {
    const part = this.#part(kind, at);
    const hasLogprobs = isArray(logprobs) && logprobs.length > 0;
    if (text === "" && !hasLogprobs) return;
    const slot = this.#wordsOf(part, kind);
    part.text += text;
    part.hasLogprobs ||= hasLogprobs;
    const delta = { type: "delta", choice: 0, text } as const;
    this.#queue.send(slot, hasLogprobs ? { ...delta, logprobs } : delta);
  }

  cite(at: number, annotation: Json): void {
    const part = this.#part("text", at);
    if (part.annotations >= MAX_CITATIONS) return;
    part.annotations++;
    const slot = this.#wordsOf(part, "text");
    const citation = parseCitation(annotation);
    if (citation !== undefined) {
      this.#queue.send(slot, { type: "cite", choice: 0, citation });
      return;
    }
    const others = listOf(slot.closing?.["annotations"]);
    slot.closing = { annotations: [...others, annotation] };
  }

  /** Its parts are joined by a blank line. Servers that show both kinds mean the same by them. */
  reason(kind: ReasoningKind, at: number, text: string): void {
    const part = this.#part(kind, at);
    if (text === "" || (this.#reasoningKind ?? kind) !== kind) return;
    this.#reasoningKind = kind;
    const isFirst = this.#reasoning === undefined;
    this.#reasoning ??= this.#openReasoning(kind === "raw");
    const gap = part.text === "" && !isFirst ? "\n\n" : "";
    part.text += text;
    this.#queue.send(this.#reasoning, { type: "delta", choice: 0, text: gap + text });
  }

  call(text: string): void {
    if (this.#call === undefined || text === "") return;
    this.#argumentsLength += text.length;
    if (this.#argumentsLength > MAX_ARGUMENTS_LENGTH) {
      throw new GatewayError("upstream_failed", "The upstream's tool call is too long.");
    }
    this.#queue.send(this.#call, { type: "delta", choice: 0, text });
  }

  /** What a whole part has beyond its pieces. */
  endPart(place: number, part: JsonObject): void {
    const kind = KINDS.get(textOf(part["type"]) ?? "");
    if (kind === undefined) return;
    const whole = textOf(part[kind === "refusal" ? "refusal" : "text"]) ?? "";
    const known = this.#said(kind, place, whole);
    const { at } = known;
    const rest = whole.slice(known.text.length);
    known.isEnded = true;
    if (kind === "refusal") this.say("refusal", at, rest);
    else if (kind !== "text") this.reason(kind, at, rest);
    else {
      this.say("text", at, rest, known.hasLogprobs ? undefined : part["logprobs"]);
      for (const one of listOf(part["annotations"]).slice(known.annotations)) this.cite(at, one);
    }
  }

  endCall(whole: Json | undefined): void {
    this.call(argumentsOf(whole).slice(this.#argumentsLength));
    this.#isCallWhole = true;
    this.#queue.advance();
  }

  /** The item as a whole, which closes it. */
  end(whole: JsonObject): void {
    if (this.isDone) return;
    this.begin(whole);
    const item = this.#item;
    switch (item["type"]) {
      case "message":
        this.#endParts(item["content"], (at, part) => this.#endPartOfMessage(at, part));
        break;
      case "reasoning":
        this.#endReasoning(item, whole);
        break;
      case "function_call":
        this.endCall(item["arguments"]);
        break;
      case "custom_tool_call":
        this.endCall(item["input"]);
        break;
      case "image_generation_call":
        this.#showImage(item);
        break;
      default:
        if (typeof item["type"] === "string") this.#addOther(item);
        break;
    }
    this.isDone = true;
    this.#queue.advance();
  }

  /** All parts of a kind, in order. Those that were told of in their own place are taken first. */
  #endParts(wire: Json | undefined, end: (at: number, part: JsonObject) => void): void {
    const parts = listOf(wire);
    for (const known of this.#parts.values()) {
      const there = parts[known.at];
      const name = known.kind === "refusal" ? "refusal" : "text";
      const whole = textOf(memberOf(there, name)) ?? "";
      known.isEnded = known.text !== "" && whole.startsWith(known.text);
    }
    parts.forEach((part, at) => {
      if (isObject(part)) end(at, part);
    });
  }

  #endPartOfMessage(at: number, part: JsonObject): void {
    if (part["type"] === "output_text" || part["type"] === "refusal") this.endPart(at, part);
    else this.#addOther({ ...this.#item, content: [part] });
  }

  /** What an item begins with may hold a part of its proof, which is worth nothing. */
  #endReasoning(item: JsonObject, whole: JsonObject): void {
    this.#endParts(item["summary"], (at, part) =>
      this.endPart(at, { ...part, type: "summary_text" }),
    );
    this.#endParts(item["content"], (at, part) =>
      this.endPart(at, { ...part, type: "reasoning_text" }),
    );
    const proof = textOf(whole["encrypted_content"]) || undefined;
    if (proof === undefined) return;
    this.#reasoning ??= this.#openReasoning(false);
    this.#reasoning.signature = readSignature(proof, RESPONSES);
    const id = textOf(item["id"]);
    if (id !== undefined) this.#reasoning.closing = { id };
  }

  #showImage(item: JsonObject): void {
    const base64 = textOf(item["result"]) ?? "";
    if (base64 === "") {
      this.#addOther(item);
      return;
    }
    const rest = restOf(item, IMAGE_MEMBERS);
    const mediaType = `image/${textOf(item["output_format"]) ?? "png"}`;
    const head: OpenBlock = { type: "image", mediaType, ...this.#extra({ image: rest ?? null }) };
    const slot = this.#queue.add({ kind: "image", head: () => head });
    this.#queue.send(slot, { type: "delta", choice: 0, text: base64 });
  }

  #addOther(data: JsonObject): void {
    this.#queue.add({ kind: "other", head: () => ({ type: "other", style: RESPONSES, data }) });
    this.#queue.advance();
  }

  /** Closed where another item came in between: then the rest is a block of its own. */
  #wordsOf(part: Part, kind: "text" | "refusal"): Slot {
    if (part.slot !== undefined && part.slot.state !== "closed") return part.slot;
    const phase = textOf(this.#item["phase"]);
    const head: OpenBlock = { type: kind, ...this.#extra(defined({ phase })) };
    part.slot = this.#queue.add({ kind, head: () => head });
    return part.slot;
  }

  /** Not whole before its proof is there, which comes last. */
  #openReasoning(isRaw: boolean): Slot {
    const head: OpenBlock = { type: "reasoning", ...this.#extra(isRaw ? { raw: true } : {}) };
    return this.#queue.add({ kind: "reasoning", head: () => head, isWhole: () => this.isDone });
  }

  #headOfCall(kind: "function" | "custom"): OpenBlock | undefined {
    const name = textOf(this.#item["name"]) || undefined;
    if (name === undefined) return undefined;
    const id = textOf(this.#item["call_id"]) || textOf(this.#item["id"]);
    return {
      type: "tool_call",
      id: id || `call_${randomBase62(24)}`,
      name: readName(name).name,
      kind,
      ...this.#extra(defined({ namespace: textOf(this.#item["namespace"]) })),
    };
  }

  /** What its own style gets back: the item's id above all. */
  #extra(own: JsonObject): { readonly extra?: Extra } {
    const id = textOf(this.#item["id"]) ?? textOf(this.#item["item_id"]);
    const extra = { ...own, ...defined({ id }) };
    return Object.keys(extra).length === 0 ? {} : { extra: { [RESPONSES]: extra } };
  }

  /**
   * What was said before of the part at a place. Some servers count the parts
   * of a whole answer where others count those of an item: then the part is
   * known by its words.
   */
  #said(kind: PartKind, place: number, whole: string): Part {
    const exact = this.#part(kind, place);
    if (exact.text !== "") return exact;
    const others = this.#parts.values();
    return (
      others.find(
        (part) =>
          part.kind === kind && !part.isEnded && part.text !== "" && whole.startsWith(part.text),
      ) ?? exact
    );
  }

  #part(kind: PartKind, at: number): Part {
    const key = `${kind} ${at}`;
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    if (this.#parts.size >= MAX_PARTS) {
      throw new GatewayError("upstream_failed", "The upstream's answer has too many parts.");
    }
    const part: Part = {
      kind,
      at,
      slot: undefined,
      text: "",
      isEnded: false,
      annotations: 0,
      hasLogprobs: false,
    };
    this.#parts.set(key, part);
    return part;
  }
}

const KINDS: ReadonlyMap<string, PartKind> = new Map([
  ["output_text", "text"],
  ["refusal", "refusal"],
  ["reasoning_text", "raw"],
  ["summary_text", "summary"],
]);
const IMAGE_MEMBERS = new Set(["id", "type", "status", "result"]);
