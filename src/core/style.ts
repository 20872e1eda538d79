import type { JsonObject, JsonOutline } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import type { ChatEvent, ChatRequest } from "./chat.ts";
import type { FaultCode, GatewayError } from "./error.ts";
import type { LossReport } from "./lossy.ts";
import type { Usage } from "./usage.ts";

/**
 * A wire format of text generation, such as chat completions. The inbound
 * half talks to our callers, the outbound half to upstreams, and the tap
 * watches an answer that passes through untouched. All of it is pure.
 */
export interface TextStyle {
  readonly id: string;
  readonly inbound: {
    /** Checks what we act on and leaves the rest alone. Throws `invalid_request`. */
    readRequest(body: JsonObject): RequestFacts;
    parseRequest(body: JsonObject): ChatRequest;
    buildResponse(events: readonly ChatEvent[], request: ChatRequest): JsonObject;
    encodeStream(events: AsyncIterable<ChatEvent>, request: ChatRequest): AsyncGenerator<string>;
    buildError(error: GatewayError): JsonObject;
    /** A failure after the first byte, as the style's own stream event. */
    encodeError(error: GatewayError): string;
  };
  readonly outbound: {
    buildRequest(request: ChatRequest, report: LossReport): JsonObject;
    parseResponse(body: JsonObject): readonly ChatEvent[];
    decodeStream(events: AsyncIterable<SseEvent>): AsyncGenerator<ChatEvent>;
    parseError(status: number, body: string): UpstreamError;
  };
  readonly passthrough: {
    /** Members of the caller's body to set on the way out, beside the model's name. */
    amend(body: JsonObject, facts: RequestFacts): Readonly<Record<string, JsonObject | undefined>>;
    readAnswer(body: JsonObject): AnswerFacts;
    openTap(facts: RequestFacts): Tap;
  };
}

/** What the relay needs to know of a request whose words it does not translate. */
export interface RequestFacts {
  readonly model: string;
  readonly stream: boolean;
  readonly maxOutputTokens: number | undefined;
  readonly choices: number;
  /** Turns of the conversation, which the owner may bound. */
  readonly messages: number;
  /** The caller asked for usage in the stream; otherwise it is taken out again. */
  readonly wantsUsage: boolean;
  /** The answer is to be rearranged for this caller, so it cannot pass through untouched. */
  readonly mustTranslate?: true;
}

/**
 * A caller's body, read once: the text as it came, where its members stand,
 * and what it says. Text and outline are let go of once an upstream answers,
 * since thousands of long answers would otherwise hold on to their questions.
 */
export interface RequestBody {
  text: string;
  outline: JsonOutline;
  readonly json: JsonObject;
}

export interface UpstreamError {
  readonly code: FaultCode;
  /** Safe to show: the vendor's own words, scrubbed. */
  readonly message: string;
  readonly param?: string;
}

/** What a whole answer says about itself. */
export interface AnswerFacts {
  readonly usage: Usage | undefined;
  /** The text that was produced, for a local count when usage is missing. */
  outputText(): string;
  /** A success status that carries a failure. */
  readonly error: UpstreamError | undefined;
}

/**
 * Watches a stream that passes through. It is given whole events as bytes and
 * says which bytes go on to the caller; what it did not need to parse, it did
 * not parse.
 */
export interface Tap {
  /**
   * Bytes of one or more whole events; returns those to send, in order. From
   * an upstream's failure on nothing is let through: the caller is told in the
   * gateway's own words.
   */
  push(events: Uint8Array): Uint8Array | undefined;
  /** At the upstream's end: what a complete answer still lacks. */
  end(): Uint8Array | undefined;
  /** The upstream reported a failure inside the stream. */
  readonly error: UpstreamError | undefined;
  /** Whether the answer reached its end, as this style marks it. */
  isComplete(): boolean;
  /** What `push` returned last holds the end of the answer. */
  readonly isEnding: boolean;
  readonly usage: Usage | undefined;
  /**
   * Output text seen since the last call, for a local count; forgets it. A
   * megabyte is kept at most, so whoever counts asks now and then.
   */
  takeOutputText(): string;
}
