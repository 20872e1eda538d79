import type { BudgetChange, Raise } from "./budget.ts";
import type { Budget, OwnerId, Period } from "./key.ts";
import type { Account } from "./ledger.ts";
import type { NanoUsd } from "./money.ts";

/** The quota of a key changes together with the key. */
export type QuotaOwner = Exclude<OwnerId, `key:${number}`>;

/** Absent fields stay unchanged; `null` removes a limit. */
interface QuotaChange {
  /** Total limit, including the amount already spent. */
  readonly quota?: NanoUsd | null;
  readonly budgets?: BudgetChange;
}

export interface TopUp {
  /** A negative amount reduces the quota. */
  readonly amount: NanoUsd;
  /** Idempotency key of the operation, unique per owner. */
  readonly operation: string;
  readonly note: string;
}

export interface BudgetStatus {
  readonly budget: Budget;
  /** The account of the current period. */
  readonly account: Account;
  /** Unix ms. */
  readonly startsAt: number;
  readonly resetsAt: number;
}

type RaiseDraft = Omit<Raise, "id"> & { readonly period: Period };

/** A ledger entry that changed an owner's quota. */
export interface GrantRecord {
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
  readonly amount: NanoUsd;
  readonly bound: "given" | "kept" | "taken";
  readonly note: string | null;
}

interface GrantQuery {
  /** Id of the last record of the previous page. */
  readonly before?: string;
  readonly limit: number;
}

/** The budgets of all callers together. */
export interface GatewayBudgetStore {
  list(): Promise<readonly Budget[]>;
  /** `note` goes to the ledger. */
  change(change: BudgetChange, note: string): Promise<void>;
}

/** The spending limits of users, teams and members of teams: total and for periods. */
export interface QuotaStore {
  /** Applies the whole change or nothing. `note` goes to the ledger. */
  set(owner: QuotaOwner, change: QuotaChange, note: string): Promise<void>;
  /**
   * Raises the total quota; false if the operation was done before. Throws
   * `key_reused` if it was done with another amount. Throws `invalid_request`
   * if the quota is unlimited or would become negative.
   */
  topUp(owner: QuotaOwner, topUp: TopUp): Promise<boolean>;
  budgets(owner: OwnerId): Promise<readonly BudgetStatus[]>;
  /** The same for many owners, in two queries; owners without budgets are left out. */
  budgetsOf(owners: readonly OwnerId[]): Promise<ReadonlyMap<OwnerId, readonly BudgetStatus[]>>;
  /** Throws `invalid_request` if there is no such budget, or it has too many raises. */
  raise(owner: OwnerId, draft: RaiseDraft): Promise<Raise>;
  /** False if the owner has no such raise. */
  endRaise(owner: OwnerId, raiseId: string): Promise<boolean>;
  /** Newest first; changes of the total quota, not of budgets. */
  history(owner: QuotaOwner, query: GrantQuery): Promise<readonly GrantRecord[]>;
}
