import type { FaultCode } from "./error.ts";
import type { Family } from "./family.ts";
import type { ExceededLimit } from "./limits.ts";
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
  /** Absent for calls of earlier versions. */
  readonly endpoint?: Family;
  /** The user's team and group at that time. */
  readonly teamId?: number;
  readonly groupId?: number;
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
  /** The end of a task: its creation was a call of its own. Not stored. */
  readonly isTask?: true;
  readonly attempts: readonly AttemptRecord[];
  /** Fields that no upstream style could carry. */
  readonly lost: readonly string[];
  readonly tags?: CallTags;
  /** The limit that refused the call; absent if none did, and for calls of earlier versions. */
  readonly refusedBy?: ExceededLimit;
}

/** Labels that a client sends about its work. They affect no decision. */
export interface CallTags {
  readonly session?: string;
  readonly agent?: string;
  /** The agent that started this one. */
  readonly parentAgent?: string;
  /** Of the client's own choice: `project=x`. */
  readonly free?: readonly string[];
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
  /** Time from admission to the start of the attempt; absent if it began at once. */
  readonly startMs?: number;
  /** Time to open a connection; absent if an open one was used, or none was opened. */
  readonly connectMs?: number;
  /** From its start to its failure, or to the first part of the answer. */
  readonly durationMs: number;
}

/** The owner of the calls that a reader may see; an empty scope has all calls. */
export interface CallScope {
  readonly userId?: number;
  readonly teamId?: number;
}

/** The properties of calls that the log can be searched by. All of them apply. */
export interface CallFilter extends CallScope {
  readonly keyId?: number;
  readonly groupId?: number;
  /** It ended in this time: Unix ms, `to` exclusive. */
  readonly from?: number;
  readonly to?: number;
  readonly outcome?: CallOutcome;
  readonly fault?: FaultCode;
  /** The HTTP status that the client got, if no part of an answer was sent before. */
  readonly status?: number;
  /** The channel that answered, or one that failed. */
  readonly channel?: string;
  /** A channel on which an attempt failed, even if another channel then answered. */
  readonly failedChannel?: string;
  readonly model?: string;
  readonly upstreamModel?: string;
  readonly style?: string;
  readonly endpoint?: Family;
  readonly session?: string;
  readonly tag?: string;
  readonly minCost?: NanoUsd;
  readonly minDurationMs?: number;
}

export interface CallQuery extends CallFilter {
  /** Within this scope; `userId` and `teamId` of the filter narrow it further. */
  readonly scope?: CallScope;
  /** The position after the last call of the previous page: its id, or `next` of that page. */
  readonly after?: CallPosition;
  /** Earliest first. */
  readonly isAscending?: boolean;
  readonly limit: number;
}

/** A call by its id, or a number of the journal, which continues a search that found little. */
export type CallPosition = { readonly id: string } | { readonly seq: number };

interface CallPage {
  readonly calls: readonly CallRecord[];
  /** The position of the next page; undefined at the end of the journal. */
  readonly next: number | undefined;
}

/** Reads past calls, for users and for auditors. */
export interface CallLog {
  /**
   * By end of call, latest first. A query for another user's key finds nothing.
   * The search reads a limited number of rows: a page may be short, or empty,
   * although `next` exists.
   */
  list(query: CallQuery): Promise<CallPage>;
  find(id: string, scope?: CallScope): Promise<CallRecord | undefined>;
  /** Names of the users, keys and teams of these calls, as they are now. */
  namesOf(calls: readonly Pick<CallRecord, "userId" | "keyId" | "teamId">[]): Promise<CallNames>;
  /**
   * At most `limit` calls with numbers above `after`, in their order, and the
   * last number; without `after` only the last number. No call with a number up
   * to it can still appear.
   */
  tail(after: number | undefined, limit: number): Promise<CallTail>;
}

export interface CallNames {
  readonly users: ReadonlyMap<number, string>;
  readonly keys: ReadonlyMap<number, string>;
  readonly teams: ReadonlyMap<number, string>;
}

interface CallTail {
  readonly entries: readonly JournalEntry[];
  /** Undefined if no number was given and running writes hide the last one. */
  readonly last: number | undefined;
}

/** A call with its number in the journal. */
export interface JournalEntry {
  readonly seq: number;
  readonly call: CallRecord;
}

/** Describes past calls by blocks, so that a search reads only those that can match. */
export interface CallIndexing {
  /** Adds at most `limit` of the next calls; returns their number. */
  index(limit: number): Promise<number>;
}

/** Deletes expired calls. */
export interface CallRetention {
  /**
   * Deletes at most `limit` calls that ended before `before` (Unix ms) and that all of these
   * exports have; returns their number.
   */
  prune(before: number, limit: number, exports?: readonly string[]): Promise<number>;
}

/** Writes calls that failed before their hold. */
export interface Journal {
  /** Queued after the ledger's writes. If the queue is full, the record is dropped and counted. */
  write(record: CallRecord): void;
}
