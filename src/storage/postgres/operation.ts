import type { PeriodAccount } from "#core/budget.ts";
import type { CallRecord } from "#core/call.ts";
import type { AccountId } from "#core/key.ts";
import type { HoldRequest } from "#core/ledger.ts";
import type { NanoUsd } from "#core/money.ts";
import type { Checkpoint } from "../accounts/checkpoints.ts";
import type { Write } from "../accounts/group-commit.ts";
import type { AccountColumns } from "../tables/accounts.ts";

/** What a transaction can be asked to do. */
export type Operation =
  | HoldOperation
  | ExtendOperation
  | CloseOperation
  | { readonly type: "record"; readonly record: CallRecord }
  | { readonly type: "checkpoints"; readonly noted: ReadonlyMap<string, Checkpoint> }
  | { readonly type: "probe" };

export interface HoldOperation {
  readonly type: "hold";
  readonly request: HoldRequest;
  readonly columns: AccountColumns;
  /** Of those the accounts that it may be the first on. */
  readonly periods: readonly PeriodAccount[];
  /** The caller no longer waits: whatever was reserved has to be released. */
  isAbandoned?: true;
  /** The account on which it was refused. */
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
  /** None where a hold is taken back of which nobody knew whether it was made. */
  readonly record: CallRecord | null;
}

export interface PostgresWrite extends Write {
  readonly operation: Operation;
  /** Was in a transaction whose end is not known. */
  wasTried: boolean;
  /** Whether the operation did what it is for; known once its transaction is. */
  outcome: boolean;
}
