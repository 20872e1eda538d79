import type { Json, JsonObject, JsonOutline } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import type { Block, ChatEvent, ChatRequest, FinishReason, Reasoning } from "./chat.ts";
import type { FaultCode, GatewayError, VendorFailure } from "./error.ts";
import type { LossReport } from "./lossy.ts";
import type { ModelTraits } from "./model.ts";
import type { AskedFor } from "./money.ts";
import type { Usage } from "./usage.ts";

/**
 * A wire format of text generation, such as chat completions. The inbound half
 * serves clients, the outbound half calls upstreams, and the tap observes a
 * response that passes through unchanged. Pure.
 */
export interface TextStyle extends InboundStyle, OutboundStyle {
  readonly passthrough: Passthrough;
}

/** The format that clients use. */
export interface InboundStyle {
  readonly id: string;
  /** The keep-alive text for a waiting client; absent if it would break the style's clients. */
  readonly keepAlive?: string;
  /** The request field that holds the conversation. */
  readonly conversationField: string;
  /** Fields that the gateway answers itself, so that upstreams need not support them. */
  readonly keeps?: readonly string[];
  /**
   * The style has no reasoning, so its limit on the output is meant for text. A model that is known
   * to reason is told not to.
   */
  readonly hasReasoning?: false;
  /** Prefix of the tool call ids that the gateway creates: `call_`. */
  readonly callIdPrefix: string;
  /** Prefix of the rate limit headers that the style's clients read, if it has its own. */
  readonly rateHeaderPrefix?: string;
  /**
   * For traces. `part`: a complete response, or one event of a stream. Throws if it reports a
   * failure.
   */
  readEnd?(part: JsonObject): AnswerEnd;
  /** The same for text by choice, if the style has no outbound half that reads responses. */
  readTexts?(part: JsonObject): ReadonlyMap<number, string>;
  readonly inbound: {
    /**
     * Validates the fields that the gateway uses and ignores the rest. Throws
     * `invalid_request`.
     */
    readRequest(body: JsonObject, address: Address): RequestFacts;
    /**
     * Features of the request that may decide the upstream's style. Called only
     * if the model's rules name a feature. Absent if the style has no field for
     * any of them.
     */
    wantsOf?(body: JsonObject): CallWants;
    /** `body` was validated by `readRequest`. */
    parseRequest(body: JsonObject, facts: RequestFacts): ChatRequest;
    /**
     * Paths of the messages that `parseRequest` reads, one per message:
     * `input[3]`. Absent if they are the body's own `messages`.
     */
    placesOf?(body: JsonObject): readonly MessagePlace[];
    buildResponse(events: readonly ChatEvent[], request: ChatRequest): JsonObject;
    openEncoder(request: ChatRequest, facts?: RequestFacts): StreamEncoder;
    buildError(error: GatewayError): JsonObject;
  };
}

/** Id and end of a response. */
export interface AnswerEnd {
  readonly id?: string | undefined;
  /** One for each choice that ended. */
  readonly reasons: readonly FinishReason[];
}

export interface CallWants {
  readonly hasTools: boolean;
  readonly searches: boolean;
  readonly reasoning: Reasoning | undefined;
}

export interface MessagePlace {
  readonly path: string;
  /** Paths of its blocks, if each block has its own path. */
  readonly blocks?: readonly BlockPlace[];
}

export interface BlockPlace {
  readonly type: Block["type"];
  readonly path: string;
}

