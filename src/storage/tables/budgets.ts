import { z } from "zod";
import type { BudgetsByPeriod, BudgetTerms, Raise } from "#core/budget.ts";
import type { OwnerId } from "#core/key.ts";
import { nanoUsd } from "#core/money.ts";
import { defined } from "#lib/values.ts";

/** All budgets of an owner, so that a look-up of a key joins one row for each owner. */
export interface BudgetsTable {
  owner: OwnerId;
  /** JSON of `BudgetsByPeriod`. */
  terms: string;
}

const amount = z.int().transform(nanoUsd);

const RAISES = z.array(
  z.object({ id: z.string(), amount, until: z.int(), reason: z.string(), by: z.string() }),
);

const terms = z
  .object({
    amount: amount.nullable(),
    warn: amount.optional(),
    startDay: z.int().optional(),
    timeZone: z.string().optional(),
    raises: RAISES.optional(),
  })
  .transform(({ amount: bound, ...rest }): BudgetTerms => ({ amount: bound, ...defined(rest) }));

const TERMS = z
  .object({
    month: terms.optional(),
    week: terms.optional(),
    day: terms.optional(),
    hour: terms.optional(),
  })
  .transform((given) => defined(given));

export const NO_BUDGETS: BudgetsByPeriod = {};

export function readTerms(json: string | null | undefined): BudgetsByPeriod {
  if (json === null || json === undefined || json === "{}") return NO_BUDGETS;
  return TERMS.parse(JSON.parse(json));
}

export function writeTerms(byPeriod: BudgetsByPeriod): string {
  return JSON.stringify(byPeriod);
}

/** The raises in an account's column. */
export function readRaises(json: string | null): readonly Raise[] | undefined {
  return json === null ? undefined : RAISES.parse(JSON.parse(json));
}

export function writeRaises(raises: readonly Raise[] | undefined): string | null {
  return raises === undefined || raises.length === 0 ? null : JSON.stringify(raises);
}
