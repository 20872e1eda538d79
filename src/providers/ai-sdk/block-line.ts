import type { ChatEvent, Citation, OpenBlock } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { Signature } from "#core/signature.ts";
import { defined } from "#lib/values.ts";

/** One block of the answer, which may have to wait for those before it. */
export interface Slot {
  readonly head: OpenBlock;
  readonly waiting: ChatEvent[];
  signature: Signature | undefined;
  /** Nothing of it is to come: it closes as soon as another begins. */
  isDone: boolean;
  state: "waiting" | "open" | "closed";
}

/** What may wait in all, in UTF-16 units; each event counts for more than its text. */
const MAX_WAITING_LENGTH = 16 * 1_024 * 1_024;
const EVENT_LENGTH = 64;

/**
 * Puts the blocks of an answer in a row. Packages may have several under way
 * at once; in the hub a block waits until those before it are closed. Only a
 * tool call makes others wait: text and reasoning close when another begins,
 * since some packages end them only with the answer.
 */
export class BlockLine {
  #slots: Slot[] = [];
  #out: ChatEvent[] = [];
  #waitedLength = 0;
  /** Sources that were named before there was text to hang them on. */
  #uncited: Citation[] = [];

  begin(head: OpenBlock): Slot {
    const slot: Slot = { head, waiting: [], signature: undefined, isDone: false, state: "waiting" };
    this.#slots.push(slot);
    this.#advance(false);
    return slot;
  }

  say(slot: Slot, text: string): void {
    if (text === "") return;
    this.#waitedLength += slot.state === "waiting" ? EVENT_LENGTH + text.length : 0;
    if (this.#waitedLength > MAX_WAITING_LENGTH) {
      throw new GatewayError(
        "upstream_failed",
        "The upstream's response has events in an invalid order.",
      );
    }
    this.#send(slot, { type: "delta", choice: 0, text });
  }

  /** Belongs to the text under way, to the last one, or to the first that comes. */
  cite(citation: Citation): void {
    const text = this.#slots.findLast(({ head }) => head.type === "text");
    if (text === undefined) this.#uncited.push(citation);
    else this.#send(text, { type: "cite", choice: 0, citation });
  }

  end(slot: Slot): void {
    slot.isDone = true;
    this.#advance(false);
  }

  /** Everything that is still open or waits. */
  endAll(): void {
    this.#advance(true);
  }

  take(): ChatEvent[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #send(slot: Slot, event: ChatEvent): void {
    if (slot.state === "open") this.#out.push(event);
    else slot.waiting.push(event);
  }

  #advance(isEnd: boolean): void {
    for (;;) {
      const [slot] = this.#slots;
      if (slot === undefined) return;
      this.#open(slot);
      const isLast = this.#slots.length === 1;
      const mayClose = slot.isDone || slot.head.type !== "tool_call";
      // The last text stays open for sources that are named after it.
      const isKept = isLast && (!slot.isDone || slot.head.type === "text");
      if (!isEnd && (isKept || !mayClose)) return;
      this.#close(slot);
      this.#slots.shift();
    }
  }

  #open(slot: Slot): void {
    if (slot.state !== "waiting") return;
    slot.state = "open";
    this.#out.push({ type: "open", choice: 0, block: slot.head });
    this.#out.push(...slot.waiting.splice(0));
    if (slot.head.type !== "text") return;
    for (const citation of this.#uncited.splice(0)) {
      this.#out.push({ type: "cite", choice: 0, citation });
    }
  }

  #close(slot: Slot): void {
    slot.state = "closed";
    this.#out.push({ type: "close", choice: 0, ...defined({ signature: slot.signature }) });
  }
}
