import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { StreamEncoder } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { memberOf } from "#lib/values.ts";
import { encodeError } from "#styles/text/chat/error.ts";
import { buildUsage } from "#styles/text/chat/usage.ts";
import { headOf } from "./head.ts";
import { buildLogprobs } from "./logprobs.ts";
import { COMPLETIONS } from "./request.ts";
import { TextWriter, type Piece } from "./text-writer.ts";

export function openEncoder(request: ChatRequest): StreamEncoder {
  return new CompletionEncoder(request);
}

class CompletionEncoder implements StreamEncoder {
  readonly #request: ChatRequest;
  readonly #writer: TextWriter;
  readonly #wantsUsage: boolean;
  readonly #lengths = new Map<number, number>();
  #head: JsonObject;
  #isFinished = false;

  constructor(request: ChatRequest) {
    const options = request.rawFields?.[COMPLETIONS]?.["stream_options"];
    this.#request = request;
    this.#writer = new TextWriter(request);
    this.#wantsUsage = memberOf(options, "include_usage") === true;
    this.#head = headOf(undefined, request);
  }

  encode(event: ChatEvent): string {
    if (event.type === "start") this.#head = headOf(event, this.#request);
    if (event.type === "finish") this.#isFinished = true;
    if (event.type === "usage") {
      if (!this.#wantsUsage) return "";
      return this.#frame({ choices: [], usage: buildUsage(event.usage) });
    }
    return this.#writer
      .write(event)
      .map((piece) => this.#chunk(piece))
      .join("");
  }

  /** A response without a finish reason is incomplete. */
  end(): string {
    if (this.#isFinished) return formatSse("[DONE]");
    throw new GatewayError("upstream_failed", "The response ended before it was complete.");
  }

  fail(error: GatewayError): string {
    return encodeError(error);
  }

  #chunk({ index, text, logprobs, reason }: Piece): string {
    const offset = this.#lengths.get(index) ?? 0;
    this.#lengths.set(index, offset + text.length);
    const choice = {
      text,
      index,
      logprobs: buildLogprobs(logprobs, offset),
      finish_reason: reason,
    };
    return this.#frame({ choices: [choice], ...(this.#wantsUsage ? { usage: null } : {}) });
  }

  #frame(members: JsonObject): string {
    return formatSse(JSON.stringify({ ...this.#head, ...members }));
  }
}
