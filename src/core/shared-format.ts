import type { Form } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import type { GatewayError } from "./error.ts";
import type { OperationRequest } from "./operation.ts";
import type { RequestBody, Tap, UpstreamError } from "./style.ts";
import type { Units, Usage } from "./usage.ts";

/**
 * What is asked in a format that callers and upstreams share: it goes on as it
 * was said, with whatever nobody here knows, and another name for the model.
 */
export interface SharedRequest extends OperationRequest {
  /** The answer comes piece by piece. */
  readonly stream: boolean;
  /** Let go of once an upstream answers piece by piece: a recording is large, and its transcript may take long. */
  body: RequestBody | Form;
  /** What is set on the way, or left out where undefined, beside the model's name. */
  readonly edits: Readonly<Record<string, string | undefined>>;
  /** How the answer is to be written, where the format leaves a choice. */
  readonly shape?: string;
  /** Rough, for reserving. */
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  readonly units: Units;
}

/** A wire format that goes from callers to upstreams and back as it is. Pure. */
export interface SharedFormat {
  readonly id: string;
  readonly inbound: {
    /** Checks what is acted on. Throws `invalid_request`. Absent where a form is wanted. */
    read?(body: RequestBody): SharedRequest;
    readForm?(form: Form): SharedRequest;
    buildError(error: GatewayError): JsonObject;
  };
  readonly outbound: {
    parseError(status: number, body: string): UpstreamError;
    /** A failure inside a body whose status says success. */
    errorIn(body: JsonObject): UpstreamError | undefined;
  };
  /** What the answer is, unless the upstream streams events. */
  answersIn(question: SharedRequest): "json" | "text" | "audio";
  /** Throws `upstream_failed` for what is no answer to the question. */
  readAnswer(answer: JsonObject | string, question: SharedRequest): SharedAnswer;
  /** Watches an answer of events. */
  openTap(question: SharedRequest): Tap;
  /** What was used, as far as it can be told from the question and the text of the answer. */
  guess(question: SharedRequest, outputText: string, countedTokens: number): Usage;
}

export interface SharedAnswer {
  /** As the upstream reported it. */
  readonly usage?: Usage;
  readonly outputText?: string;
  /** Text to hand over in place of the upstream's answer. */
  readonly rewritten?: string;
}
