import type { Json, JsonObject, JsonOutline } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import type { Block, ChatEvent, ChatRequest, Reasoning } from "./chat.ts";
import type { FaultCode, GatewayError, VendorFailure } from "./error.ts";
import type { LossReport } from "./lossy.ts";
import type { ModelTraits } from "./model.ts";
import type { AskedFor } from "./money.ts";
import type { Usage } from "./usage.ts";

/**
 * A wire format of text generation, such as chat completions. The inbound
 * half talks to our callers, the outbound half to upstreams, and the tap
 * watches an answer that passes through untouched. All of it is pure.
 */
export interface TextStyle extends InboundStyle, OutboundStyle {
  readonly passthrough: Passthrough;
}

/** What callers speak. */
export interface InboundStyle {
  readonly id: string;
  /** What tells a waiting caller that we live; absent where it would break the style's clients. */
  readonly keepAlive?: string;
  /** The member of its requests that holds the conversation. */
  readonly conversationField: string;
  /** Fields that the gateway gives back by itself, so that no upstream has to carry them. */
  readonly keeps?: readonly string[];
  /** How ids begin that the gateway gives to the tool calls of an answer: `call_`. */
  readonly callIdPrefix: string;
  /** How the headers begin by which its clients learn what is left of their limits, where it has its own. */
  readonly rateHeaderPrefix?: string;
  readonly inbound: {
    /** Checks what we act on and leaves the rest alone. Throws `invalid_request`. */
    readRequest(body: JsonObject, address: Address): RequestFacts;
    /**
     * What may decide the upstream's style. Asked only if the model's rules name
     * some of it; absent if callers of the style have no words for any of it.
     */
    wantsOf?(body: JsonObject): CallWants;
    /** Of a body that `readRequest` has let through. */
    parseRequest(body: JsonObject, facts: RequestFacts): ChatRequest;
    /**
     * Where the messages that `parseRequest` reads stand in the body, one by
     * one: `input[3]`. Absent if they are the body's own `messages`.
     */
    placesOf?(body: JsonObject): readonly MessagePlace[];
    buildResponse(events: readonly ChatEvent[], request: ChatRequest): JsonObject;
    openEncoder(request: ChatRequest, facts?: RequestFacts): StreamEncoder;
    buildError(error: GatewayError): JsonObject;
  };
}

export interface CallWants {
  readonly hasTools: boolean;
  readonly searches: boolean;
  readonly reasoning: Reasoning | undefined;
}

export interface MessagePlace {
  readonly path: string;
  /** Where its blocks stand, if each has a path of its own. */
  readonly blocks?: readonly BlockPlace[];
}

export interface BlockPlace {
  readonly type: Block["type"];
  readonly path: string;
}

/** What upstreams speak. */
export interface OutboundStyle {
  readonly id: string;
  readonly outbound: {
    buildRequest(request: ChatRequest, context: OutboundContext): JsonObject;
    /**
     * Members of an outgoing body to set, or to leave out if `undefined`, so that
     * the model and its vendor accept it. Runs on bodies that were translated and
     * on those that pass through. Reports what is lost by it.
     */
    fitRequest?(body: JsonObject, context: OutboundContext): BodyEdits;
    /**
     * How an answer is held to a schema, by what the model and its vendor are
     * declared to take: by a member of the request, by a tool that the model is
     * made to call, or in words. Absent: always by a member.
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
     * What to set in a request so that its vendor goes on with an answer that
     * it gives in several requests; `undefined` if the answer is at its end.
     * Absent if vendors of the style give every answer at once.
     */
    continuation?(end: Extract<ChatEvent, { type: "finish" }>): BodyEdits | undefined;
    /** A failed answer, in whatever shape its server has for failures. */
    parseError(status: number, body: string): UpstreamError;
    /** A failure inside a body whose status says success. */
    errorIn(body: JsonObject): UpstreamError | undefined;
    readonly essential: EssentialMembers;
  };
}

/**
 * Members of a request without which it asks something else, by their dotted
 * names. What stands in one of them is essential as well, unless it is a
 * container, of whose members those are that are named.
 */
export interface EssentialMembers {
  readonly members: ReadonlySet<string>;
  readonly containers: ReadonlySet<string>;
}

