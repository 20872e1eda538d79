import type { BudgetChange } from "./budget.ts";
import type { Budget } from "./key.ts";
import type { NanoUsd } from "./money.ts";

/** Users whose calls also draw on one common account. */
export interface Team {
  readonly id: number;
  /** Unique. */
  readonly name: string;
  /** Unix ms. */
  readonly createdAt: number;
}

/** Absent fields stay unchanged; `null` removes a limit. */
interface TeamChange {
  readonly name?: string;
  /** Total spending limit of all members, including the amount already spent. */
  readonly quota?: NanoUsd | null;
  readonly budgets?: BudgetChange;
}

export interface TeamStore {
  /**
   * Throws `invalid_request` if another team has the name; so does `change`.
   * `note` goes to the ledger.
   */
  create(draft: TeamChange & { readonly name: string }, note: string): Promise<Team>;
  find(id: number): Promise<Team | undefined>;
  findByName(name: string): Promise<Team | undefined>;
  /** Ordered by id, at most `limit` teams after `afterId`. */
  list(afterId: number, limit: number): Promise<readonly Team[]>;
  /** Budgets of all teams that have any, by team id. */
  budgets(): Promise<ReadonlyMap<number, readonly Budget[]>>;
  /** Undefined if the team does not exist. */
  change(id: number, change: TeamChange, note: string): Promise<Team | undefined>;
  /**
   * Also deletes the service accounts of the team. False if the team does not exist. Throws
   * `invalid_request` if it has members.
   */
  delete(id: number): Promise<boolean>;
}
