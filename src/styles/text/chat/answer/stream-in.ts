import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { StreamDecoder } from "#core/style.ts";
import { JsonTemplate } from "#lib/json-template.ts";
import { parseExactJson } from "#lib/exact-number.ts";
import type { Json } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import { AnswerReader } from "./answer-reader.ts";
import { textOnlyChunkIn } from "./text-only-chunk.ts";

export function openDecoder(): StreamDecoder {
  return new ChatDecoder();
}

/** Ends at the end mark or at the last event; an answer that only breaks off is a failure. */
class ChatDecoder implements StreamDecoder {
  readonly #reader = new AnswerReader();
  readonly #alike = new JsonTemplate("content");
  /** Whose words the chunks hold that are like the one before. */
  #choice = 0;
  isOver = false;

  read({ data }: SseEvent): readonly ChatEvent[] {
    const payload = data.trim();
    if (payload === "[DONE]") return this.#end("marked");
    const words = this.#alike.read(payload);
    if (words !== undefined) return this.#reader.readWords(this.#choice, words);
    const chunk = parseExactJson(payload);
    if (chunk !== undefined) return this.#read(chunk, payload);
    // Words beside JSON are a server's chatter; broken JSON is lost content.
    if (!payload.startsWith("{")) return [];
    throw new GatewayError("upstream_failed", "The upstream sent an invalid event.");
  }

  end(): readonly ChatEvent[] {
    return this.#end("cut");
  }

  #read(chunk: Json, payload: string): readonly ChatEvent[] {
    const events = this.#reader.read(chunk);
    const plain = textOnlyChunkIn(chunk);
    if (plain !== undefined && this.#alike.learn(payload, plain.text)) this.#choice = plain.choice;
    return events;
  }

  #end(how: "marked" | "cut"): readonly ChatEvent[] {
    if (this.isOver) return [];
    const events = this.#reader.end(how);
    this.isOver = true;
    return events;
  }
}
