import type { BudgetChange } from "./budget.ts";
import type { Budget, OwnerId } from "./key.ts";
import type { Account } from "./ledger.ts";
import type { NanoUsd } from "./money.ts";

/** What a key may spend is changed with the key. */
export type QuotaOwner = Exclude<OwnerId, `key:${number}`>;

/** What is absent stays as it is; `null` takes a bound away. */
interface QuotaChange {
  /** In all, what was spent included. */
  readonly quota?: NanoUsd | null;
  readonly budgets?: BudgetChange;
}

export interface TopUp {
  /** Below zero it takes away. */
  readonly amount: NanoUsd;
  /** Names it among those of its owner, so that it can be asked for again without being done again. */
  readonly operation: string;
  readonly note: string;
}

export interface BudgetStanding {
  readonly budget: Budget;
  /** Of the period that is running. */
  readonly account: Account;
  /** Unix ms. */
  readonly resetsAt: number;
}

/** An entry of the ledger that changed what an owner may spend. */
export interface GrantRecord {
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
  readonly amount: NanoUsd;
  readonly bound: "given" | "kept" | "taken";
  readonly note: string | null;
}

interface GrantQuery {
  /** The id of the last one of the page before. */
  readonly before?: string;
  readonly limit: number;
}

/** What users and teams may spend: in all, and by day and month. */
export interface QuotaStore {
  /** All of it or none. `note` goes to the ledger. */
  set(owner: QuotaOwner, change: QuotaChange, note: string): Promise<void>;
  /**
   * Adds to what may be spent in all; false where the operation was done
   * before. Throws `key_reused` where that was with another amount, and
   * `invalid_request` where there is no bound, or would be none of zero or more.
   */
  topUp(owner: QuotaOwner, topUp: TopUp): Promise<boolean>;
  budgets(owner: QuotaOwner): Promise<readonly BudgetStanding[]>;
  /** Latest first; of what may be spent in all, not of budgets. */
  history(owner: QuotaOwner, query: GrantQuery): Promise<readonly GrantRecord[]>;
}
