import type { Kysely } from "kysely";
import type { AccountId } from "#core/key.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import { ulid } from "#lib/ids.ts";
import type { Tables } from "./tables.ts";
import { toAccountColumns } from "./tables/accounts.ts";
import { grantChange } from "./tables/ledger.ts";

/** A new account with its first grant, if any: nobody can have touched it before. */
export async function openAccount(
  db: Kysely<Tables>,
  id: AccountId,
  granted: NanoUsd | null,
  note: string,
  at: number,
): Promise<void> {
  const nothing = nanoUsd(0);
  await db.insertInto("accounts").values({ id, granted, spent: nothing, held: nothing }).execute();
  if (granted === null) return;
  const { grantedDelta, boundDelta } = grantChange(null, granted);
  const columns = toAccountColumns([id]);
  await db
    .insertInto("ledger")
    .values({
      op_id: `grant:${ulid(at)}`,
      kind: "grant",
      user_account: columns.user,
      key_account: columns.key,
      more_accounts: columns.more,
      held_delta: nothing,
      spent_delta: nothing,
      granted_delta: nanoUsd(grantedDelta),
      bound_delta: boundDelta,
      note,
      at,
    })
    .execute();
}
