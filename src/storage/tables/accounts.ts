import type { Selectable } from "kysely";
import { isAccountId, type AccountId } from "#core/key.ts";
import type { Account } from "#core/ledger.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import { readRaises } from "./budgets.ts";

export interface AccountsTable {
  id: AccountId;
  /** `null` means unlimited. */
  granted: NanoUsd | null;
  spent: NanoUsd;
  held: NanoUsd;
  /** JSON of raises of a period's limit. */
  raises: string | null;
}

/**
 * The accounts of a call, as stored in holds and ledger entries. Most calls
 * draw only on their user's and their key's account.
 */
export interface AccountColumns {
  readonly user: AccountId | null;
  readonly key: AccountId | null;
  /** All others, separated by spaces. */
  readonly more: string | null;
}

export function toAccountColumns(ids: readonly AccountId[]): AccountColumns {
  let columns = known.get(ids);
  if (columns === undefined) known.set(ids, (columns = columnsOf(ids)));
  return columns;
}

/** All calls of a key share one list, unless they draw on budgets. */
const known = new WeakMap<readonly AccountId[], AccountColumns>();

function columnsOf(ids: readonly AccountId[]): AccountColumns {
  let user: AccountId | null = null;
  let key: AccountId | null = null;
  let more: string | null = null;
  for (const id of ids) {
    const isPeriod = id.includes("@");
    if (!isPeriod && user === null && id.startsWith("user:")) user = id;
    else if (!isPeriod && key === null && id.startsWith("key:")) key = id;
    else more = more === null ? id : `${more} ${id}`;
  }
  return { user, key, more };
}

interface AccountsOfRow {
  readonly user_account: AccountId | null;
  readonly key_account: AccountId | null;
  readonly more_accounts: string | null;
}

export function accountColumnsOf(row: AccountsOfRow): AccountColumns {
  return { user: row.user_account, key: row.key_account, more: row.more_accounts };
}

export function idsOf({ user, key, more }: AccountColumns): AccountId[] {
  const ids = [user, key].filter((id) => id !== null);
  if (more !== null) ids.push(...more.split(" ").filter(isAccountId));
  return ids;
}

export function toAccount(row: Selectable<AccountsTable>): Account {
  return {
    id: row.id,
    granted: row.granted === null ? null : nanoUsd(row.granted),
    spent: nanoUsd(row.spent),
    held: nanoUsd(row.held),
    ...(row.raises === null ? {} : { raises: readRaises(row.raises) }),
  };
}
