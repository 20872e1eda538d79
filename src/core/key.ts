import { crc32 } from "node:zlib";
import { randomBase62, toBase62 } from "#lib/ids.ts";
import type { Raise } from "./budget.ts";
import type { BudgetSchedule } from "./budget-schedule.ts";
import type { ContentLevel } from "./content-log.ts";
import type { Family } from "./family.ts";
import type { Group } from "./group.ts";
import type { RateLimits } from "./limits.ts";
import type { NanoUsd } from "./money.ts";

/** An API key as the gateway stores it; only its holder knows the secret. */
export interface ApiKey {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly status: KeyStatus;
  /** Models that the key may use; `*` alone allows all, a trailing `*` matches a prefix. */
  readonly models: readonly string[];
  /** Unix ms; undefined if it never expires. */
  readonly expiresAt?: number;
  /** Networks from which the key may be used, such as `10.0.0.0/8`; any if absent. */
  readonly networks?: readonly string[];
  /** Endpoints that it may call; all if absent. */
  readonly endpoints?: readonly Family[];
  readonly limits?: RateLimits;
  /** Its own level of the content log. */
  readonly contentLog?: ContentLevel;
  /** The user's group. The key's own rules may restrict it further. */
  readonly group?: Group;
  /**
   * The ledger accounts that a call with this key draws on: its user's, its own
   * if it has a quota, and its team's.
   */
  readonly accounts: readonly AccountId[];
  /** The team that the calls are charged to: the key's own, or the user's. */
  readonly teamId?: number;
  /**
   * Budgets of the key, its user, its team and the gateway, longest periods first. Each has an
   * account for every period.
   */
  readonly budgets?: readonly Budget[];
}

export const KEY_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;
export type KeyStatus = (typeof KEY_STATUS)[keyof typeof KEY_STATUS];

/**
 * The owner of an account: `user:7`, `key:31`, `team:3`, user 7 in team 3 (`member:3-7`), or all
 * callers together (`gateway:0`).
 */
export type OwnerId = `${"user" | "key" | "team"}:${number}` | MemberId | typeof GATEWAY_OWNER;
/** A user in the name of a team. */
type MemberId = `member:${number}-${number}`;

/**
 * An owner's account, or the account of one of its periods:
 * `key:31@2026-11-20`, `user:7@2026-11`.
 */
export type AccountId = OwnerId | `${OwnerId}@${string}`;

/** The owner of the budgets that bind all calls. */
export const GATEWAY_OWNER = "gateway:0";

const OWNER = "(?:(?:user|key|team):\\d{1,16}|member:\\d{1,16}-\\d{1,16}|gateway:0)";
/** Months, months from another day, days, hours, weeks. */
const SPAN = "\\d{4}-(?:w\\d{2}|\\d{2}(?:s\\d{2}|-\\d{2}(?:t\\d{2})?)?)";
const ACCOUNT_ID = new RegExp(`^${OWNER}(?:@${SPAN})?$`);

export function isAccountId(text: string): text is AccountId {
  return ACCOUNT_ID.test(text);
}

export const PERIODS = ["month", "week", "day", "hour"] as const;
export type Period = (typeof PERIODS)[number];

/** The amount that an owner may spend in a period. */
export interface Budget {
  readonly owner: OwnerId;
  readonly period: Period;
  /** `null` if the budget only warns. */
  readonly amount: NanoUsd | null;
  readonly warn?: NanoUsd;
  /** If it differs from calendar periods in UTC. */
  readonly schedule?: BudgetSchedule;
  readonly raises?: readonly Raise[];
}

/** Finds keys by the secret that a client presents. */
export interface KeyStore {
  /** `undefined` for an unknown, deleted or malformed key. Malformed keys cost no query. */
  find(secret: string): Promise<ApiKey | undefined> | ApiKey | undefined;
}

/** Finds keys without their secret, for reports on past calls. */
export interface KeyDirectory {
  /** With its group, as a call with it would have it now. Undefined for a deleted key. */
  findById(id: number): Promise<ApiKey | undefined>;
}

const PREFIX = "sk-slc_";
const RANDOM_LENGTH = 32;
const CHECK_LENGTH = 6;

/**
 * Creates a secret: `sk-` as every client expects, our marker, 190 random bits
 * and a checksum. The checksum detects typos and false positives of secret
 * scanners without a query. Other kinds of secret have other markers, so they
 * cannot be confused.
 */
export function createSecret(prefix = PREFIX): string {
  const body = prefix + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

export function isWellFormed(secret: string, prefix = PREFIX): boolean {
  if (secret.length !== prefix.length + RANDOM_LENGTH + CHECK_LENGTH) return false;
  if (!secret.startsWith(prefix)) return false;
  return checksum(secret.slice(0, -CHECK_LENGTH)) === secret.slice(-CHECK_LENGTH);
}

/** A model name, a prefix followed by `*`, or `*` for all. */
export const MODEL_PATTERN = /^(?:[^\p{C}\p{Z}*]{1,200}\*?|\*)$/u;

/** True if both the key and its user's group allow the model. */
export function mayUse({ models, group }: ApiKey, model: string): boolean {
  return isAmong(models, model) && (group?.models === undefined || isAmong(group.models, model));
}

function isAmong(patterns: readonly string[], model: string): boolean {
  for (const pattern of patterns) {
    if (pattern === model || pattern === "*") return true;
    if (pattern.endsWith("*") && model.startsWith(pattern.slice(0, -1))) return true;
  }
  return false;
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECK_LENGTH);
}
