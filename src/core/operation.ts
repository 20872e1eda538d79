import type { Form, SentForm } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import type { GatewayError } from "./error.ts";
import type { Address, OutboundContext, UpstreamError } from "./style.ts";
import { addUsage, type Units, type Usage } from "./usage.ts";

/** What is asked in one piece, and answered in one piece as a rule: no conversation. */
export interface OperationRequest {
  /** The name that the caller used; the upstream's own on the way out. */
  readonly model: string;
  /** The answer is wanted piece by piece; only some kinds can be. */
  readonly stream?: boolean;
}

export interface OperationResult {
  /** As the upstream reported it. */
  readonly usage?: Usage;
}

/** The wire format of a question that callers speak. Pure. */
export interface InboundFormat<Q extends OperationRequest, A extends OperationResult> {
  readonly id: string;
  readonly inbound: {
    /** Long base64 in a body is known for what it is, and left where it stands. */
    readonly knowsLong?: true;
    /** Throws `invalid_request`. */
    read(body: JsonObject, address: Address): Q;
    /** The same of a form; absent where the format has none. */
    readForm?(form: Form, address: Address): Q;
    /** The answer says how much was used, whether or not the upstream did. `id`: the request's. */
    write(answer: A & Required<OperationResult>, question: Q, id?: string): JsonObject;
    buildError(error: GatewayError): JsonObject;
  };
}

/** The wire format of a question that upstreams speak. Pure. */
export interface OutboundFormat<
  Q extends OperationRequest,
  A extends OperationResult,
  B extends JsonObject | SentForm = JsonObject,
> {
  readonly id: string;
  readonly outbound: {
    /** The same of an answer. */
    readonly knowsLong?: true;
    /**
     * Reports what the format cannot say. Throws `invalid_request` for what
     * the model would refuse, or answer with something else.
     */
    build(question: Q, context: OutboundContext): B;
    /** By which id the answer is to be asked for, since it is not in this body yet. */
    pendingIn?(body: JsonObject): string | undefined;
    /** Throws `upstream_failed` for what is no answer to the question. */
    parse(body: JsonObject, question: Q): A;
    /** Its answers are lists, and are read as a member of this name. */
    readonly listAs?: string;
    parseError(status: number, body: string): UpstreamError;
  };
}

/** What holds for a kind of question in every format. */
export interface OperationKind<Q extends OperationRequest, A extends OperationResult> {
  /** In tokens, roughly: for reserving, and for charging where nobody counted. */
  sizeOf(question: Q): number;
  /** In what is charged beside tokens, for the same; none where absent. */
  unitsOf?(question: Q): Units;
  /** Questions that an upstream takes, of at most so many inputs each, in their order. */
  split(question: Q, maxInputs: number): readonly Q[];
  /** The answer to a question out of those to its parts. */
  join(parts: readonly Part<Q, A>[], question: Q): A;
  /** Wishes of which an answer fulfils a part, by the callers' names; none where absent. */
  shortOf?(answer: A, question: Q): readonly string[];
  /** What an answer is expected to be at most, for reserving; none where absent. */
  expect?(question: Q): Expected;
  /** How many parts are asked at once; one after the other where absent. */
  readonly partsAtOnce?: number;
  /** The answer to a part that failed, where those to other parts are still worth having. */
  failed?(error: GatewayError): A;
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

/** What was used for several answers together; undefined where one of them did not say. */
export function usageOfAll(readings: readonly OperationResult[]): Usage | undefined {
  let sum: Usage | undefined;
  for (const { usage } of readings) {
    if (usage === undefined) return undefined;
    sum = sum === undefined ? usage : addUsage(sum, usage);
  }
  return sum;
}
