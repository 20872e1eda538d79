import type { AnswerEnd, InboundStyle, RequestFacts } from "#core/style.ts";
import type { Attributes } from "#core/telemetry.ts";
import { defined } from "#lib/values.ts";
import type { Call } from "../call.ts";
import { AnswerParts } from "./answer-parts.ts";
import { describeRequest } from "./describe-request.ts";

/** Maximum number of calls that are noted at once. */
const MAX_NOTED = 100_000;

/** A running call with a recorded trace. */
export class NotedCall {
  readonly style: InboundStyle;
  readonly facts: RequestFacts;
  /** The settings of its request. */
  readonly request: Attributes;
  #answer: AnswerParts | undefined;

  constructor(call: Pick<Call, "style" | "facts">, request: Attributes) {
    this.style = call.style;
    this.facts = call.facts;
    this.request = request;
  }

  /** A later answer takes the place of this one. */
  beginAnswer(): AnswerParts {
    this.#answer = new AnswerParts(this.facts.choices);
    return this.#answer;
  }

  describeEnd(): Attributes {
    return this.#answer === undefined ? {} : attributesOf(this.#answer.read(this.style));
  }
}

/** Calls for text that run, until their records are written. */
export class NotedCalls {
  readonly #running = new Map<string, NotedCall>();
  readonly #maxNoted: number;

  constructor(maxNoted = MAX_NOTED) {
    this.#maxNoted = maxNoted;
  }

  add(call: Call): void {
    if (this.#running.size >= this.#maxNoted) return;
    this.#running.set(call.id, new NotedCall(call, requestOf(call)));
  }

  find(callId: string): NotedCall | undefined {
    return this.#running.get(callId);
  }

  take(callId: string): NotedCall | undefined {
    const noted = this.#running.get(callId);
    if (noted !== undefined) this.#running.delete(callId);
    return noted;
  }
}

function requestOf(call: Call): Attributes {
  try {
    return describeRequest(call);
  } catch {
    // Vendors of the same style get values that the gateway cannot read.
    return {};
  }
}

function attributesOf({ id, reasons }: AnswerEnd): Attributes {
  return defined({
    "gen_ai.response.id": id,
    "gen_ai.response.finish_reasons": reasons.length === 0 ? undefined : [...reasons],
  });
}
