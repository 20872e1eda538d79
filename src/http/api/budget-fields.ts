import type { BudgetChange } from "#core/budget.ts";
import type { Period } from "#core/key.ts";
import type { NanoUsd } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { readUsd, showUsdOrNull, USD } from "./usd.ts";

/** What may be spent from 00:00 UTC to the next, and from the first of a month to the next. */
export const BUDGETS = { budget_day_usd: USD, budget_month_usd: USD };

export function readBudgets(body: JsonObject): BudgetChange {
  return defined({
    day: readUsd(body["budget_day_usd"], "budget_day_usd"),
    month: readUsd(body["budget_month_usd"], "budget_month_usd"),
  });
}

export function showBudgets({ day, month }: Readonly<Record<Period, NanoUsd | null>>): JsonObject {
  return { budget_day_usd: showUsdOrNull(day), budget_month_usd: showUsdOrNull(month) };
}
