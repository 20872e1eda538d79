import type { BudgetChange } from "./budget.ts";
import type { Family } from "./family.ts";
import type { ApiKey, KEY_STATUS, Period } from "./key.ts";
import type { RateLimits, RateLimitsChange } from "./limits.ts";
import type { NanoUsd } from "./money.ts";

export interface KeyDraft {
  readonly userId: number;
  readonly name: string;
  readonly models: readonly string[];
  /** What the key may spend of its user's; no bound of its own where absent. */
  readonly quota?: NanoUsd;
  /** The same, by day and by month. */
  readonly budgets?: BudgetChange;
  /** Unix ms. */
  readonly expiresAt?: number;
  readonly networks?: readonly string[];
  readonly endpoints?: readonly Family[];
  readonly limits?: RateLimits;
}

/** What is absent stays as it is; `null` takes a bound away. */
export interface KeyChange {
  readonly name?: string;
  readonly models?: readonly string[];
  readonly quota?: NanoUsd | null;
  readonly budgets?: BudgetChange;
  readonly expiresAt?: number | null;
  readonly networks?: readonly string[] | null;
  readonly endpoints?: readonly Family[] | null;
  readonly limits?: RateLimitsChange;
  readonly status?: typeof KEY_STATUS.enabled | typeof KEY_STATUS.disabled;
}

/** A key as its owner made it, without what its user's group makes of it. */
export type OwnKey = Omit<ApiKey, "group">;

export interface ListedKey {
  readonly key: OwnKey;
  /** Harmless, for people to tell keys apart. */
  readonly last4: string;
  readonly quota: NanoUsd | null;
  /** Of its quota, in whatever time it had one. */
  readonly spent: NanoUsd;
  /** `null` for none. */
  readonly budgets: Readonly<Record<Period, NanoUsd | null>>;
  readonly createdAt: number;
}

export interface CreatedKey {
  readonly key: OwnKey;
  readonly secret: string;
}

interface KeyPage {
  /** Latest first. */
  readonly items: readonly ListedKey[];
  readonly total: number;
}

/** A user's keys in the user's own hands: somebody else's are as good as none. */
export interface OwnKeys {
  /**
   * The secret is in the answer and nowhere else: it cannot be shown again.
   * Throws `invalid_request` where its user has `most` keys already.
   */
  create(draft: KeyDraft, most?: number): Promise<CreatedKey>;
  page(userId: number, offset: number, limit: number): Promise<KeyPage>;
  findOwn(userId: number, id: number): Promise<ListedKey | undefined>;
  update(userId: number, id: number, change: KeyChange): Promise<ListedKey | undefined>;
  /** For good; says which were there to be deleted. */
  deleteOwn(userId: number, ids: readonly number[]): Promise<readonly number[]>;
}
