import type { ChatEvent, OpenBlock } from "#core/chat.ts";
import { addUsage, type Usage } from "#core/usage.ts";

type Close = Extract<ChatEvent, { type: "close" }>;

/**
 * Joins an upstream's responses to several requests, each of which continues the one before. A text
 * that was split by the end of a request stays one block.
 */
export class HopJoiner {
  #hops = 1;
  #usage: Usage | undefined;
  /** Type of the last block that was opened, by choice. */
  readonly #open = new Map<number, OpenBlock["type"]>();
  /** Ends of texts that the next part may continue. */
  readonly #cut = new Map<number, Close>();
  /** Choices whose open text started in an earlier part, so that positions in it are unknown. */
  readonly #resumed = new Set<number>();
  readonly #called = new Set<number>();

  /** Usage of the finished parts. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Events of the current part, and those that end the last one. */
  pass(events: readonly ChatEvent[]): readonly ChatEvent[] {
    return events.length === 0 ? events : events.flatMap((event) => this.#pass(event));
  }

  /** The events at the end of a part that is continued. */
  between(events: readonly ChatEvent[]): readonly ChatEvent[] {
    const told = events.flatMap((event) => {
      if (event.type === "usage") this.#count(event.usage);
      if (event.type === "usage" || event.type === "finish") return [];
      return event.type === "close" ? this.#closeOrCut(event) : this.#pass(event);
    });
    this.#hops++;
    return told;
  }

  #pass(event: ChatEvent): readonly ChatEvent[] {
    switch (event.type) {
      case "start":
        return this.#hops === 1 ? [event] : [];
      case "open":
        return this.#begin(event);
      case "cite": {
        if (!this.#resumed.has(event.choice)) return [event];
        const { start: _, end: __, ...citation } = event.citation;
        return [{ ...event, citation }];
      }
      case "close":
        this.#resumed.delete(event.choice);
        return [event];
      case "finish":
        return [...this.#takeCut(event.choice), this.#finished(event)];
      case "usage":
        return [this.#summed(event)];
      default:
        return [event];
    }
  }

  #begin(event: Extract<ChatEvent, { type: "open" }>): readonly ChatEvent[] {
    const { choice, block } = event;
    const isResumed = this.#cut.has(choice) && this.#open.get(choice) === block.type;
    const cut = this.#takeCut(choice);
    this.#open.set(choice, block.type);
    if (block.type === "tool_call") this.#called.add(choice);
    if (!isResumed) return [...cut, event];
    this.#resumed.add(choice);
    return [];
  }

  #takeCut(choice: number): readonly ChatEvent[] {
    const cut = this.#cut.get(choice);
    this.#cut.delete(choice);
    return cut === undefined ? [] : this.#pass(cut);
  }

  #closeOrCut(event: Close): readonly ChatEvent[] {
    const type = this.#open.get(event.choice);
    const isText = type === "text" || type === "reasoning";
    if (!isText || event.signature !== undefined) return this.#pass(event);
    this.#cut.set(event.choice, event);
    return [];
  }

  /** The last part does not include calls of earlier ones. */
  #finished(event: Extract<ChatEvent, { type: "finish" }>): ChatEvent {
    const isCall = this.#called.has(event.choice);
    const isPlain = event.reason === "stop" || event.reason === "other";
    return this.#hops > 1 && isCall && isPlain ? { ...event, reason: "tool_calls" } : event;
  }

  #summed(event: Extract<ChatEvent, { type: "usage" }>): ChatEvent {
    if (this.#hops === 1) return event;
    this.#count(event.usage);
    return { type: "usage", usage: this.#usage ?? event.usage };
  }

  #count(usage: Usage): void {
    this.#usage = this.#usage === undefined ? usage : addUsage(this.#usage, usage);
  }
}
