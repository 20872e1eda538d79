import type { JsonObject } from "#lib/json.ts";
import type { GatewayError } from "./error.ts";
import type { Address, OutboundContext, UpstreamError } from "./style.ts";
import { addUsage, type Units, type Usage } from "./usage.ts";

/** What is asked in one piece and answered in one piece: no conversation, and no stream. */
export interface Question {
  /** The name that the caller used; the upstream's own on the way out. */
  readonly model: string;
}

export interface Reading {
  /** As the upstream reported it. */
  readonly usage?: Usage;
}

/** The wire format of a question that callers speak. Pure. */
export interface InboundFormat<Q extends Question, A extends Reading> {
  readonly id: string;
  readonly inbound: {
    /** Throws `invalid_request`. */
    read(body: JsonObject, address: Address): Q;
    /** The answer says how much was used, whether or not the upstream did. */
    write(answer: A & Required<Reading>, question: Q): JsonObject;
    buildError(error: GatewayError): JsonObject;
  };
}

/** The wire format of a question that upstreams speak. Pure. */
export interface OutboundFormat<Q extends Question, A extends Reading> {
  readonly id: string;
  readonly outbound: {
    /** Reports what the format cannot say. */
    build(question: Q, context: OutboundContext): JsonObject;
    /** Throws `upstream_failed` for what is no answer to the question. */
    parse(body: JsonObject, question: Q): A;
    parseError(status: number, body: string): UpstreamError;
  };
}

/** What holds for a kind of question in every format. */
export interface QuestionKind<Q extends Question, A extends Reading> {
  /** In tokens, roughly: for reserving, and for charging where nobody counted. */
  sizeOf(question: Q): number;
  /** In what is charged beside tokens, for the same; none where absent. */
  unitsOf?(question: Q): Units;
  /** Questions that an upstream takes, of at most so many inputs each, in their order. */
  split(question: Q, maxInputs: number): readonly Q[];
  /** The answer to a question out of those to its parts. */
  join(parts: readonly Part<Q, A>[], question: Q): A;
}

export interface Part<Q, A> {
  readonly question: Q;
  readonly answer: A;
}

/** What was used for several answers together; undefined where one of them did not say. */
export function usageOfAll(readings: readonly Reading[]): Usage | undefined {
  let sum: Usage | undefined;
  for (const { usage } of readings) {
    if (usage === undefined) return undefined;
    sum = sum === undefined ? usage : addUsage(sum, usage);
  }
  return sum;
}
