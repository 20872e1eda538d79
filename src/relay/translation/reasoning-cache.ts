import type { Block, ChatEvent, ChatRequest, Message, ReasoningBlock } from "#core/chat.ts";
import type { ApiKey } from "#core/key.ts";
import type { Signature } from "#core/signature.ts";
import type { SharedReasoning } from "#core/shared-reasoning.ts";
import type { Clock } from "#lib/clock.ts";
import { isObject, parseJson } from "#lib/json.ts";

interface ReasoningCacheSettings {
  readonly keepMs: number;
  /** Limit of the whole cache, in UTF-16 units; the oldest entries are removed first. */
  readonly maxLength: number;
  /** Of several gateways, so that a conversation may change its gateway. */
  readonly shared?: SharedReasoning | undefined;
}

/** How long a tool call without reasoning is not asked for again. */
const ABSENT_MS = 60_000;
const MAX_ABSENT = 10_000;

/** Data of a tool call that must be sent back with it. */
interface Kept extends SignedCall {
  readonly expiresAt: number;
  readonly length: number;
}

interface SignedCall extends Reasoned {
  readonly signature?: Signature | undefined;
}

/** The reasoning before the first call of a response; empty for later calls. */
interface Reasoned {
  /** Before any text. */
  readonly leading: readonly ReasoningBlock[];
  /** After text. */
  readonly later: readonly ReasoningBlock[];
}

/** Follows the events of one response. */
export interface ReasoningRecorder {
  see(event: ChatEvent): void;
}

/**
 * Caches signatures and encrypted reasoning of responses that the client's style may not carry.
 * Vendors refuse a conversation without them. They are kept by tool call for an hour, for the key's
 * owner only, and restored if missing.
 */
export class ReasoningCache {
  readonly #kept = new Map<string, Kept>();
  readonly #clock: Clock;
  readonly #settings: ReasoningCacheSettings;
  /** Ends of the times in which the shared cache is not asked, by name. */
  readonly #absent = new Map<string, number>();
  #length = 0;

  constructor(clock: Clock, settings: ReasoningCacheSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  recorder(key: ApiKey): ReasoningRecorder {
    return new Recorder((callId, signature, reasoned) => {
      const name = nameOf(key, callId);
      if (reasoned === undefined) return this.#noteAbsent(name);
      const { keepMs, shared } = this.#settings;
      this.#keep(name, { signature, ...reasoned }, keepMs);
      shared?.keep(name, JSON.stringify({ signature, ...reasoned }), keepMs);
    });
  }

  /** Adds reasoning that other gateways cached; undefined if this gateway knows all tool calls. */
  load(key: ApiKey, request: ChatRequest): Promise<void> | undefined {
    const { shared } = this.#settings;
    if (shared === undefined) return undefined;
    const unknown = this.#unknownCalls(key, request);
    return unknown.length === 0 ? undefined : this.#take(unknown, shared);
  }

  async #take(names: readonly string[], shared: SharedReasoning): Promise<void> {
    const found = await shared.find(names);
    if (found === undefined) return;
    for (const { name, text, leftMs } of found) {
      const kept = readKept(text);
      if (kept !== undefined) this.#keep(name, kept, leftMs);
    }
    for (const name of names) if (!this.#kept.has(name)) this.#noteAbsent(name);
  }

  /** The latest first: vendors need their own reasoning of the last turn. */
  #unknownCalls(key: ApiKey, { messages }: ChatRequest): readonly string[] {
    const names: string[] = [];
    for (const { role, blocks } of messages.toReversed()) {
      if (role !== "assistant" || isSigned(blocks)) continue;
      for (const block of blocks) {
        if (block.type !== "tool_call") continue;
        const name = nameOf(key, block.id);
        if (!this.#kept.has(name) && !this.#isAbsent(name)) names.push(name);
      }
    }
    return names;
  }

  #isAbsent(name: string): boolean {
    return (this.#absent.get(name) ?? 0) > this.#clock.now();
  }

  #noteAbsent(name: string): void {
    if (this.#settings.shared === undefined) return;
    this.#absent.delete(name);
    this.#absent.set(name, this.#clock.now() + ABSENT_MS);
    if (this.#absent.size <= MAX_ABSENT) return;
    const [oldest] = this.#absent.keys();
    if (oldest !== undefined) this.#absent.delete(oldest);
  }

  restore(key: ApiKey, request: ChatRequest): ChatRequest {
    if (this.#kept.size === 0) return request;
    let isChanged = false;
    const messages = request.messages.map((message) => {
      const restored = this.#restored(key, message);
      if (restored !== message) isChanged = true;
      return restored;
    });
    return isChanged ? { ...request, messages } : request;
  }

  #restored(key: ApiKey, message: Message): Message {
    if (message.role !== "assistant") return message;
    // A client that sends signatures can carry all of them: missing ones were removed on purpose.
    if (isSigned(message.blocks)) return message;

    const lacking = message.blocks.some(
      (block) => block.type === "tool_call" && this.#find(key, block.id),
    );
    if (!lacking) return message;
    const known = message.blocks.filter((block) => block.type === "reasoning");
    const leading: Block[] = [];
    const said: Block[] = [];
    for (const block of message.blocks) {
      const kept = block.type === "tool_call" ? this.#find(key, block.id) : undefined;
      if (block.type !== "tool_call" || kept === undefined) {
        said.push(block);
        continue;
      }
      // Vendors treat a turn that starts with text as one without reasoning.
      leading.push(...kept.leading);
      said.push(...kept.later);
      said.push(kept.signature === undefined ? block : { ...block, signature: kept.signature });
    }
    const blocks = [...leading, ...said];
    const hasReasoning = blocks.some((block) => block.type === "reasoning" && block.signature);
    // Visible reasoning of the request is part of the cached blocks, too.
    return {
      ...message,
      blocks: hasReasoning
        ? blocks.filter((block) => !known.includes(block as ReasoningBlock))
        : blocks,
    };
  }

  #find(key: ApiKey, callId: string): Kept | undefined {
    const kept = this.#kept.get(nameOf(key, callId));
    return kept !== undefined && kept.expiresAt > this.#clock.now() ? kept : undefined;
  }

  #keep(name: string, { signature, leading, later }: SignedCall, keepMs: number): void {
    this.#absent.delete(name);
    const length =
      name.length +
      lengthOf(signature) +
      [...leading, ...later].reduce(
        (sum, each) => sum + each.text.length + lengthOf(each.signature),
        0,
      );
    this.#drop(name);
    this.#kept.set(name, {
      signature,
      leading,
      later,
      length,
      expiresAt: this.#clock.now() + keepMs,
    });
    this.#length += length;
    for (const [oldest, { expiresAt }] of this.#kept) {
      if (this.#length <= this.#settings.maxLength && expiresAt > this.#clock.now()) break;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    this.#length -= this.#kept.get(name)?.length ?? 0;
    this.#kept.delete(name);
  }
}

