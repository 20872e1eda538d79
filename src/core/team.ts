import type { BudgetChange } from "./budget.ts";
import type { Budget } from "./key.ts";
import type { NanoUsd } from "./money.ts";
import type { User } from "./user.ts";

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

/** A user in a team. Absent fields stay unchanged; a new member is not an owner. */
export interface MemberDraft {
  readonly userId: number;
  readonly isOwner?: boolean;
  /** The user's budgets in the name of the team. */
  readonly budgets?: BudgetChange;
}

interface MemberQuery {
  /** Members with higher ids. */
  readonly after?: number;
  readonly limit: number;
  /** A part of a name or address. */
  readonly search?: string;
  readonly ids?: readonly number[];
}

export interface TeamStore {
  /**
   * Throws `invalid_request` if another team has the name; so does `change`.
   * `note` goes to the ledger.
   */
  create(
    draft: TeamChange & { readonly name: string; readonly members?: readonly MemberDraft[] },
    note: string,
  ): Promise<Team>;
  find(id: number): Promise<Team | undefined>;
  findByName(name: string): Promise<Team | undefined>;
  /** Ordered by id, at most `limit` teams after `afterId`, with `search` in their name. */
  list(afterId: number, limit: number, search?: string): Promise<readonly Team[]>;
  /** Ordered by id. */
  members(id: number, query: MemberQuery): Promise<readonly User[]>;
  /**
   * Adds users to the team or changes members: all or none. Users of another
   * team leave it.
   */
  putMembers(id: number, members: readonly MemberDraft[], note: string): Promise<void>;
  /** Returns the ids that were members. */
  removeMembers(id: number, userIds: readonly number[]): Promise<readonly number[]>;
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
