import type { CallTags } from "#core/call.ts";
import type { ApiKey } from "#core/key.ts";
import type { RateLimitStatus } from "#core/limits.ts";
import type { Sink } from "#lib/push-stream.ts";
import type { ModelTraits } from "#core/model.ts";
import type { ReadHeader } from "#providers/provider.ts";
import type { InboundStyle, RequestBody, RequestFacts } from "#core/style.ts";
import type { Units, Usage } from "#core/usage.ts";
import type { UnpricedPart } from "./routing/unpriced.ts";

/** What admission, the attempts and the books need to know of a call, of whatever kind. */
export interface Served {
  readonly id: string;
  readonly key: ApiKey;
  /** The format that its caller speaks. */
  readonly style: { readonly id: string };
  readonly facts: ServedFacts;
  /** A rough size of the question, for reserving. */
  readonly inputTokens: number;
  /** What it asks for beside tokens, for reserving, and for charging where its upstream does not say. */
  readonly units?: Units;
  /** Fires when the caller hangs up, or the gateway ends the call. */
  readonly signal: AbortSignal;
  /** Even the pieces of a streamed answer may take as long as a whole one. */
  readonly isSlow?: boolean;
  /** Unix ms, and the monotonic clock's ms, of admission. */
  readonly at: number;
  readonly startedAt: number;
  /** Its answer comes in its own time: the hold outlives the call, and this process. */
  readonly isLasting?: true;
  readonly tags?: CallTags;
  /** Told what is left of the caller's limits, where there are any, once it is decided. */
  onStanding?(status: RateLimitStatus): void;
  /** Called before the answer's head leaves if the model or its service tier has no price. */
  onUnpriced?(what: UnpricedPart): void;
  /** What it used, counted here since its upstream did not say; `countedTokens` of the output were before. */
  count(outputText: string, traits: ModelTraits, countedTokens: number): Promise<Usage>;
}

type ServedFacts = Pick<RequestFacts, "model" | "stream" | "maxOutputTokens" | "choices" | "asked">;

/** One client request for text, read and checked, about to be served. */
export interface Call extends Served {
  readonly style: InboundStyle;
  readonly body: RequestBody;
  readonly facts: RequestFacts;
  /** A header of the caller's request. */
  readonly header: ReadHeader;
  /** The caller would rather be refused than lose a field. */
  readonly isStrict: boolean;
  /** Unix ms, for answers that say when they ended. */
  now(): number;
}

/** What goes back to the caller. */
export type Answer = WholeAnswer | StreamedAnswer;

export interface WholeAnswer {
  readonly kind: "whole";
  readonly body: Uint8Array | string;
  readonly lost: readonly string[];
}

export interface StreamedAnswer {
  readonly kind: "stream";
  /** Writes the answer out; resolves when it is over, to true when it came to its proper end. */
  send(sink: Sink): Promise<boolean>;
  readonly lost: readonly string[];
  /** Written by us, and not passed on as the upstream wrote it. */
  readonly isTranslated: boolean;
}
