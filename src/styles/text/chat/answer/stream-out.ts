import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { RequestFacts, StreamEncoder } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { ChoiceWriter, type Manner, type Piece } from "./choice-writer.ts";
import { encodeError } from "../error.ts";
import { inlinesReasoning, wantsUsage } from "../request/facts.ts";
import { headOfAnswer } from "./head.ts";
import { rawFieldsOf } from "../raw-fields.ts";
import { isLegacy } from "../conversation/tool-in.ts";
import { buildUsage } from "../usage.ts";

/** Chunks in the exact order that clients of this style put them together by. */
export function openEncoder(request: ChatRequest, facts?: RequestFacts): StreamEncoder {
  return new ChatEncoder(request, facts?.compactStream === true);
}

class ChatEncoder implements StreamEncoder {
  readonly #request: ChatRequest;
  readonly #wantsUsage: boolean;
  readonly #isCompact: boolean;
  readonly #manner: Manner;
  readonly #choices = new Map<number, ChoiceWriter>();
  #head: JsonObject;
  #isFinished = false;
  /** Of a compact stream: the last piece of each choice, which waits for the usage. */
  readonly #lastPieces: [number, Piece][] = [];
  #usage: JsonObject | undefined;

  constructor(request: ChatRequest, isCompact: boolean) {
    const rawFields = rawFieldsOf(request) ?? {};
    this.#request = request;
    this.#isCompact = isCompact;
    this.#wantsUsage = !isCompact && wantsUsage(rawFields);
    this.#manner = {
      wholeCalls: isCompact,
      inlinesReasoning: inlinesReasoning(rawFields),
      wantsFunctionCall: isLegacy(rawFields),
    };
    this.#head = headOfAnswer(undefined, request, "chat.completion.chunk");
  }

  encode(event: ChatEvent): string {
    if (event.type === "start") {
      this.#head = headOfAnswer(event, this.#request, "chat.completion.chunk");
      return "";
    }
    if (event.type === "usage") {
      if (this.#isCompact) this.#usage = buildUsage(event.usage);
      return this.#wantsUsage ? this.#writeUsage(event) : "";
    }
    if (event.type === "finish") this.#isFinished = true;
    let out = "";
    for (const piece of this.#writer(event.choice).write(event)) {
      const waits = this.#isCompact && event.type === "finish" && typeof piece.reason === "string";
      if (waits) this.#lastPieces.push([event.choice, piece]);
      else out += this.#chunk(event.choice, piece);
    }
    return out;
  }

  /** Without a reason for its end an answer has not ended, whatever its source believes. */
  end(): string {
    if (this.#isFinished) return this.#endOfCompact() + formatSse("[DONE]");
    throw new GatewayError("upstream_failed", "The response ended before it was complete.");
  }

  fail(error: GatewayError): string {
    return encodeError(error);
  }

  #endOfCompact(): string {
    const last = this.#lastPieces.length - 1;
    const usage = this.#usage === undefined ? {} : { usage: this.#usage };
    return this.#lastPieces
      .map(([index, piece], at) => this.#chunk(index, piece, at === last ? usage : {}))
      .join("");
  }

  #writer(index: number): ChoiceWriter {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const writer = new ChoiceWriter(this.#manner);
    this.#choices.set(index, writer);
    return writer;
  }

  #writeUsage(event: Extract<ChatEvent, { type: "usage" }>): string {
    return formatSse(
      JSON.stringify({ ...this.#head, choices: [], usage: buildUsage(event.usage) }),
    );
  }

  #chunk(
    index: number,
    { delta, logprobs = null, reason = null }: Piece,
    rest: JsonObject = this.#wantsUsage ? { usage: null } : {},
  ): string {
    const choices = [{ index, delta, logprobs, finish_reason: reason }];
    return formatSse(JSON.stringify({ ...this.#head, choices, ...rest }));
  }
}