/** The format that upstreams use. */
export interface OutboundStyle {
  readonly id: string;
  readonly outbound: {
    buildRequest(request: ChatRequest, context: OutboundContext): JsonObject;
    /**
     * Fields of an outgoing body to set, or to remove if `undefined`, so that
     * the model and its vendor accept it. Used for translated and for
     * passed-through bodies. Reports lost fields.
     */
    fitRequest?(body: JsonObject, context: OutboundContext): BodyEdits;
    /**
     * Fields of an outgoing body with a text before its system prompt. Callers do
     * not see it in answers, and their cache marks stay.
     */
    withSystemPrompt(body: JsonObject, text: string): BodyEdits;
    /**
     * How to enforce a response schema, from the declared features of model and
     * vendor: by a request field, by a forced tool call, or by an instruction.
     * Absent: always by a field.
     */
    schemaBy?(
      schema: JsonObject,
      context: Omit<OutboundContext, "report">,
    ): "format" | "tool" | "words";
    /**
     * Whether a tool that the model cannot be made to call can be called by an
     * answer that is held to this schema of its arguments. Absent if no model
     * of the style refuses to be made to call.
     */
    answersForTool?(
      schema: JsonObject,
      request: ChatRequest,
      context: Omit<OutboundContext, "report">,
    ): boolean;
    /** The stop sequences that a body asks for. Absent if the style has none. */
    stopsIn?(body: JsonObject): readonly string[];
    parseResponse(body: JsonObject): readonly ChatEvent[];
    openDecoder(): StreamDecoder;
    /**
     * Fields to set in a follow-up request, for vendors that return one
     * response in several parts; `undefined` if the response is complete.
     * Absent if vendors of the style return every response at once.
     */
    continuation?(end: Extract<ChatEvent, { type: "finish" }>): BodyEdits | undefined;
    /** An error response in any shape that the server may use. */
    parseError(status: number, body: string): UpstreamError;
    /** An error inside a body with a success status. */
    errorIn(body: JsonObject): UpstreamError | undefined;
    readonly essential: EssentialMembers;
  };
}

/**
 * Request fields that must not be dropped because they define the task, by
 * their dotted names. A field inside an essential field is essential too,
 * unless the parent is a container: then only the named fields are.
 */
export interface EssentialMembers {
  readonly members: ReadonlySet<string>;
  readonly containers: ReadonlySet<string>;
}

/** Client and upstream use the same style: request and response bytes pass through. */
export interface Passthrough {
  /**
   * Fields of the client's body to set, or to remove if `undefined`, including
   * the model name. `report`: collects the lost fields.
   */
  amend(
    body: JsonObject,
    facts: RequestFacts,
    upstreamModel: string,
    model?: ModelTraits,
    report?: LossReport,
  ): BodyEdits;
  /**
   * True if a request must be translated although the upstream uses the same
   * style, because its response needs edits. Examples: shortened tool names
   * must be restored, and upstreams do not write compact streams.
   */
  mustTranslate?(
    body: JsonObject,
    model: ModelTraits,
    facts?: RequestFacts,
    dialect?: OutboundContext["dialect"],
  ): boolean;
  /** The requested response schema; absent if every upstream of the style accepts schemas. */
  schemaIn?(body: JsonObject): JsonObject | undefined;
  /** Whether the caller wants a tool to be called. Absent if no model of the style refuses that. */
  forcesTool?(body: JsonObject): boolean;
  readAnswer(body: JsonObject): AnswerFacts;
  /** True if these edits ask for usage in the stream. Absent if usage is always sent. */
  asksForUsage?(edits: BodyEdits): boolean;
  /**
   * Fields to set in a complete response that violates its own style; absent or
   * `undefined` if it needs no repair.
   */
  repairAnswer?(
    body: JsonObject,
    facts: RequestFacts,
    context?: AnswerContext,
  ): JsonObject | undefined;
  /** `dialect`: as in `OutboundContext`. */
  openTap(facts: RequestFacts, dialect?: OutboundContext["dialect"], context?: AnswerContext): Tap;
}

/** Sources for fields that a response omitted. */
export interface AnswerContext {
  /** The client's request body. */
  readonly request: JsonObject;
  /** Unix ms. */
  now(): number;
}

export type BodyEdits = Readonly<Record<string, Json | undefined>>;

/** Request parameters from the path or headers. */
export interface Address {
  readonly model?: string;
  readonly stream?: boolean;
  /** The scenario, in the format's own term. */
  readonly scenario?: string;
  /** As in `RequestFacts`. */
  readonly compactStream?: boolean;
}

/** The upstream that a request is written for. */
export interface OutboundContext {
  readonly report: LossReport;
  readonly model: ModelTraits;
  /** The vendor's deviations from the style; each style defines its own terms. */
  readonly dialect?: Readonly<Record<string, unknown>>;
  /**
   * Drop reasoning that no longer fits the conversation before it instead of
   * refusing it: earlier messages may have changed.
   */
  readonly dropsMisplaced?: boolean;
}

