import assert from "node:assert";
import type { Selectable } from "kysely";
import type { AccountId } from "#core/key.ts";
import type { Account } from "#core/ledger.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";

export interface AccountsTable {
  id: AccountId;
  /** `null` has no bound. */
  granted: NanoUsd | null;
  spent: NanoUsd;
  held: NanoUsd;
}

/** The accounts a call draws on, by kind: what a hold and its ledger entries are filed under. */
export interface AccountPair {
  readonly user: AccountId | null;
  readonly key: AccountId | null;
}

export function pairOf(ids: readonly AccountId[]): AccountPair {
  const user = ids.filter((id) => id.startsWith("user:"));
  const key = ids.filter((id) => id.startsWith("key:"));
  assert(user.length <= 1 && key.length <= 1, "A call draws on one account of each kind at most.");
  return { user: user[0] ?? null, key: key[0] ?? null };
}

export function idsOf(pair: AccountPair): AccountId[] {
  return [pair.user, pair.key].filter((id) => id !== null);
}

export function toAccount(row: Selectable<AccountsTable>): Account {
  return {
    id: row.id,
    granted: row.granted === null ? null : nanoUsd(row.granted),
    spent: nanoUsd(row.spent),
    held: nanoUsd(row.held),
  };
}
