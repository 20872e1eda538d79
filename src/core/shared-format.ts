import type { Form } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import type { GatewayError } from "./error.ts";
import type { OperationRequest } from "./operation.ts";
import type { RequestBody, Tap, UpstreamError } from "./style.ts";
import type { Units, Usage } from "./usage.ts";

/**
 * A request in a format that clients and upstreams share. It is forwarded
 * unchanged, including unknown fields; only the model name is replaced.
 */
export interface SharedRequest extends OperationRequest {
  /** The response is streamed. */
  readonly stream: boolean;
  /**
   * Released once an upstream starts to stream: a recording is large, and its
   * transcript may take long.
   */
  body: RequestBody | Form;
  /** Fields to set, or to remove if undefined, in addition to the model name. */
  readonly edits: Readonly<Record<string, string | undefined>>;
  /** Response format, if the wire format supports several. */
  readonly shape?: string;
  /** Estimates for the reservation. */
  readonly inputTokens: number;
  /** The texts among `inputTokens`. */
  readonly words: readonly string[];
  readonly maxOutputTokens: number;
  readonly units: Units;
}

/** A wire format that is forwarded unchanged in both directions. Pure. */
export interface SharedFormat {
  readonly id: string;
  readonly inbound: {
    /**
     * Validates the fields that the gateway uses. Throws `invalid_request`.
     * Absent if the format requires a form.
     */
    read?(body: RequestBody): SharedRequest;
    readForm?(form: Form): SharedRequest;
    buildError(error: GatewayError): JsonObject;
  };
  readonly outbound: {
    parseError(status: number, body: string): UpstreamError;
    /** An error inside a body with a success status. */
    errorIn(body: JsonObject): UpstreamError | undefined;
  };
  /** The content type of the response, unless the upstream streams events. */
  answersIn(question: SharedRequest): "json" | "text" | "audio";
  /** Throws `upstream_failed` if the body is not a response to this request. */
  readAnswer(answer: JsonObject | string, question: SharedRequest): SharedAnswer;
  /** Observes a response of events. */
  openTap(question: SharedRequest): Tap;
  /** The usage as far as the request, and tokens that were counted, show it. */
  guess(question: SharedRequest, counted: CountedTokens): Usage;
}

interface CountedTokens {
  readonly inputTokens: number;
  /** Of the text of the answer. */
  readonly outputTokens: number;
}

export interface SharedAnswer {
  /** As the upstream reported it. */
  readonly usage?: Usage;
  /** Of the input alone, if the answer shows more of it than the request did. */
  readonly inputUsage?: Usage;
  readonly outputText?: string;
  /** Text that replaces the upstream's response. */
  readonly rewritten?: string;
}
