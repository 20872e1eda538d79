import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { StreamDecoder } from "#core/style.ts";
import { parseJson } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import { AnswerReader } from "./answer-reader.ts";

export function openDecoder(): StreamDecoder {
  return new ChatDecoder();
}

/** Ends at the end mark or at the last event; an answer that only breaks off is a failure. */
class ChatDecoder implements StreamDecoder {
  readonly #reader = new AnswerReader();
  isOver = false;

  read({ data }: SseEvent): readonly ChatEvent[] {
    const payload = data.trim();
    if (payload === "[DONE]") return this.#end("marked");
    const chunk = parseJson(payload);
    if (chunk !== undefined) return this.#reader.read(chunk);
    // Words beside JSON are a server's chatter; broken JSON is lost content.
    if (!payload.startsWith("{")) return [];
    throw new GatewayError("upstream_failed", "The upstream sent an event that cannot be read.");
  }

  end(): readonly ChatEvent[] {
    return this.#end("cut");
  }

  #end(how: "marked" | "cut"): readonly ChatEvent[] {
    if (this.isOver) return [];
    const events = this.#reader.end(how);
    this.isOver = true;
    return events;
  }
}
