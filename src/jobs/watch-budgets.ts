import type { BudgetWatch } from "#relay/metering/budget-watch.ts";
import type { Job } from "./scheduler.ts";

/** Tells observers how far quotas and budgets are used. Reads nothing while no call was made. */
export function watchBudgets(watch: Pick<BudgetWatch, "check">): Job {
  return { name: "watch-budgets", everyMs: 1_000, run: () => watch.check() };
}
