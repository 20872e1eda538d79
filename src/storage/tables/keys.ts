import type { Generated, Selectable } from "kysely";
import { z } from "zod";
import { budgetsIn } from "#core/budget.ts";
import type { ContentLevel } from "#core/content-log.ts";
import { FAMILIES, type Family } from "#core/family.ts";
import type { Group } from "#core/group.ts";
import {
  KEY_STATUS,
  PERIODS,
  type AccountId,
  type ApiKey,
  type Budget,
  GATEWAY_OWNER,
  type OwnerId,
  type KeyStatus,
} from "#core/key.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import type { Spend } from "#core/spend.ts";
import type { BudgetStatus } from "#core/quota.ts";
import type { KeyChange, ListedKey } from "#core/user-keys.ts";
import { readTerms } from "./budgets.ts";
import { limitColumns, limitsOf, type LimitColumns } from "./limit-columns.ts";
import { USER_STATUS } from "./users.ts";

export interface KeysTable extends LimitColumns {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** Keyed digest of the secret; `null` for a deleted key. */
  digest: string | null;
  pepper_version: number;
  last4: string;
  /** The form of the secret and of its digest: a value of `SECRET_FORM`. */
  is_custom: number;
  status: KeyStatus;
  /** JSON array of names and patterns. */
  models: string;
  expires_at: number | null;
  created_at: number;
  /**
   * Unix ms of the deletion. A deleted key stays as a tombstone: the ledger
   * refers to it, and its id is never reused.
   */
  deleted_at: number | null;
  /** JSON array of IP networks; `null` allows any. */
  networks: string | null;
  /** JSON array of families; `null` allows all. */
  endpoints: string | null;
  /** The team that its calls are charged to, instead of the user's. */
  team_id: number | null;
  content_log: ContentLevel | null;
  /** Keyed digest of the secret before the last rotation; null without one. */
  old_digest: string | null;
  old_last4: string | null;
  /** Unix ms until which the old secret works. */
  old_ends_at: number | null;
  old_is_custom: Generated<number>;
  /** The group of its calls, instead of the user's. */
  own_group_id: Generated<number | null>;
}

export const SECRET_FORM = {
  /** Made here, with a checksum. */
  own: 0,
  /** Any text. */
  foreign: 1,
  /** The digest is that of the SHA-256 of the secret, which the gateway has never seen. */
  hashed: 2,
  /** Any text that begins with `sk-`, which clients may leave out. */
  prefixed: 3,
} as const;

/** A key joined with its account, if it has one, and its user. */
export interface KeyRow extends Selectable<KeysTable> {
  readonly granted: NanoUsd | null;
  readonly spent: NanoUsd | null;
  readonly user_status: number;
  /** The key's own team, or else the user's. */
  readonly charged_team_id: number | null;
  /** Terms of the budgets of the key, its user, its team, its user in the team, and of all. */
  readonly key_terms: string | null;
  readonly user_terms: string | null;
  readonly team_terms: string | null;
  readonly member_terms: string | null;
  readonly gateway_terms: string | null;
}

export function toApiKey(row: KeyRow, group?: Group): ApiKey {
  const accounts: AccountId[] = [`user:${row.user_id}`];
  if (row.granted !== null) accounts.push(`key:${row.id}`);
  if (row.charged_team_id !== null) accounts.push(`team:${row.charged_team_id}`);
  const budgets = budgetsOf(row);
  const limits = limitsOf(row);
  return Object.freeze({
    id: row.id,
    userId: row.user_id,
    name: row.name,
    // The keys of a disabled user are disabled too.
    status: row.user_status === USER_STATUS.enabled ? row.status : KEY_STATUS.disabled,
    models: textsIn(row.models),
    accounts: Object.freeze(accounts),
    ...(row.charged_team_id === null ? {} : { teamId: row.charged_team_id }),
    ...(budgets.length === 0 ? {} : { budgets: Object.freeze(budgets) }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.networks === null ? {} : { networks: textsIn(row.networks) }),
    ...(row.endpoints === null ? {} : { endpoints: familiesIn(row.endpoints) }),
    ...(limits === undefined ? {} : { limits }),
    ...(row.content_log === null ? {} : { contentLog: row.content_log }),
    ...(group === undefined ? {} : { group }),
  });
}

export function toListedKey(
  row: KeyRow,
  budgets: readonly BudgetStatus[],
  spend: Spend,
): ListedKey {
  return {
    key: toApiKey(row),
    last4: row.last4,
    quota: row.granted,
    spent: row.spent ?? nanoUsd(0),
    budgets,
    spend,
    ...(row.team_id === null ? {} : { teamId: row.team_id }),
    ...(row.own_group_id === null ? {} : { groupId: row.own_group_id }),
    createdAt: row.created_at,
    ...(row.old_ends_at === null || row.old_last4 === null
      ? {}
      : { old: { last4: row.old_last4, endsAt: row.old_ends_at } }),
  };
}

/** The key for a client that still presents the old secret: it expires with that secret. */
export function toEndingKey(row: KeyRow, group?: Group): ApiKey {
  const ends = Math.min(row.expires_at ?? Infinity, row.old_ends_at ?? 0);
  return toApiKey({ ...row, expires_at: ends }, group);
}

/** Erases the secret: requests with the key are refused from now on. */
export function deletedKey(now: number) {
  return {
    digest: null,
    ...NO_OLD_SECRET,
    deleted_at: now,
    status: KEY_STATUS.disabled,
    team_id: null,
    own_group_id: null,
  };
}

/** The values of a key with one secret. */
export const NO_OLD_SECRET = {
  old_digest: null,
  old_last4: null,
  old_ends_at: null,
  old_is_custom: 0,
} as const;

/** The columns that a change sets. */
export function keyColumns(change: Omit<KeyChange, "quota" | "budgets" | "status">) {
  const { name, models, expiresAt, networks, endpoints, contentLog, limits = {} } = change;
  return {
    ...(name === undefined ? {} : { name }),
    ...(models === undefined ? {} : { models: JSON.stringify(models) }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    ...(networks === undefined
      ? {}
      : { networks: networks === null ? null : JSON.stringify(networks) }),
    ...(endpoints === undefined
      ? {}
      : { endpoints: endpoints === null ? null : JSON.stringify(endpoints) }),
    ...(contentLog === undefined ? {} : { content_log: contentLog }),
    ...limitColumns(limits),
  };
}

function budgetsOf(row: KeyRow): Budget[] {
  const { id, user_id: userId, charged_team_id: teamId } = row;
  const owners: readonly (readonly [OwnerId, string | null])[] = [
    [`user:${userId}`, row.user_terms],
    [`team:${teamId ?? 0}`, row.team_terms],
    [`member:${teamId ?? 0}-${userId}`, row.member_terms],
    [`key:${id}`, row.key_terms],
    [GATEWAY_OWNER, row.gateway_terms],
  ];
  const all = owners.flatMap(([owner, terms]) => budgetsIn(owner, readTerms(terms)));
  return PERIODS.flatMap((period) => all.filter((budget) => budget.period === period));
}

const families = z.array(z.enum(FAMILIES));

function familiesIn(json: string): readonly Family[] {
  return Object.freeze(families.parse(JSON.parse(json)));
}

const texts = z.array(z.string());

function textsIn(json: string): readonly string[] {
  return Object.freeze(texts.parse(JSON.parse(json)));
}
