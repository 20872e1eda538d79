import type { ChatEvent, OpenBlock } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { Signature } from "#core/signature.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

/** A block to be, in the order of its first word. */
export interface Slot {
  readonly kind: OpenBlock["type"];
  /** What comes before its content; `undefined` while its name is not known. */
  head(): OpenBlock | undefined;
  /** Whether it may be closed as soon as another block begins. */
  isWhole(): boolean;
  /** Content that is only known, or only made up for, at the end. */
  lastContent?: () => string | undefined;
  signature?: Signature;
  closing?: JsonObject;
  state: "waiting" | "open" | "closed";
  readonly events: ChatEvent[];
}

/** What may wait in all, in UTF-16 units; each event counts for more than its text. */
const MAX_WAITING_LENGTH = 16 * 1_024 * 1_024;
const EVENT_LENGTH = 64;

/**
 * Puts the blocks of one choice in a row. Upstreams may go back and forth
 * between them; the hub has them one after the other, so the events of a later
 * block wait until every block before it is whole.
 */
export class BlockQueue {
  readonly #choice: number;
  readonly #style: string;
  /** Those that are not closed yet. */
  readonly #slots: Slot[] = [];
  #out: ChatEvent[] = [];
  #waitedLength = 0;

  constructor(choice: number, style: string) {
    this.#choice = choice;
    this.#style = style;
  }

  add(slot: Pick<Slot, "kind" | "head"> & Partial<Slot>): Slot {
    const added: Slot = { isWhole: () => true, ...slot, state: "waiting", events: [] };
    this.#slots.push(added);
    return added;
  }

  get last(): Slot | undefined {
    return this.#slots.at(-1);
  }

  /** The last block of a kind that can still take something. */
  unclosed(kind: Slot["kind"]): Slot | undefined {
    return this.#slots.findLast((one) => one.kind === kind);
  }

  send(slot: Slot, event: ChatEvent): void {
    slot.events.push(event);
    this.advance();
    if (slot.events.length === 0) return;
    this.#waitedLength += EVENT_LENGTH + (event.type === "delta" ? event.text.length : 0);
    if (this.#waitedLength > MAX_WAITING_LENGTH) {
      throw new GatewayError(
        "upstream_failed",
        "The upstream's response has events in an invalid order.",
      );
    }
  }

  advance(): void {
    this.#advance(false);
  }

  closeAll(): void {
    this.#advance(true);
  }

  take(): ChatEvent[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #advance(isEnd: boolean): void {
    for (;;) {
      const [slot] = this.#slots;
      if (slot === undefined || !this.#open(slot, isEnd)) return;
      for (const event of slot.events) this.#out.push(event);
      slot.events.length = 0;
      if (!isEnd && (this.#slots.length === 1 || !slot.isWhole())) return;
      this.#close(slot);
      this.#slots.shift();
    }
  }

  #open(slot: Slot, isEnd: boolean): boolean {
    if (slot.state === "open") return true;
    const block = slot.head();
    if (block === undefined) {
      if (!isEnd) return false;
      throw new GatewayError("upstream_failed", "The upstream's tool call has no tool name.");
    }
    this.#out.push({ type: "open", choice: this.#choice, block });
    slot.state = "open";
    return true;
  }

  #close(slot: Slot): void {
    const choice = this.#choice;
    const last = slot.lastContent?.();
    if (last !== undefined) this.#out.push({ type: "delta", choice, text: last });
    const { signature, closing } = slot;
    const extra = closing === undefined ? undefined : { [this.#style]: closing };
    this.#out.push({ type: "close", choice, ...defined({ signature, extra }) });
    slot.state = "closed";
  }
}
