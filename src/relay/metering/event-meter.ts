import type { ChatEvent, OpenBlock } from "#core/chat.ts";
import type { Usage } from "#core/usage.ts";
import { randomBase62 } from "#lib/ids.ts";
import type { Call } from "../call.ts";
import type { Route } from "../routing/route.ts";
import { PendingOutput } from "./pending-output.ts";
import type { ReasoningCache, ReasoningRecorder } from "../translation/reasoning-cache.ts";

const ID_LENGTH = 24;

/**
 * Observes the events of a response: reads usage and text, adds the gateway's ids if translated,
 * and stores reasoning that the client's style cannot carry.
 */
export class EventMeter {
  usage: Usage | undefined;
  /** An event with content arrived: not only a head or an empty text. */
  hasContent = false;
  /** Parts of the request that the upstream reports as ignored, and of the answer that it left out. */
  lost: readonly string[] = NO_WORDS;
  readonly #call: Call;
  readonly #givesIds: boolean;
  readonly #recorder: ReasoningRecorder;
  /** Choices whose open block is media: their deltas are images or audio. */
  readonly #inMedia = new Set<number>();
  readonly #taken = new PendingOutput();
  #text = "";

  constructor(call: Call, route: Route, reasoningCache: ReasoningCache) {
    this.#call = call;
    this.#givesIds = route.endpoint?.style.id !== call.style.id;
    this.#recorder = reasoningCache.recorder(call.key);
  }

  see(event: ChatEvent): ChatEvent {
    const seen = this.#owned(event);
    this.#recorder.see(seen);
    this.hasContent ||= holdsContent(seen);
    if (seen.type === "usage") this.usage = seen.usage;
    else if (seen.type === "open") this.#opened(seen.choice, seen.block);
    else if (seen.type === "delta")
      this.#text += this.#inMedia.has(seen.choice) ? (seen.transcript ?? "") : seen.text;
    else if (seen.type === "finish" && seen.isUnstated === true) this.#lose(FINISH_REASON);
    return seen;
  }

  #lose(name: string): void {
    if (!this.lost.includes(name)) this.lost = [...this.lost, name];
  }

  #opened(choice: number, block: OpenBlock): void {
    if (block.type === "audio" || block.type === "image") this.#inMedia.add(choice);
    else this.#inMedia.delete(choice);
    if (block.type === "tool_call") this.#text += block.name;
  }

  takeOutputText(): string {
    const text = this.#text;
    this.#text = "";
    this.#taken.add(text);
    return text;
  }

  /** The whole output from its start, even if parts were already counted. */
  wholeOutput(): ReturnType<PendingOutput["whole"]> {
    return this.#taken.whole(this.#text);
  }

  #owned(event: ChatEvent): ChatEvent {
    if (event.type === "start") return this.#begun(event);
    if (event.type === "finish") return { ...event, at: event.at ?? this.#call.now() };
    if (event.type !== "open" || event.block.type !== "tool_call" || !this.#givesIds) return event;
    const block: OpenBlock = {
      ...event.block,
      id: this.#call.style.callIdPrefix + randomBase62(ID_LENGTH),
    };
    return { ...event, block };
  }

  /** Every style needs a creation time, and some upstreams send none. */
  #begun(event: Extract<ChatEvent, { type: "start" }>): ChatEvent {
    this.lost = event.lost ?? NO_WORDS;
    return {
      ...event,
      createdAt: event.createdAt > 0 ? event.createdAt : this.#call.at,
      inputTokens: event.inputTokens ?? this.#call.inputTokens,
      ...(this.#givesIds ? { id: randomBase62(ID_LENGTH) } : {}),
    };
  }
}

const NO_WORDS: readonly string[] = [];
/** Its name in the report of losses, whatever the client's style. */
const FINISH_REASON = "finish_reason";

function holdsContent(event: ChatEvent): boolean {
  switch (event.type) {
    case "open":
      return !WORDS.has(event.block.type);
    case "delta":
      return event.text !== "" || (event.transcript ?? "") !== "" || event.logprobs !== undefined;
    case "cite":
      return true;
    case "close":
      return event.signature !== undefined;
    default:
      return false;
  }
}

/** Blocks without content before their first delta. */
const WORDS: ReadonlySet<OpenBlock["type"]> = new Set(["text", "reasoning", "refusal"]);
