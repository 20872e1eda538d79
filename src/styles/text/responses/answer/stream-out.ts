import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { StreamEncoder } from "#core/style.ts";
import { formatSse } from "#lib/sse.ts";
import { isOfFirst } from "./response-out.ts";
import { ResponseWriter } from "./response-writer.ts";

/** Events in the exact order that clients of this style put them together by. */
export function openEncoder(request: ChatRequest): StreamEncoder {
  return new ResponsesEncoder(request);
}

/** Open Responses wants it. The style's first vendor does not send it, and its clients ignore it. */
const END_MARK = formatSse("[DONE]");

class ResponsesEncoder implements StreamEncoder {
  readonly #writer: ResponseWriter;
  #sequenceNumber = 0;
  #out = "";

  constructor(request: ChatRequest) {
    this.#writer = new ResponseWriter(request, (type, members) => {
      const event = { type, sequence_number: this.#sequenceNumber, ...members };
      this.#sequenceNumber++;
      this.#out += formatSse(JSON.stringify(event), type);
    });
  }

  encode(event: ChatEvent): string {
    if (isOfFirst(event)) this.#writer.write(event);
    return this.#take();
  }

  /** Without a reason for its end an answer has not ended, whatever its source believes. */
  end(): string {
    if (!this.#writer.hasEnded) {
      throw new GatewayError("upstream_failed", "The response ended before it was complete.");
    }
    this.#writer.end();
    return this.#take() + END_MARK;
  }

  fail(error: GatewayError): string {
    this.#writer.fail(error);
    return this.#take();
  }

  #take(): string {
    const out = this.#out;
    this.#out = "";
    return out;
  }
}