/** Reads a stream event by event. The bytes may be split at any position. */
export interface StreamDecoder {
  /** Converts one wire event to chat events. Throws if the event reports a failure. */
  read(event: SseEvent): readonly ChatEvent[];
  /**
   * Called at the end of the upstream's bytes; returns pending events. Throws
   * if the response is incomplete.
   */
  end(): readonly ChatEvent[];
  /** The response reached this style's end marker, and all its events were returned. */
  readonly isOver: boolean;
}

/** Writes a stream event by event, in the exact order that the style's clients expect. */
export interface StreamEncoder {
  encode(event: ChatEvent): string;
  /** The end of the stream, after the last event. Throws if the response has no end. */
  end(): string;
  /** Writes a failure after the first byte as the style's error event; never as a normal end. */
  fail(error: GatewayError): string;
}

/** The request properties that the relay needs without translation. */
export interface RequestFacts {
  readonly model: string;
  readonly stream: boolean;
  readonly maxOutputTokens: number | undefined;
  readonly choices: number;
  /** Number of conversation turns, which the operator may limit. */
  readonly messages: number;
  /**
   * The client asked for usage in the stream. Otherwise the gateway removes the
   * usage that it asked for itself.
   */
  readonly wantsUsage: boolean;
  /** Request options that the price may depend on. */
  readonly asked?: AskedFor;
  /** The client forces a specific tool call. */
  readonly forcesTool?: true;
  /**
   * The client expects streams with one chunk per tool call, usage next to the
   * finish reason, and no null fields.
   */
  readonly compactStream?: true;
  /**
   * The reason why the request cannot be translated: it has a value of its
   * style that the gateway does not know. Vendors of the same style get it
   * unchanged.
   */
  readonly unknownValue?: GatewayError;
  /** The response must be rearranged for this client, so it cannot pass through. */
  readonly mustTranslate?: true;
}

/**
 * A client's body, parsed once: the original text, the positions of its fields
 * and their values. Text and outline are released once an upstream answers,
 * because thousands of long streams would otherwise keep their requests in
 * memory.
 */
export interface RequestBody {
  text: string;
  outline: JsonOutline;
  readonly json: JsonObject;
}

export interface UpstreamError {
  readonly code: FaultCode;
  /** Safe to show to clients: the vendor's message, scrubbed. */
  readonly message: string;
  readonly param?: string;
  /** The wait that the vendor asks for in its body. */
  readonly retryAfterMs?: number;
  /** Structured details of the vendor's error that the style's clients act on. */
  readonly details?: JsonObject;
  readonly vendor?: VendorFailure;
}

/** Facts from a complete response. */
export interface AnswerFacts {
  readonly usage: Usage | undefined;
  /** The generated text, to count tokens if the upstream reported no usage. */
  outputText(): string;
  /** An error inside a response with a success status. */
  readonly error: UpstreamError | undefined;
}

/**
 * Observes a stream that passes through. It gets whole events as bytes and
 * returns the bytes to forward. It parses only the events that it needs.
 */
export interface Tap {
  /**
   * Takes the bytes of one or more whole events and returns the bytes to
   * forward, in order. After an upstream error it forwards nothing: the gateway
   * reports the error itself.
   */
  push(events: Uint8Array): Uint8Array | undefined;
  /**
   * True if all of these events equal an earlier, valid one except for their text: they are noted,
   * and are forwarded as they are, without a check and without `push`.
   */
  passRepeated?(events: Uint8Array): boolean;
  /** Called at the upstream's end; returns the bytes that a complete response still lacks. */
  end(): Uint8Array | undefined;
  /** Writes a failure after the first byte as the style's error event. */
  fail(error: GatewayError): string;
  /** The upstream reported a failure inside the stream. */
  readonly error: UpstreamError | undefined;
  /** True if the response reached this style's end marker. */
  isComplete(): boolean;
  /** The last result of `push` contains the end of the response. */
  readonly isEnding: boolean;
  /**
   * Content was forwarded, not only comments and the response head. Until then
   * the relay may fail over to another upstream.
   */
  readonly hasContent: boolean;
  /** Usage of all forwarded events. */
  readonly usage: Usage | undefined;
  /** Input usage, if it is reported before the response is complete. */
  readonly inputUsage?: Usage | undefined;
  /**
   * Output text since the last call, to count tokens; clears it. At most one
   * megabyte is kept, so the caller must call this regularly.
   */
  takeOutputText(): string;
}
