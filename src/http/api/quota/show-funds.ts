import { z } from "zod";
import type { AccountId } from "#core/key.ts";
import type { Spend } from "#core/spend.ts";
import { nanoUsd } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { showBudgets, showUse } from "../budget-fields.ts";
import { showUsd, showUsdOrNull } from "../usd.ts";
import { QUOTA } from "./show-quota.ts";

export const SPEND = {
  used_day_usd: z.number().describe("Cost of the calls since 00:00 UTC, with or without a budget."),
  used_month_usd: z.number().describe("The same since the first of the month."),
};

export function showSpend(spend: Spend | undefined): JsonObject {
  const { day = nanoUsd(0), month = nanoUsd(0) } = spend ?? {};
  return { used_day_usd: showUsd(day), used_month_usd: showUsd(month) };
}

/** Money of a user or a team beside its other fields. */
export const FUNDS = { ...QUOTA, ...SPEND };

export type FundDeps = Pick<AccountDeps, "clock" | "ledger" | "quotas" | "usage">;

/** Quotas, budgets and spending of a page of owners, in as many queries as for one. */
export async function showFunds(
  kind: "user" | "team",
  ids: readonly number[],
  { clock, ledger, quotas, usage }: FundDeps,
): Promise<(id: number) => JsonObject> {
  const now = clock.now();
  const owners = ids.map((id) => `${kind}:${id}` as const);
  const [accounts, budgets, spends] = await Promise.all([
    ledger.findAccounts(owners),
    quotas.budgetsOf(owners),
    usage.spend(kind, ids, now),
  ]);
  return (id) => {
    const owner: AccountId & `${typeof kind}:${number}` = `${kind}:${id}`;
    const nothing = nanoUsd(0);
    const empty = { id: owner, granted: null, spent: nothing, held: nothing };
    const account = accounts.get(owner) ?? empty;
    return {
      quota_usd: showUsdOrNull(account.granted),
      ...showUse(account, now),
      ...showBudgets(budgets.get(owner) ?? [], now),
      ...showSpend(spends.get(id)),
    };
  };
}
