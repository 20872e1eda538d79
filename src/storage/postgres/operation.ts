import type { PeriodAccount } from "#core/budget.ts";
import type { CallRecord } from "#core/call.ts";
import type { AccountId } from "#core/key.ts";
import type { HoldRequest } from "#core/ledger.ts";
import type { NanoUsd } from "#core/money.ts";
import type { Checkpoint } from "../accounts/checkpoints.ts";
import type { Write } from "../accounts/group-commit.ts";
import type { AccountColumns } from "../tables/accounts.ts";

/** The operations of a ledger transaction. */
export type Operation =
  | HoldOperation
  | ExtendOperation
  | CloseOperation
  | CorrectOperation
  | { readonly type: "record"; readonly record: CallRecord }
  | { readonly type: "checkpoints"; readonly noted: ReadonlyMap<string, Checkpoint> }
  | { readonly type: "probe" };

export interface HoldOperation {
  readonly type: "hold";
  readonly request: HoldRequest;
  readonly columns: AccountColumns;
  /** The accounts on which this call may be the first. */
  readonly periods: readonly PeriodAccount[];
  /** Unix ms of the periods. */
  readonly at: number;
  /** The caller has given up: the reserved amount must be released. */
  isAbandoned?: true;
  /** The account that lacked funds. */
  short?: AccountId;
}

export interface ExtendOperation {
  readonly type: "extend";
  readonly callId: string;
  readonly amount: NanoUsd;
}

export interface CloseOperation {
  readonly type: "close";
  readonly kind: "settle" | "void";
  readonly callId: string;
  readonly cost: NanoUsd;
  readonly at: number;
  /** Present if this process opened the hold. */
  readonly hold?: KnownHold;
  /** Null if a hold with an unknown result is rolled back. */
  readonly record: CallRecord | null;
}

/**
 * Another instance closed the hold of a call that this process delivered: the call is charged the
 * difference to its cost.
 */
export interface CorrectOperation {
  readonly type: "correct";
  readonly kind: CloseOperation["kind"];
  readonly callId: string;
  readonly columns: AccountColumns;
  readonly cost: NanoUsd;
  readonly at: number;
  readonly record: CallRecord;
}

/** A hold as this process knows it. */
export interface KnownHold {
  readonly columns: AccountColumns;
  /** Extensions included. */
  amount: number;
}

export interface PostgresWrite extends Write {
  readonly operation: Operation;
  /** It was in a transaction with an unknown result. */
  wasTried: boolean;
  /** True if the operation took effect; set once its transaction has ended. */
  outcome: boolean;
}