/** `reasoned`: undefined if the call has nothing that must be sent back with it. */
type Keep = (
  callId: string,
  signature: Signature | undefined,
  reasoned: Reasoned | undefined,
) => void;

class Recorder implements ReasoningRecorder {
  readonly #keep: Keep;
  #leading: ReasoningBlock[] = [];
  #later: ReasoningBlock[] = [];
  /** Or a tool call was made. */
  #hasSpoken = false;
  #text = "";
  #open: "reasoning" | { readonly callId: string } | undefined;

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  see(event: ChatEvent): void {
    if (!("choice" in event) || event.choice !== 0) return;
    switch (event.type) {
      case "open":
        this.#text = "";
        if (event.block.type === "reasoning") this.#open = "reasoning";
        else this.#open = event.block.type === "tool_call" ? { callId: event.block.id } : undefined;
        if (event.block.type === "tool_call") this.#hasSpoken = true;
        break;
      case "delta":
        if (this.#open === "reasoning") this.#text += event.text;
        else if (event.text !== "") this.#hasSpoken = true;
        break;
      case "close":
        this.#close(event.signature, event.extra);
        break;
      case "cite":
      case "finish":
        break;
    }
  }

  #close(signature: Signature | undefined, extra: ReasoningBlock["extra"]): void {
    const open = this.#open;
    if (open === "reasoning") {
      if (signature === undefined) return;
      const thoughts = this.#hasSpoken ? this.#later : this.#leading;
      thoughts.push({
        type: "reasoning",
        text: this.#text,
        signature,
        ...(extra === undefined ? {} : { extra }),
      });
      return;
    }
    const hasReasoned = this.#leading.length > 0 || this.#later.length > 0;
    if (open === undefined) return;
    if (signature === undefined && !hasReasoned) {
      this.#keep(open.callId, undefined, undefined);
      return;
    }
    this.#keep(open.callId, signature, { leading: this.#leading, later: this.#later });
    this.#leading = [];
    this.#later = [];
  }
}

function nameOf(key: ApiKey, callId: string): string {
  return `${key.userId} ${callId}`;
}

function isSigned(blocks: readonly Block[]): boolean {
  return blocks.some((block) => "signature" in block && block.signature);
}

/** Another gateway of the same secret wrote it, maybe of another version. */
function readKept(text: string): SignedCall | undefined {
  const kept = parseJson(text);
  if (!isObject(kept) || !Array.isArray(kept["leading"]) || !Array.isArray(kept["later"]))
    return undefined;
  return kept as unknown as SignedCall;
}

function lengthOf(signature: Signature | undefined): number {
  return signature?.value.length ?? 0;
}
