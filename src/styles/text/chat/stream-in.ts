import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { parseJson } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import { AnswerReader } from "./answer-reader.ts";

/** Ends at the end mark or at the last event; an answer that only breaks off is a failure. */
export async function* decodeStream(events: AsyncIterable<SseEvent>): AsyncGenerator<ChatEvent> {
  const reader = new AnswerReader();
  for await (const { data } of events) {
    const payload = data.trim();
    if (payload === "[DONE]") {
      yield* reader.end("marked");
      return;
    }
    const chunk = parseJson(payload);
    if (chunk !== undefined) yield* reader.read(chunk);
    // Words beside JSON are a server's chatter; broken JSON is lost content.
    else if (payload.startsWith("{")) {
      throw new GatewayError("upstream_failed", "The upstream sent an event that cannot be read.");
    }
  }
  yield* reader.end("cut");
}
