import type { ApiKey } from "#core/key.ts";
import type { Standing } from "#core/limits.ts";
import type { Sink } from "#lib/push-stream.ts";
import type { InboundStyle, RequestBody, RequestFacts } from "#core/style.ts";

/** One client request to a model endpoint, read and checked, about to be served. */
export interface Call {
  readonly id: string;
  readonly key: ApiKey;
  readonly style: InboundStyle;
  readonly body: RequestBody;
  readonly facts: RequestFacts;
  /** A rough size of the question, for reserving. */
  readonly inputTokens: number;
  /** A header of the caller's request. */
  header(name: string): string | undefined;
  /** The caller would rather be refused than lose a field. */
  readonly isStrict: boolean;
  /** Fires when the caller hangs up, or the gateway ends the call. */
  readonly signal: AbortSignal;
  /** Unix ms, and the monotonic clock's ms, of admission. */
  readonly at: number;
  readonly startedAt: number;
  /** Told what is left of the caller's limits, where there are any, once it is decided. */
  onStanding?(standing: Standing): void;
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
