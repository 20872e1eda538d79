import type { Buffer } from "node:buffer";
import { EventTemplate, type Slot } from "#lib/event-template.ts";
import { parseJson, type Json } from "#lib/json.ts";
import { eventsIn } from "#lib/sse-bytes.ts";
import { readEvents } from "#lib/sse.ts";

/** Learning has a cost; it stops after this many useless attempts. */
const MAX_IN_VAIN = 4;

interface TextHolder {
  addQuoted(events: Buffer, start: number, end: number): void;
}

/**
 * The events of a stream that repeat an earlier one with another text: nearly all do, and are not
 * read.
 */
export class RepeatedEvents {
  readonly #slots: readonly Slot[];
  readonly #textIn: (event: Json) => string;
  readonly #output: TextHolder;
  readonly #template = new EventTemplate();
  #inVain = 0;

  /** `textIn`: all text in an event. */
  constructor(slots: readonly Slot[], textIn: (event: Json) => string, output: TextHolder) {
    this.#slots = slots;
    this.#textIn = textIn;
    this.#output = output;
  }

  /** The number of the last event; -1 if it has none. */
  get number(): number {
    return this.#template.number;
  }

  /** True if all of them repeat the learned one; their texts are then held. */
  take(events: Buffer): boolean {
    const template = this.#template;
    const end = template.matchAt(events, 0);
    if (end < 0 || (end < events.length && !this.#areAll(events, end))) return false;
    this.#inVain = 0;
    if (end === events.length) {
      this.#output.addQuoted(events, template.textStart, template.textEnd);
      return true;
    }
    for (let at = 0; at < events.length;) {
      at = template.matchAt(events, at);
      this.#output.addQuoted(events, template.textStart, template.textEnd);
    }
    return true;
  }

  /** Takes the last of valid events, in which nothing but their text is of interest. */
  learn(events: Buffer): void {
    if (this.#inVain >= MAX_IN_VAIN) return;
    this.#inVain++;
    const event = Array.from(eventsIn(events)).at(-1);
    if (event === undefined) return;
    const json = parseJson(readEvents(event.toString())[0]?.data ?? "");
    const inside = json === undefined ? undefined : this.#template.learn(event, this.#slots);
    if (json === undefined || inside === undefined) return;
    // Text outside the slot would not be held.
    if (parseJson(`"${inside}"`) !== this.#textIn(json)) this.#template.forget();
  }

  forget(): void {
    this.#template.forget();
  }

  #areAll(events: Buffer, start: number): boolean {
    let at = start;
    while (at >= 0 && at < events.length) at = this.#template.matchAt(events, at);
    return at === events.length;
  }
}
