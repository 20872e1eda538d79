import { crc32 } from "node:zlib";
import { randomBase62, toBase62 } from "#lib/ids.ts";
import type { Family } from "./family.ts";
import type { Group } from "./group.ts";
import type { RateLimits } from "./limits.ts";
import type { NanoUsd } from "./money.ts";

/** A key as the gate knows it; the secret itself is only known to its holder. */
export interface ApiKey {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly status: KeyStatus;
  /** Names the key may use; `*` alone stands for all, a trailing `*` for a prefix. */
  readonly models: readonly string[];
  /** Unix ms, or undefined for never. */
  readonly expiresAt?: number;
  /** Networks it may be used from, such as `10.0.0.0/8`; anywhere where absent. */
  readonly networks?: readonly string[];
  /** Endpoints it may call; all where absent. */
  readonly endpoints?: readonly Family[];
  readonly limits?: RateLimits;
  /** Of its user; what it allows, the key may still not. */
  readonly group?: Group;
  /** The ledger accounts a call with this key draws on: its user's, its own when it is capped, and its team's. */
  readonly accounts: readonly AccountId[];
  /** Its own, its user's and its team's, months first: each has an account for every period. */
  readonly budgets?: readonly Budget[];
}

export const KEY_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;
export type KeyStatus = (typeof KEY_STATUS)[keyof typeof KEY_STATUS];

/** Who has money: `user:7`, `key:31` or `team:3`. */
export type OwnerId = `${"user" | "key" | "team"}:${number}`;

/** An owner's account, or that of one of its periods: `key:31@2026-11-20`, `user:7@2026-11`. */
export type AccountId = OwnerId | `${OwnerId}@${string}`;

export function isAccountId(text: string): text is AccountId {
  return /^(?:user|key|team):\d{1,16}(?:@\d{4}-\d{2}(?:-\d{2})?)?$/.test(text);
}

export const PERIODS = ["month", "day"] as const;
/** By the calendar, in UTC. */
export type Period = (typeof PERIODS)[number];

/** What an owner may spend in a period. */
export interface Budget {
  readonly owner: OwnerId;
  readonly period: Period;
  readonly amount: NanoUsd;
}

/** Finds keys by the secret that a caller shows. */
export interface KeyStore {
  /** `undefined` for an unknown, deleted or malformed key. Malformed ones cost no query. */
  find(secret: string): Promise<ApiKey | undefined> | ApiKey | undefined;
}

const PREFIX = "sk-slc_";
const RANDOM_LENGTH = 32;
const CHECK_LENGTH = 6;

/**
 * A new secret: `sk-` as every client expects, our marker, 190 random bits and
 * a checksum by which a typo or a scanner's find is judged without a query.
 * Other kinds of secret have another marker, so that none passes for another.
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

/** A model's name, the beginning of one with a `*` behind it, or `*` for all. */
export const MODEL_PATTERN = /^(?:[^\p{C}\p{Z}*]{1,200}\*?|\*)$/u;

/** By what the key may, and by what its user's group may. */
export function mayUse({ models, group }: ApiKey, model: string): boolean {
  return isAmong(models, model) && (group?.models === undefined || isAmong(group.models, model));
}

function isAmong(patterns: readonly string[], model: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith("*") ? model.startsWith(pattern.slice(0, -1)) : pattern === model,
  );
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECK_LENGTH);
}
