import type { ChatEvent, OpenBlock } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { CHAT } from "./spelling.ts";
import { defined } from "./values.ts";

/** A block to be, in the order of its first word. */
export interface Slot {
  readonly kind: OpenBlock["type"];
  /** What comes before its content; `undefined` while its name is not known. */
  head(): OpenBlock | undefined;
  /** Whether it may be closed as soon as another block begins. */
  isWhole(): boolean;
  /** Content that stands for none at all, where the hub has no such thing. */
  emptyContent?: () => string | undefined;
  signature?: string;
  closing?: JsonObject;
  state: "waiting" | "open" | "closed";
  readonly events: ChatEvent[];
}

/**
 * Puts the blocks of one choice in a row. Upstreams may go back and forth
 * between them; the hub has them one after the other, so the events of a later
 * block wait until every block before it is whole.
 */
export class BlockQueue {
  readonly #choice: number;
  readonly #slots: Slot[] = [];
  /** The slots before this one are closed. */
  #first = 0;
  #out: ChatEvent[] = [];

  constructor(choice: number) {
    this.#choice = choice;
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
    const slot = this.#slots.findLast((one) => one.kind === kind);
    return slot?.state === "closed" ? undefined : slot;
  }

  send(slot: Slot, event: ChatEvent): void {
    slot.events.push(event);
    this.advance();
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
      const slot = this.#slots[this.#first];
      if (slot === undefined || !this.#open(slot, isEnd)) return;
      this.#out.push(...slot.events.splice(0));
      const isLast = this.#first === this.#slots.length - 1;
      if (!isEnd && (isLast || !slot.isWhole())) return;
      this.#close(slot);
    }
  }

  #open(slot: Slot, isEnd: boolean): boolean {
    if (slot.state === "open") return true;
    const block = slot.head();
    if (block === undefined) {
      if (!isEnd) return false;
      throw new GatewayError("upstream_failed", "The upstream called a tool without naming it.");
    }
    this.#out.push({ type: "open", choice: this.#choice, block });
    slot.state = "open";
    return true;
  }

  #close(slot: Slot): void {
    const choice = this.#choice;
    const empty = slot.emptyContent?.();
    if (empty !== undefined) this.#out.push({ type: "delta", choice, text: empty });
    const { signature, closing } = slot;
    const extra = closing === undefined ? undefined : { [CHAT]: closing };
    this.#out.push({ type: "close", choice, ...defined({ signature, extra }) });
    slot.state = "closed";
    this.#first++;
  }
}
