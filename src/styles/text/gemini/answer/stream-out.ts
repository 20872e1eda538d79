import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { StreamEncoder } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { CandidateWriter, type ChoiceEvent } from "./candidate-writer.ts";
import { encodeError } from "../error.ts";
import { headOfAnswer } from "./head.ts";
import { candidateOf, showsThoughts } from "./response-out.ts";
import { usageMetadataOf } from "../usage.ts";

/** Chunks that are answers themselves, each with a part more; the last says why it ends and what was used. */
export function openEncoder(request: ChatRequest): StreamEncoder {
  return new GeminiEncoder(request);
}

class GeminiEncoder implements StreamEncoder {
  readonly #request: ChatRequest;
  readonly #choices = new Map<number, CandidateWriter>();
  #head: JsonObject;
  #usage: JsonObject = {};
  #isEnded = false;

  constructor(request: ChatRequest) {
    this.#request = request;
    this.#head = headOfAnswer(undefined, request);
  }

  encode(event: ChatEvent): string {
    switch (event.type) {
      case "start":
        this.#head = headOfAnswer(event, this.#request);
        return "";
      case "usage":
        this.#usage = { usageMetadata: usageMetadataOf(event) };
        return this.#hasEnding() ? this.#end() : "";
      default:
        return this.#write(event);
    }
  }

  /** Without a reason for its end an answer has not ended, whatever its source believes. */
  end(): string {
    if (!this.#hasEnding()) {
      throw new GatewayError("upstream_failed", "The response ended before it was complete.");
    }
    return this.#isEnded ? "" : this.#end();
  }

  fail(error: GatewayError): string {
    return encodeError(error);
  }

  #write(event: ChoiceEvent): string {
    const known = this.#choices.get(event.choice);
    const writer = known ?? new CandidateWriter(showsThoughts(this.#request));
    if (known === undefined) this.#choices.set(event.choice, writer);
    const { parts, ...more } = writer.write(event);
    if (parts.length === 0 && more.logprobsResult === undefined) return "";
    return this.#chunk([{ ...candidateOf(event.choice, parts), ...more }]);
  }

  #hasEnding(): boolean {
    const writers = [...this.#choices.values()];
    return writers.length > 0 && writers.every((writer) => writer.ending !== undefined);
  }

  /** All choices end in one chunk: the reason and the usage belong together. */
  #end(): string {
    this.#isEnded = true;
    const ends = [...this.#choices]
      .sort(([a], [b]) => a - b)
      .map(([index, writer]) => ({ ...candidateOf(index, []), ...writer.ending }));
    return this.#chunk(ends);
  }

  #chunk(candidates: readonly JsonObject[]): string {
    const usage = this.#isEnded ? this.#usage : {};
    return formatSse(JSON.stringify({ candidates, ...usage, ...this.#head }));
  }
}
