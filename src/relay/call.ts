import type { CallRecord, CallTags } from "#core/call.ts";
import type { Family } from "#core/family.ts";
import type { ApiKey, Budget } from "#core/key.ts";
import type { RateLimitStatus } from "#core/limits.ts";
import type { CancelSignal } from "#lib/cancellation.ts";
import type { Sink } from "#lib/push-stream.ts";
import type { ModelTraits } from "#core/model.ts";
import type { ReadHeader } from "#providers/provider.ts";
import type { InboundStyle, RequestBody, RequestFacts } from "#core/style.ts";
import type { Units, Usage } from "#core/usage.ts";
import type { UnpricedPart } from "./routing/unpriced.ts";

/** Data of a call of any kind that admission, attempts and metering need. */
export interface Served {
  readonly id: string;
  readonly key: ApiKey;
  /** The client's format. */
  readonly style: { readonly id: string };
  readonly endpoint?: Family | undefined;
  readonly facts: ServedFacts;
  /** A rough size of the input, for reserving. */
  readonly inputTokens: number;
  /**
   * Requested units besides tokens: for reserving, and for charging if the upstream reports none.
   */
  readonly units?: Units;
  /** Aborted when the client disconnects, or the gateway ends the call. */
  readonly signal: AbortSignal;
  /** The same without the runtime's objects, for requests to upstreams. */
  readonly cancellation?: CancelSignal;
  /** Even parts of a streamed response may take as long as a whole one. */
  readonly isSlow?: boolean;
  /** Unix ms, and the monotonic clock's ms, of admission. */
  readonly at: number;
  readonly startedAt: number;
  /** The result comes later, as a task: the hold outlives the call, and this process. */
  readonly isLasting?: true;
  readonly tags?: CallTags;
  /** The client's header of W3C Trace Context. */
  readonly traceparent?: string | undefined;
  /** Gets the remaining rate limits of the caller, if it has any, when they are decided. */
  onStanding?(status: RateLimitStatus): void;
  /** Called before the response head is sent if the model or its service tier has no price. */
  onUnpriced?(what: UnpricedPart): void;
  /** Gets budgets that reached their warning amount, before the response head is sent. */
  onBudgetWarning?(budgets: readonly Budget[]): void;
  /**
   * Gets the record of the call when its charge is booked, before a complete answer is sent.
   * Returns text for the end of a stream, if the operator wants it.
   */
  onCharged?(record: CallRecord): string | undefined;
  /**
   * Counts usage locally if the upstream reports none. `countedTokens`: output tokens that were
   * counted before.
   */
  count(outputText: string, traits: ModelTraits, countedTokens: number): Promise<Usage>;
}

type ServedFacts = Pick<RequestFacts, "model" | "stream" | "maxOutputTokens" | "choices" | "asked">;

/** One client request for text, parsed and validated. */
export interface Call extends Served {
  readonly style: InboundStyle;
  readonly body: RequestBody;
  readonly facts: RequestFacts;
  /** A header of the client's request. */
  readonly header: ReadHeader;
  /** The client prefers a refusal to a lost field. */
  readonly isStrict: boolean;
  /** Unix ms, for responses that contain their end time. */
  now(): number;
}

/** The response for the client. */
export type Answer = WholeAnswer | StreamedAnswer;

export interface WholeAnswer {
  readonly kind: "whole";
  readonly body: Uint8Array | string;
  readonly lost: readonly string[];
}

export interface StreamedAnswer {
  readonly kind: "stream";
  /** Writes the response; resolves when it ended, to true if it is complete. */
  send(sink: Sink): Promise<boolean>;
  readonly lost: readonly string[];
  /** Written by the gateway, and not passed through from the upstream. */
  readonly isTranslated: boolean;
}
