import { budgetsIn, changedTerms, scheduleIn } from "#core/budget.ts";
import { PERIODS, type Budget, type OwnerId } from "#core/key.ts";
import { writeUsd } from "#core/money.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { wholeChange } from "../documents/budgets.ts";
import { numeral } from "./section.ts";

/** As the store would read them. */
export function asStored(
  owner: OwnerId,
  change: ReturnType<typeof wholeChange>,
): readonly Budget[] {
  const terms = PERIODS.flatMap((period) => {
    const after = changedTerms(undefined, change[period]);
    return after === undefined ? [] : [[period, after] as const];
  });
  return budgetsIn(owner, Object.fromEntries(terms));
}

/** By period. */
export function budgetFields(budgets: readonly Budget[]): JsonObject {
  return Object.fromEntries(budgets.map((budget) => [budget.period, termsOf(budget)] as const));
}

/** An amount without terms of its own stands alone. */
function termsOf(budget: Budget): Json {
  const { amount, warn, schedule } = budget;
  const said = amount === null ? undefined : numeral(writeUsd(amount));
  if (said !== undefined && warn === undefined && schedule === undefined) return said;
  const { startDay, timeZone } = scheduleIn(budget);
  return defined({
    amount: said,
    warn: warn === undefined ? undefined : numeral(writeUsd(warn)),
    start_day: startDay === 1 ? undefined : startDay,
    time_zone: timeZone === "UTC" ? undefined : timeZone,
  });
}
