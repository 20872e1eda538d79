import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import { PERIODS, type Period } from "#core/key.ts";
import type { Account } from "#core/ledger.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import type { BudgetStatus, QuotaOwner } from "#core/quota.ts";
import type { JsonObject } from "#lib/json.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { SHOWN_BUDGETS, showBudgets } from "../budget-fields.ts";
import { showUsd, showUsdOrNull } from "../usd.ts";
import { seconds } from "../seconds.ts";

const USE = {
  used_usd: z.number(),
  held_usd: z.number().describe("Reserved by running calls."),
  left_usd: z.number().nullable(),
};

export const QUOTA = {
  quota_usd: z.number().nullable(),
  ...USE,
  ...SHOWN_BUDGETS,
  budgets: z.array(
    z.object({
      period: z.enum(PERIODS),
      amount_usd: z.number().nullable(),
      ...USE,
      resets_at: z.int(),
    }),
  ),
};

/** What an owner may spend and has spent, in all and in the periods that are running. */
export async function showQuota(
  owner: QuotaOwner,
  { ledger, quotas }: Pick<AccountDeps, "ledger" | "quotas">,
): Promise<JsonObject> {
  const account = await ledger.findAccount(owner);
  if (account === undefined) throw new GatewayError("internal", `There is no account ${owner}.`);
  const statuses = await quotas.budgets(owner);
  return {
    quota_usd: showUsdOrNull(account.granted),
    ...showUse(account),
    ...showBudgets({ day: amountOf("day", statuses), month: amountOf("month", statuses) }),
    budgets: statuses.map(showStanding),
  };
}

function showStanding({ budget, account, resetsAt }: BudgetStatus): JsonObject {
  return {
    period: budget.period,
    amount_usd: showUsdOrNull(account.granted),
    ...showUse(account),
    resets_at: seconds(resetsAt),
  };
}

function showUse({ granted, spent, held }: Account): JsonObject {
  return {
    used_usd: showUsd(spent),
    held_usd: showUsd(held),
    left_usd: granted === null ? null : showUsd(nanoUsd(Math.max(0, granted - spent - held))),
  };
}

function amountOf(period: Period, statuses: readonly BudgetStatus[]): NanoUsd | null {
  return statuses.find(({ budget }) => budget.period === period)?.budget.amount ?? null;
}
