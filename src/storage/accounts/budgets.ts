import type { Kysely } from "kysely";
import { periodAccountId, type BudgetChange } from "#core/budget.ts";
import { PERIODS, type OwnerId } from "#core/key.ts";
import type { GrantTransaction } from "./grants.ts";
import type { Tables } from "../tables.ts";

/** Budgets of an owner created in the same transaction: no call can have drawn on them. */
export async function addBudgets(
  db: Kysely<Tables>,
  owner: OwnerId,
  { day = null, month = null }: BudgetChange,
): Promise<void> {
  if (day === null && month === null) return;
  await db.insertInto("budgets").values({ owner, day, month }).execute();
}

/**
 * Takes effect from the next call, also for the current period: the limit of
 * its account changes, the amount spent stays. `at`: Unix ms.
 */
export async function changeBudgets(
  { db, grant }: GrantTransaction,
  owner: OwnerId,
  change: BudgetChange,
  note: string,
  at: number,
): Promise<void> {
  if (Object.keys(change).length === 0) return;
  const before = await lockBudgets(db, owner);
  await db.updateTable("budgets").set(change).where("owner", "=", owner).execute();
  for (const period of PERIODS) {
    const amount = change[period];
    if (amount === undefined || amount === before[period]) continue;
    await grant(periodAccountId(owner, period, at), amount, note);
  }
}

/** Locks the owner's budgets until the transaction ends. */
async function lockBudgets(db: Kysely<Tables>, owner: OwnerId): Promise<Tables["budgets"]> {
  await db
    .insertInto("budgets")
    .values({ owner, day: null, month: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return await db
    .updateTable("budgets")
    .set(({ ref }) => ({ day: ref("day") }))
    .where("owner", "=", owner)
    .returningAll()
    .executeTakeFirstOrThrow();
}
