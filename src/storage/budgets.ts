import type { Kysely } from "kysely";
import { periodAccountId, type BudgetChange } from "#core/budget.ts";
import { PERIODS, type OwnerId } from "#core/key.ts";
import type { GrantTransaction } from "./grants.ts";
import type { Tables } from "./tables.ts";

/**
 * Holds from the next call on, and for the period that is running: the bound
 * of its account moves, what was spent stays. `at`: Unix ms.
 */
export async function changeBudgets(
  { db, grant }: GrantTransaction,
  owner: OwnerId,
  change: BudgetChange,
  note: string,
  at: number,
): Promise<void> {
  if (!(await writeBudgets(db, owner, change))) return;
  for (const period of PERIODS) {
    const amount = change[period];
    if (amount === undefined) continue;
    const id = periodAccountId(owner, period, at);
    // Where no account was opened there is no bound to take away.
    if (amount !== null || (await hasAccount(db, id))) await grant(id, amount, note);
  }
}

/** Of an owner that is new, so that there is no account yet. False where nothing is to change. */
export async function writeBudgets(
  db: Kysely<Tables>,
  owner: OwnerId,
  change: BudgetChange,
): Promise<boolean> {
  const { day = null, month = null } = change;
  if (Object.keys(change).length === 0) return false;
  await db
    .insertInto("budgets")
    .values({ owner, day, month })
    .onConflict((conflict) => conflict.column("owner").doUpdateSet(change))
    .execute();
  return true;
}

async function hasAccount(db: Kysely<Tables>, id: Tables["accounts"]["id"]): Promise<boolean> {
  const found = await db
    .selectFrom("accounts")
    .select("id")
    .where("id", "=", id)
    .executeTakeFirst();
  return found !== undefined;
}
