import type { Kysely } from "kysely";
import { periodAccounts, scheduleIn } from "#core/budget.ts";
import type { OwnerId } from "#core/key.ts";
import { unopenedAccount, type Ledger } from "#core/ledger.ts";
import type { BudgetStatus } from "#core/quota.ts";
import type { Clock } from "#lib/clock.ts";
import type { Tables } from "../tables.ts";
import { findBudgets } from "./budgets.ts";

export interface BudgetStatusDeps {
  readonly db: Kysely<Tables>;
  readonly ledger: Pick<Ledger, "findAccounts">;
  readonly clock: Clock;
}

/** The budgets of owners with their current accounts, in two queries. */
export async function readBudgetStatuses(
  { db, ledger, clock }: BudgetStatusDeps,
  owners: readonly OwnerId[],
): Promise<ReadonlyMap<OwnerId, readonly BudgetStatus[]>> {
  const at = clock.now();
  const found = await findBudgets(db, owners);
  const periods = periodAccounts([...found.values()].flat(), at);
  const accounts = await ledger.findAccounts(periods.map(({ id }) => id));
  const statuses = periods.map(({ id, budget }): BudgetStatus => {
    const { startsAt, endsAt } = scheduleIn(budget).spanAt(at);
    const account = accounts.get(id) ?? unopenedAccount(id, budget);
    return { budget, account, startsAt, resetsAt: endsAt };
  });
  return Map.groupBy(statuses, ({ budget }) => budget.owner);
}