/** The same style on both sides: the caller's bytes go out, the upstream's come back. */
export interface Passthrough {
  /**
   * Members of the caller's body to set, or to leave out where `undefined`;
   * the model's name among them. `report`: what is lost by it.
   */
  amend(
    body: JsonObject,
    facts: RequestFacts,
    upstreamModel: string,
    model?: ModelTraits,
    report?: LossReport,
  ): BodyEdits;
  /**
   * Whether a request has to be translated although its upstream speaks the
   * same style, because its answer would have to be edited: names of tools that
   * are too long for the upstream come back as they were, and a compact stream
   * is not what the upstream writes.
   */
  mustTranslate?(
    body: JsonObject,
    model: ModelTraits,
    facts?: RequestFacts,
    dialect?: OutboundContext["dialect"],
  ): boolean;
  /** The schema that the answer is to be held to; absent if every upstream of the style takes one. */
  schemaIn?(body: JsonObject): JsonObject | undefined;
  /** Whether the caller wants a tool to be called. Absent if no model of the style refuses that. */
  forcesTool?(body: JsonObject): boolean;
  readAnswer(body: JsonObject): AnswerFacts;
  /** Whether these edits ask for usage in the stream. Absent if usage comes unasked. */
  asksForUsage?(edits: BodyEdits): boolean;
  /** Members to set in a whole answer that breaks the grammar of its own style; absent or `undefined` if there is nothing to repair. */
  repairAnswer?(
    body: JsonObject,
    facts: RequestFacts,
    context?: AnswerContext,
  ): JsonObject | undefined;
  /** `dialect`: as in `OutboundContext`. */
  openTap(facts: RequestFacts, dialect?: OutboundContext["dialect"], context?: AnswerContext): Tap;
}

/** What members that an answer left out are filled from. */
export interface AnswerContext {
  /** The caller's own body. */
  readonly request: JsonObject;
  /** Unix ms. */
  now(): number;
}

export type BodyEdits = Readonly<Record<string, Json | undefined>>;

/** What a request says in its path or headers rather than in its body. */
export interface Address {
  readonly model?: string;
  readonly stream?: boolean;
  /** What is wanted, in the format's own word for it. */
  readonly scenario?: string;
  /** As in `RequestFacts`. */
  readonly compactStream?: boolean;
}

/** What to know of the upstream that a request is written for. */
export interface OutboundContext {
  readonly report: LossReport;
  readonly model: ModelTraits;
  /** In which ways the vendor's reading of the style is its own; each style has its own such terms. */
  readonly dialect?: Readonly<Record<string, unknown>>;
  /**
   * What stands before reasoning in the conversation may not be what it was
   * made behind: reasoning that no longer fits is to be dropped, not refused.
   */
  readonly dropsMisplaced?: boolean;
}

/** Reads a stream event by event; nothing is required of how its bytes were cut. */
export interface StreamDecoder {
  /** What one event of the wire adds to the answer. Throws the failure that it tells of. */
  read(event: SseEvent): readonly ChatEvent[];
  /** The upstream's bytes are at their end: what was still waiting. Throws where an answer broke off. */
  end(): readonly ChatEvent[];
  /** The answer reached its end as this style marks it, and all of it was handed over. */
  readonly isOver: boolean;
}

/** Writes a stream event by event, in the exact order that clients of the style rely on. */
export interface StreamEncoder {
  encode(event: ChatEvent): string;
  /** After the last event: what ends a stream. Throws where the answer has no end. */
  end(): string;
  /** A failure after the first byte, as the style's own last event; never a false end. */
  fail(error: GatewayError): string;
}

/** What the relay needs to know of a request whose words it does not translate. */
export interface RequestFacts {
  readonly model: string;
  readonly stream: boolean;
  readonly maxOutputTokens: number | undefined;
  readonly choices: number;
  /** Turns of the conversation, which the owner may bound. */
  readonly messages: number;
  /** The caller asked for usage in the stream. Otherwise it is taken out again if the gateway asked for it. */
  readonly wantsUsage: boolean;
  /** What its price may depend on. */
  readonly asked?: AskedFor;
  /** The caller chose the tool that is called. */
  readonly forcesTool?: true;
  /**
   * The client reads streams in which a tool call is one chunk, usage stands
   * beside the reason to end, and no member is null for want of a value.
   */
  readonly compactStream?: true;
  /**
   * Why the request cannot be translated: it says something of its style that
   * we do not know. Vendors of the style may know it, and get it as it is.
   */
  readonly unknownValue?: GatewayError;
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
  /** How long the vendor asks us to wait, where its body says so. */
  readonly retryAfterMs?: number;
  /** Structured details of the vendor's error that clients of its style act on. */
  readonly details?: JsonObject;
  readonly vendor?: VendorFailure;
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
  /** A failure after the first byte, as the style's own last event. */
  fail(error: GatewayError): string;
  /** The upstream reported a failure inside the stream. */
  readonly error: UpstreamError | undefined;
  /** Whether the answer reached its end, as this style marks it. */
  isComplete(): boolean;
  /** What `push` returned last holds the end of the answer. */
  readonly isEnding: boolean;
  /**
   * Something of the answer has passed: more than comments, and more than the
   * head that any answer begins with. Until then another upstream may answer.
   */
  readonly hasContent: boolean;
  /** Of all that has passed. */
  readonly usage: Usage | undefined;
  /** Of the question, where it is told before the answer can be. */
  readonly inputUsage?: Usage | undefined;
  /**
   * Output text seen since the last call, for a local count; forgets it. A
   * megabyte is kept at most, so whoever counts asks now and then.
   */
  takeOutputText(): string;
}
