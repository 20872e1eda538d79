import { z } from "zod";
import type { BudgetChange } from "#core/budget.ts";
import type { Period } from "#core/key.ts";
import type { NanoUsd } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { showUsdOrNull, USD } from "./usd.ts";

/** What may be spent from 00:00 UTC to the next, and from the first of a month to the next. */
export const BUDGETS = { budget_day_usd: USD, budget_month_usd: USD };

interface BudgetFields {
  readonly budget_day_usd?: NanoUsd | null | undefined;
  readonly budget_month_usd?: NanoUsd | null | undefined;
}

export function readBudgets(body: BudgetFields): BudgetChange {
  return defined({ day: body.budget_day_usd, month: body.budget_month_usd });
}

export const SHOWN_BUDGETS = {
  budget_day_usd: z.number().nullable(),
  budget_month_usd: z.number().nullable(),
};

export function showBudgets({ day, month }: Readonly<Record<Period, NanoUsd | null>>): JsonObject {
  return { budget_day_usd: showUsdOrNull(day), budget_month_usd: showUsdOrNull(month) };
}
