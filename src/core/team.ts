import type { BudgetChange } from "./budget.ts";
import type { Period } from "./key.ts";
import type { NanoUsd } from "./money.ts";

/** Users whose calls draw on one account besides their own. */
export interface Team {
  readonly id: number;
  /** Unique. */
  readonly name: string;
  /** Unix ms. */
  readonly createdAt: number;
}

/** What is absent stays as it is; `null` takes a bound away. */
interface TeamChange {
  readonly name?: string;
  /** What its members may spend together, what was spent included. */
  readonly quota?: NanoUsd | null;
  readonly budgets?: BudgetChange;
}

export interface TeamStore {
  /** Throws `invalid_request` where the name is another team's; so does `change`. `note` goes to the ledger. */
  create(draft: TeamChange & { readonly name: string }, note: string): Promise<Team>;
  find(id: number): Promise<Team | undefined>;
  /** By id, at most `limit` of those after `afterId`. */
  list(afterId: number, limit: number): Promise<readonly Team[]>;
  /** Of all teams that have any, by the team's id. */
  budgets(): Promise<ReadonlyMap<number, Readonly<Record<Period, NanoUsd | null>>>>;
  /** Undefined where there is no such team. */
  change(id: number, change: TeamChange, note: string): Promise<Team | undefined>;
  /** False where there is none. Throws `invalid_request` where it has members. */
  delete(id: number): Promise<boolean>;
}
