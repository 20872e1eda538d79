import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { StreamDecoder } from "#core/style.ts";
import { parseExactJson } from "#lib/exact-number.ts";
import type { SseEvent } from "#lib/sse.ts";
import { AnswerReader } from "./answer-reader.ts";

export function openDecoder(): StreamDecoder {
  return new GeminiDecoder();
}

/**
 * A reason to end does not end the stream: more may follow, the vendor's own
 * tools at work for example. Only the end of its bytes does.
 */
class GeminiDecoder implements StreamDecoder {
  readonly #reader = new AnswerReader();
  isOver = false;

  read({ data }: SseEvent): readonly ChatEvent[] {
    const payload = data.trim();
    const chunk = parseExactJson(payload);
    if (chunk !== undefined) return this.#reader.read(chunk);
    // Words beside JSON are a server's chatter; broken JSON is lost content.
    if (!payload.startsWith("{") && !payload.startsWith("[{")) return [];
    throw new GatewayError("upstream_failed", "The upstream sent an invalid event.");
  }

  end(): readonly ChatEvent[] {
    if (this.isOver) return [];
    const events = this.#reader.end();
    this.isOver = true;
    return events;
  }
}
