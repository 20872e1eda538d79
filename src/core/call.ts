import type { FaultCode } from "./error.ts";
import type { Charge, NanoUsd, Rates } from "./money.ts";
import type { Usage } from "./usage.ts";

/** One client request to a model endpoint, as the journal keeps it. No word of its content. */
export interface CallRecord {
  readonly id: string;
  /** Unix ms of admission. */
  readonly at: number;
  readonly userId: number;
  readonly keyId: number;
  /** The name the caller used, and the one sent upstream. */
  readonly model: string;
  readonly upstreamModel: string | null;
  readonly channel: string | null;
  readonly provider: string | null;
  readonly style: string;
  readonly isStream: boolean;
  readonly outcome: CallOutcome;
  readonly fault: FaultCode | null;
  readonly usage: Usage;
  readonly cost: NanoUsd;
  /** A model without a price answered it: it cost nothing because nobody knows what it costs. */
  readonly isUnpriced?: true;
  /** What it was charged by; absent where it cost nothing, or where that is not known. */
  readonly rates?: Rates;
  /** Its parts, if they were charged by different rates. */
  readonly charges?: readonly Charge[];
  /** From admission to the answer's first byte, and to its end. */
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  readonly attempts: readonly AttemptRecord[];
  /** Fields that no upstream style could carry. */
  readonly lost: readonly string[];
  readonly tags?: CallTags;
}

/** What a client says of the work that a call belongs to. Nothing is decided by it. */
export interface CallTags {
  readonly session?: string;
  readonly agent?: string;
  /** The agent that started this one. */
  readonly parentAgent?: string;
}

/**
 * `canceled`: the caller hung up; `interrupted`: the gateway died and settled
 * the call afterwards.
 */
export type CallOutcome = "completed" | "failed" | "canceled" | "interrupted";

/** One try on one channel. */
export interface AttemptRecord {
  readonly channel: string;
  readonly credential: string;
  readonly fault: FaultCode | null;
  /** Status the upstream answered with; null when it did not. */
  readonly status: number | null;
  /** The upstream's own names of its failure. */
  readonly code?: string;
  readonly type?: string;
  /** Its message without what it repeats of the request. For operators alone. */
  readonly reason?: string;
  readonly durationMs: number;
}

export interface CallQuery {
  readonly userId?: number;
  readonly keyId?: number;
  readonly session?: string;
  /** The last call of the page before. */
  readonly before?: string;
  readonly limit: number;
}

/** What became of calls, for those who made them and those who watch over them. */
export interface CallLog {
  /**
   * The calls that ended last come first. Whatever the query names that does
   * not belong to its user is as good as unknown.
   */
  list(query: CallQuery): Promise<readonly CallRecord[]>;
  /** `userId`: it must be this user's. */
  find(id: string, userId?: number): Promise<CallRecord | undefined>;
}

/** Calls that never got as far as a hold are only written here. */
export interface Journal {
  /** Queued behind the ledger; dropped, and counted, when the queue is full. */
  write(record: CallRecord): void;
}
