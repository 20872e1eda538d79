import type { Budget } from "#core/key.ts";

/**
 * Names budgets that reached their warning amount: `team/month, key/day`. It has no amounts, because
 * those of a user and a team are not for every holder of a key.
 */
export function budgetHeader(budgets: readonly Budget[]) {
  const named = budgets.map(({ owner, period }) => `${owner.split(":")[0]}/${period}`);
  return { "sluice-budget-warning": named.join(", ") } as const;
}
