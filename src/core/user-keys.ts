import type { BudgetChange } from "./budget.ts";
import type { ContentLevel } from "./content-log.ts";
import type { Family } from "./family.ts";
import type { ApiKey, KEY_STATUS } from "./key.ts";
import type { RateLimits, RateLimitsChange } from "./limits.ts";
import type { NanoUsd } from "./money.ts";
import type { BudgetStatus } from "./quota.ts";
import type { Spend } from "./spend.ts";

export interface KeyDraft {
  readonly userId: number;
  readonly name: string;
  readonly models: readonly string[];
  /** The key's own spending limit within its user's; unlimited if absent. */
  readonly quota?: NanoUsd;
  /** The same for periods. */
  readonly budgets?: BudgetChange;
  /** Unix ms. */
  readonly expiresAt?: number;
  readonly networks?: readonly string[];
  readonly endpoints?: readonly Family[];
  readonly limits?: RateLimits;
  readonly contentLog?: ContentLevel;
  /** The team that its calls are charged to, in place of its user's. */
  readonly teamId?: number;
  /** The group of its calls, in place of its user's. */
  readonly groupId?: number;
}

/** Absent fields stay unchanged; `null` removes a limit. */
export interface KeyChange {
  readonly name?: string;
  readonly models?: readonly string[];
  readonly quota?: NanoUsd | null;
  readonly budgets?: BudgetChange;
  readonly expiresAt?: number | null;
  readonly networks?: readonly string[] | null;
  readonly endpoints?: readonly Family[] | null;
  readonly limits?: RateLimitsChange;
  readonly contentLog?: ContentLevel | null;
  readonly status?: typeof KEY_STATUS.enabled | typeof KEY_STATUS.disabled;
}

/** A key as its owner created it, without the rules of the user's group. */
export type UserKey = Omit<ApiKey, "group">;

export interface ListedKey {
  readonly key: UserKey;
  /** The last four characters of the secret, to tell keys apart. */
  readonly last4: string;
  readonly quota: NanoUsd | null;
  /** Amount charged to its quota, including earlier quotas. */
  readonly spent: NanoUsd;
  /** The cost of its calls, for a key without a quota. */
  readonly used?: NanoUsd;
  /** Its own budgets, without those of its user and its team. */
  readonly budgets: readonly BudgetStatus[];
  /** The cost of its calls, with or without a quota. */
  readonly spend: Spend;
  /** Its own team, if it does not belong to the user's. */
  readonly teamId?: number;
  /** Its own group, if its calls do not belong to the user's. */
  readonly groupId?: number;
  readonly createdAt: number;
  /** The secret before the last rotation. */
  readonly old?: {
    readonly last4: string;
    /** Unix ms until which it works. */
    readonly endsAt: number;
  };
}

export interface CreatedKey {
  readonly key: UserKey;
  readonly secret: string;
}

interface KeyPage {
  /** Newest first. */
  readonly items: readonly ListedKey[];
  readonly total: number;
}

/** Keys that users manage themselves; another user's keys are not found. */
export interface UserKeys {
  /**
   * The secret is returned once and cannot be shown again. Throws
   * `invalid_request` if the user already has `most` keys.
   */
  create(draft: KeyDraft, most?: number): Promise<CreatedKey>;
  page(userId: number, offset: number, limit: number): Promise<KeyPage>;
  findOwn(userId: number, id: number): Promise<ListedKey | undefined>;
  update(userId: number, id: number, change: KeyChange): Promise<ListedKey | undefined>;
  /**
   * Of any user's key, for admins. `null` leaves the level to the group and the gateway. False if
   * the key does not exist.
   */
  setContentLog(id: number, level: ContentLevel | null): Promise<boolean>;
  /**
   * Gives a key a new secret, which is returned once. The secret before it works for `overlapMs`
   * more, and one from an earlier rotation no longer. Undefined if the user has no such key. Throws
   * `invalid_request` for a key of the configuration file.
   */
  rotate(
    userId: number,
    id: number,
    overlapMs: number,
  ): Promise<{ readonly listed: ListedKey; readonly secret: string } | undefined>;
  /** Ends the overlap of a rotation at once. False if the key has no old secret. */
  endOldSecret(userId: number, id: number): Promise<boolean>;
  /** The user of a key that is not deleted. */
  ownerOf(id: number): Promise<number | undefined>;
  /** Deletes permanently; returns the ids that existed. */
  deleteOwn(userId: number, ids: readonly number[]): Promise<readonly number[]>;
}
