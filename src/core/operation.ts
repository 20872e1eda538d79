import type { Form, SentForm } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import type { GatewayError } from "./error.ts";
import type { Address, OutboundContext, UpstreamError } from "./style.ts";
import { addUsage, type Units, type Usage } from "./usage.ts";

/** A request with a single response, usually not streamed; not a conversation. */
export interface OperationRequest {
  /** The model name that the client used; in outgoing requests the upstream's name. */
  readonly model: string;
  /** The client asks for a stream; only some kinds support it. */
  readonly stream?: boolean;
}

export interface OperationResult {
  /** As the upstream reported it. */
  readonly usage?: Usage;
}

/** The wire format of an operation for clients. Pure. */
export interface InboundFormat<Q extends OperationRequest, A extends OperationResult> {
  readonly id: string;
  readonly inbound: {
    /**
     * The format recognises long base64 in a body and refers to it in place
     * instead of copying it.
     */
    readonly knowsLong?: true;
    /** Throws `invalid_request`. */
    read(body: JsonObject, address: Address): Q;
    /** The same for a form; absent if the format has no forms. */
    readForm?(form: Form, address: Address): Q;
    /** The response always reports usage, even if the upstream did not. `id`: the request id. */
    write(answer: A & Required<OperationResult>, question: Q, id?: string): JsonObject;
    buildError(error: GatewayError): JsonObject;
  };
}

/** The wire format of an operation for upstreams. Pure. */
export interface OutboundFormat<
  Q extends OperationRequest,
  A extends OperationResult,
  B extends JsonObject | SentForm = JsonObject,
> {
  readonly id: string;
  readonly outbound: {
    /** The same for a response. */
    readonly knowsLong?: true;
    /**
     * Reports fields that the format cannot carry. Throws `invalid_request` if
     * the model would refuse the request or misinterpret it.
     */
    build(question: Q, context: OutboundContext): B;
    /** The id to poll for the result, if this body does not contain the result yet. */
    pendingIn?(body: JsonObject): string | undefined;
    /** Throws `upstream_failed` if the body is not a result of this request. */
    parse(body: JsonObject, question: Q): A;
    /** Its responses are arrays; they are read as a field of this name. */
    readonly listAs?: string;
    parseError(status: number, body: string): UpstreamError;
  };
}

/** The rules of one kind of operation in every format. */
export interface OperationKind<Q extends OperationRequest, A extends OperationResult> {
  /** Approximate input tokens, for reservations. */
  sizeOf(question: Q): number;
  /** The texts in it, which are counted if the upstream reports no usage. */
  wordsOf(question: Q): readonly CountedWords[];
  /** Other units that are charged, for the same purposes; none if absent. */
  unitsOf?(question: Q): Units;
  /** Splits a request into parts of at most `maxInputs` inputs, in order. */
  split(question: Q, maxInputs: number): readonly Q[];
  /** Joins the results of the parts. */
  join(parts: readonly Part<Q, A>[], question: Q): A;
  /**
   * Request fields that a result fulfils only in part, under the client's
   * names; none if absent.
   */
  shortOf?(answer: A, question: Q): readonly string[];
  /** The maximum expected result, for reservations; none if absent. */
  expect?(question: Q): Expected;
  /** Number of parts that run concurrently; sequential if absent. */
  readonly partsAtOnce?: number;
  /** The result of a failed part, if the results of the other parts are useful without it. */
  failed?(error: GatewayError): A;
}

/** Texts that a vendor reads once or several times. */
export interface CountedWords {
  readonly words: readonly string[];
  readonly times: number;
}

interface Expected {
  /** Tokens of each of `choices` results. */
  readonly maxOutputTokens: number;
  readonly choices: number;
}

export interface Part<Q, A> {
  readonly question: Q;
  readonly answer: A;
}

/** The total usage of several results; undefined if one of them reports none. */
export function usageOfAll(readings: readonly OperationResult[]): Usage | undefined {
  let sum: Usage | undefined;
  for (const { usage } of readings) {
    if (usage === undefined) return undefined;
    sum = sum === undefined ? usage : addUsage(sum, usage);
  }
  return sum;
}
