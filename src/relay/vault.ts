import type { Block, ChatEvent, ChatRequest, Message, ReasoningBlock } from "#core/chat.ts";
import type { ApiKey } from "#core/key.ts";
import type { Signature } from "#core/signature.ts";
import type { Clock } from "#lib/clock.ts";

export interface VaultSettings {
  readonly keepMs: number;
  /** Of everything kept, in UTF-16 units; the oldest goes first. */
  readonly maxLength: number;
}

/** What came with a tool call and has to come back with it. */
interface Kept {
  readonly signature: Signature | undefined;
  /** The reasoning before the first call of an answer; none for the calls after it. */
  readonly reasoning: readonly ReasoningBlock[];
  readonly expiresAt: number;
  readonly length: number;
}

/** Follows the events of one answer. */
export interface VaultRecorder {
  see(event: ChatEvent): void;
}

/**
 * Signatures and encrypted reasoning of answers whose callers may have no
 * place for them. Vendors refuse a conversation that comes back without, so
 * they are kept by tool call for an hour, for the key's owner only, and put
 * back where they are missing.
 */
export class Vault {
  readonly #kept = new Map<string, Kept>();
  readonly #clock: Clock;
  readonly #settings: VaultSettings;
  #length = 0;

  constructor(clock: Clock, settings: VaultSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  recorder(key: ApiKey): VaultRecorder {
    return new Recorder((callId, signature, reasoning) =>
      this.#keep(nameOf(key, callId), signature, reasoning),
    );
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
    // A caller who sends signatures has them all; what they left out, they left out.
    const isSigned = message.blocks.some((block) => "signature" in block && block.signature);
    if (isSigned) return message;

    const lacking = message.blocks.some(
      (block) => block.type === "tool_call" && this.#find(key, block.id),
    );
    if (!lacking) return message;
    const known = message.blocks.filter((block) => block.type === "reasoning");
    const blocks: Block[] = [];
    for (const block of message.blocks) {
      const kept = block.type === "tool_call" ? this.#find(key, block.id) : undefined;
      if (block.type !== "tool_call" || kept === undefined) {
        blocks.push(block);
        continue;
      }
      blocks.push(...kept.reasoning);
      blocks.push(kept.signature === undefined ? block : { ...block, signature: kept.signature });
    }
    const hasReasoning = blocks.some((block) => block.type === "reasoning" && block.signature);
    // What was only shown of the reasoning stands in the kept blocks as well.
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

  #keep(
    name: string,
    signature: Signature | undefined,
    reasoning: readonly ReasoningBlock[],
  ): void {
    const length =
      name.length +
      lengthOf(signature) +
      reasoning.reduce((sum, each) => sum + each.text.length + lengthOf(each.signature), 0);
    this.#drop(name);
    this.#kept.set(name, {
      signature,
      reasoning,
      length,
      expiresAt: this.#clock.now() + this.#settings.keepMs,
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

type Keep = (
  callId: string,
  signature: Signature | undefined,
  reasoning: readonly ReasoningBlock[],
) => void;

class Recorder implements VaultRecorder {
  readonly #keep: Keep;
  #reasoning: ReasoningBlock[] = [];
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
        break;
      case "delta":
        if (this.#open === "reasoning") this.#text += event.text;
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
    this.#open = undefined;
    if (open === "reasoning") {
      if (signature === undefined) return;
      this.#reasoning.push({
        type: "reasoning",
        text: this.#text,
        signature,
        ...(extra === undefined ? {} : { extra }),
      });
    } else if (open !== undefined && (signature !== undefined || this.#reasoning.length > 0)) {
      this.#keep(open.callId, signature, this.#reasoning);
      this.#reasoning = [];
    }
  }
}

function nameOf(key: ApiKey, callId: string): string {
  return `${key.userId} ${callId}`;
}

function lengthOf(signature: Signature | undefined): number {
  return signature?.value.length ?? 0;
}
