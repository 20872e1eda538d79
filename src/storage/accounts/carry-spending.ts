import type { Kysely } from "kysely";
import type { AccountId } from "#core/key.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import type { Tables } from "../tables.ts";
import { toAccountColumns } from "../tables/accounts.ts";
import { grantChange } from "../tables/ledger.ts";

interface Carried {
  readonly id: AccountId;
  readonly spent: NanoUsd;
  /** The limit of the account if it is not open yet. */
  readonly granted: NanoUsd | null;
  readonly note: string;
  /** Unix ms. */
  readonly at: number;
}

/**
 * Charges an account with the amount that its owner spent at another gateway. The account is opened if it does
 * not exist. No call can have used it before, so no engine has it in memory.
 */
export async function carrySpending(
  db: Kysely<Tables>,
  { id, spent, granted, note, at }: Carried,
): Promise<void> {
  const nothing = nanoUsd(0);
  const inserted = await db
    .insertInto("accounts")
    .values({ id, granted, spent: nothing, held: nothing })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  await db
    .updateTable("accounts")
    .set(({ eb }) => ({ spent: eb("spent", "+", spent) }))
    .where("id", "=", id)
    .execute();
  const { grantedDelta, boundDelta } = grantChange(null, inserted === undefined ? null : granted);
  const { user, key, more } = toAccountColumns([id]);
  await db
    .insertInto("ledger")
    .values({
      op_id: `carried:${id}`,
      kind: "grant",
      user_account: user,
      key_account: key,
      more_accounts: more,
      held_delta: nothing,
      spent_delta: spent,
      granted_delta: nanoUsd(grantedDelta),
      bound_delta: boundDelta,
      note,
      at,
    })
    .execute();
}
