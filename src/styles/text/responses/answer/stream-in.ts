import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { StreamDecoder } from "#core/style.ts";
import { isObject, parseJson } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import { textOf } from "#lib/values.ts";
import { ResponseReader } from "./response-reader.ts";

export function openDecoder(): StreamDecoder {
  return new ResponsesDecoder();
}

/** Ends with the response that is complete; an end mark alone ends nothing. */
class ResponsesDecoder implements StreamDecoder {
  readonly #reader = new ResponseReader();

  get isOver(): boolean {
    return this.#reader.isOver;
  }

  read({ event, data }: SseEvent): readonly ChatEvent[] {
    const payload = data.trim();
    const json = parseJson(payload);
    if (isObject(json)) return this.#reader.read(json, textOf(json["type"]) ?? event ?? "");
    // Words beside JSON are a server's chatter; broken JSON is lost content.
    if (json !== undefined || !payload.startsWith("{")) return [];
    throw new GatewayError("upstream_failed", "The upstream sent an invalid event.");
  }

  end(): readonly ChatEvent[] {
    if (this.isOver) return [];
    throw new GatewayError(
      "upstream_failed",
      "The upstream's response ended before it was complete.",
    );
  }
}
