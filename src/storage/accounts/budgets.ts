import type { Kysely } from "kysely";
import {
  budgetsIn,
  changedTerms,
  periodAccounts,
  withRaise,
  type BudgetChange,
  type BudgetsByPeriod,
  type Raise,
} from "#core/budget.ts";
import { PERIODS, type AccountId, type Budget, type OwnerId, type Period } from "#core/key.ts";
import { isSameValue } from "#lib/same-value.ts";
import type { GrantTransaction } from "./grants.ts";
import type { Tables } from "../tables.ts";
import { NO_BUDGETS, readTerms, writeTerms } from "../tables/budgets.ts";

/** Budgets of an owner created in the same transaction: no call can have drawn on them. */
export async function addBudgets(
  db: Kysely<Tables>,
  owner: OwnerId,
  change: BudgetChange,
): Promise<void> {
  const budgets = changed(NO_BUDGETS, change);
  if (Object.keys(budgets).length === 0) return;
  await db
    .insertInto("budgets")
    .values({ owner, terms: writeTerms(budgets) })
    .execute();
}

/**
 * Takes effect from the next call, also for the current period: the limit of
 * its account changes, the amount spent stays. `at`: Unix ms.
 */
export async function changeBudgets(
  { db, grant, raise }: GrantTransaction,
  owner: OwnerId,
  change: BudgetChange,
  note: string,
  at: number,
): Promise<void> {
  if (Object.keys(change).length === 0) return;
  const before = await lockBudgets(db, owner);
  const after = changed(before, change);
  await writeBudgets(db, owner, after);
  for (const period of PERIODS) {
    const [old, now] = [before, after].map((each) => currentAccount(owner, period, each, at));
    if (isSameValue(before[period] ?? null, after[period] ?? null)) continue;
    if (old !== undefined && old.id !== now?.id) await grant(old.id, null, note);
    if (now === undefined) continue;
    if (old?.id !== now.id || old.budget.amount !== now.budget.amount) {
      await grant(now.id, now.budget.amount, note);
    }
    await raise(now.id, now.budget.amount, now.budget.raises ?? [], note);
  }
}

/** Throws `invalid_request` if there is no such budget, or it has too many raises. */
export async function raiseBudget(
  { db, raise: raiseAccount }: GrantTransaction,
  owner: OwnerId,
  period: Period,
  raise: Raise,
  at: number,
): Promise<void> {
  const before = await lockBudgets(db, owner);
  const raised = withRaise(before[period], raise, at);
  const after = { ...before, [period]: raised };
  await writeBudgets(db, owner, after);
  const account = currentAccount(owner, period, after, at);
  if (account !== undefined) {
    await raiseAccount(account.id, raised.amount, raised.raises, raise.reason);
  }
}

/** False if the owner has no such raise. */
export async function endRaise(
  { db, raise }: GrantTransaction,
  owner: OwnerId,
  raiseId: string,
  at: number,
): Promise<boolean> {
  const before = await lockBudgets(db, owner);
  const period = PERIODS.find((each) => before[each]?.raises?.some(({ id }) => id === raiseId));
  const terms = period && before[period];
  if (period === undefined || terms === undefined) return false;
  const raises = (terms.raises ?? []).filter(({ id, until }) => id !== raiseId && until > at);
  const after = { ...before, [period]: { ...terms, raises } };
  await writeBudgets(db, owner, after);
  const account = currentAccount(owner, period, after, at);
  if (account !== undefined) await raise(account.id, terms.amount, raises, "raise ended");
  return true;
}

export function changed(before: BudgetsByPeriod, change: BudgetChange): BudgetsByPeriod {
  const entries = PERIODS.flatMap((period) => {
    const { [period]: given } = change;
    const terms = given === undefined ? before[period] : changedTerms(before[period], given);
    return terms === undefined ? [] : [[period, terms] as const];
  });
  return Object.fromEntries(entries);
}

function currentAccount(
  owner: OwnerId,
  period: Period,
  budgets: BudgetsByPeriod,
  at: number,
): { readonly id: AccountId; readonly budget: Budget } | undefined {
  const own = budgetsIn(owner, budgets).filter((each) => each.period === period);
  return periodAccounts(own, at)[0];
}

/** Locks the owner's budgets until the transaction ends. */
export async function lockBudgets(db: Kysely<Tables>, owner: OwnerId): Promise<BudgetsByPeriod> {
  await db
    .insertInto("budgets")
    .values({ owner, terms: writeTerms(NO_BUDGETS) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { terms } = await db
    .updateTable("budgets")
    .set(({ ref }) => ({ terms: ref("terms") }))
    .where("owner", "=", owner)
    .returning("terms")
    .executeTakeFirstOrThrow();
  return readTerms(terms);
}

async function writeBudgets(
  db: Kysely<Tables>,
  owner: OwnerId,
  budgets: BudgetsByPeriod,
): Promise<void> {
  await db
    .updateTable("budgets")
    .set({ terms: writeTerms(budgets) })
    .where("owner", "=", owner)
    .execute();
}

/** Budgets of many owners, in one query. */
export async function findBudgets(
  db: Kysely<Tables>,
  owners: readonly OwnerId[],
): Promise<ReadonlyMap<OwnerId, readonly Budget[]>> {
  if (owners.length === 0) return new Map();
  const rows = await db.selectFrom("budgets").selectAll().where("owner", "in", owners).execute();
  return new Map(rows.map(({ owner, terms }) => [owner, budgetsIn(owner, readTerms(terms))]));
}
