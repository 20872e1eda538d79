import type { ChatEvent, ChatRequest, FinishReason, OpenBlock } from "#core/chat.ts";
import { isArray, type Json } from "#lib/json.ts";
import { echoIn } from "./request.ts";

/** Text that an event adds to a choice. */
export interface Piece {
  readonly index: number;
  readonly text: string;
  readonly logprobs: readonly Json[];
  readonly reason: string | null;
}

/** Writes text and refusals; this style has no reasoning and no tool calls. */
export class TextWriter {
  readonly #echo: string;
  readonly #open = new Map<number, OpenBlock["type"]>();

  constructor(request: ChatRequest) {
    this.#echo = echoIn(request);
  }

  write(event: ChatEvent): readonly Piece[] {
    if (event.type === "start" || event.type === "usage") return [];
    const begun = this.#begin(event.choice);
    switch (event.type) {
      case "open":
        this.#open.set(event.choice, event.block.type);
        return begun;
      case "delta": {
        const kind = this.#open.get(event.choice);
        if (kind !== "text" && kind !== "refusal") return begun;
        const logprobs = isArray(event.logprobs) ? event.logprobs : [];
        return [...begun, { index: event.choice, text: event.text, logprobs, reason: null }];
      }
      case "finish": {
        const reason = FINISH_WORDS[event.reason];
        return [...begun, { index: event.choice, text: "", logprobs: [], reason }];
      }
      case "cite":
      case "close":
        return begun;
    }
  }

  #begin(index: number): readonly Piece[] {
    if (this.#open.has(index)) return [];
    this.#open.set(index, "other");
    return this.#echo === "" ? [] : [{ index, text: this.#echo, logprobs: [], reason: null }];
  }
}

const FINISH_WORDS: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "stop",
  content_filter: "content_filter",
  other: "stop",
};
