import type { Words } from "./command.ts";

/** Budgets of something that a command creates or changes. */
export const BUDGET_OPTIONS = {
  "budget-hour": "<usd>",
  "budget-day": "<usd>",
  "budget-week": "<usd>",
  "budget-month": "<usd>",
};

export function readBudgetOptions(words: Words) {
  return {
    budget_hour_usd: words.text("budget-hour"),
    budget_day_usd: words.text("budget-day"),
    budget_week_usd: words.text("budget-week"),
    budget_month_usd: words.text("budget-month"),
  };
}
