import type { FaultCode } from "./error.ts";
import type { Charge, NanoUsd, Rates } from "./money.ts";
import type { Usage } from "./usage.ts";

/**
 * One client request to a model endpoint, as the journal stores it. It contains
 * no content of the request or response.
 */
export interface CallRecord {
  readonly id: string;
  /** Unix ms of admission. */
  readonly at: number;
  readonly userId: number;
  readonly keyId: number;
  /** The model name that the client used, and the name that was sent upstream. */
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
  /** The model has no price: the call cost nothing because its price is unknown. */
  readonly isUnpriced?: true;
  /** The rates that were charged; absent if the call was free or the rates are unknown. */
  readonly rates?: Rates;
  /** The call's parts, if they have different rates. */
  readonly charges?: readonly Charge[];
  /** Time from admission to the first byte of the response, and to its end. */
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  /**
   * Time that the attempts waited for upstreams until the answer began, and the rest of the time
   * until then, which the gateway added. Exact, and not stored.
   */
  readonly upstreamMs?: number;
  readonly overheadMs?: number | null;
  /** The client's header of W3C Trace Context. Not stored. */
  readonly traceparent?: string;
  readonly attempts: readonly AttemptRecord[];
  /** Fields that no upstream style could carry. */
  readonly lost: readonly string[];
  readonly tags?: CallTags;
}

/** Labels that a client sends about its work. They affect no decision. */
export interface CallTags {
  readonly session?: string;
  readonly agent?: string;
  /** The agent that started this one. */
  readonly parentAgent?: string;
}

/**
 * `canceled`: the client disconnected; `interrupted`: the gateway died and
 * settled the call afterwards.
 */
export type CallOutcome = "completed" | "failed" | "canceled" | "interrupted";

/** One attempt on one channel. */
export interface AttemptRecord {
  readonly channel: string;
  readonly credential: string;
  readonly fault: FaultCode | null;
  /** The upstream's status; null if it did not answer. */
  readonly status: number | null;
  /** The upstream's own error code and type. */
  readonly code?: string;
  readonly type?: string;
  /** The upstream's message without quotes from the request. For operators only. */
  readonly reason?: string;
  readonly durationMs: number;
}

export interface CallQuery {
  readonly userId?: number;
  readonly keyId?: number;
  readonly session?: string;
  /** Id of the last call of the previous page. */
  readonly before?: string;
  readonly limit: number;
}

/** Reads past calls, for users and for auditors. */
export interface CallLog {
  /** Most recently finished first. A query for a key or model of another user finds nothing. */
  list(query: CallQuery): Promise<readonly CallRecord[]>;
  /** `userId`: the call must belong to this user. */
  find(id: string, userId?: number): Promise<CallRecord | undefined>;
}

/** Deletes expired calls. */
export interface CallRetention {
  /** Deletes at most `limit` calls that ended before `before` (Unix ms); returns their number. */
  prune(before: number, limit: number): Promise<number>;
}

/** Writes calls that failed before their hold. */
export interface Journal {
  /** Queued after the ledger's writes. If the queue is full, the record is dropped and counted. */
  write(record: CallRecord): void;
}
