import type { BudgetTermsChange } from "#core/budget.ts";
import { isTimeZone } from "#core/budget-schedule.ts";
import { PERIODS, type Period } from "#core/key.ts";
import { parser, usd, wholeNumber } from "../parsers.ts";
import { chosen, fields, isMap, notEmpty } from "./fields.ts";

const timeZone = parser({
  expects: "an IANA time zone such as Asia/Shanghai",
  shows: "always",
  parse: (given) => (isTimeZone(given) ? given : undefined),
  format: (given) => given,
});

const TERMS = fields({
  amount: usd.schema.describe("US dollars; without it, the budget only warns.").optional(),
  warn: usd.schema.describe("US dollars from which answers and alerts warn.").optional(),
  start_day: wholeNumber(1, 28).schema.describe("Day on which a month begins; 1.").optional(),
  time_zone: timeZone.schema.describe("Of days, weeks and months; UTC.").optional(),
})
  .refine(({ amount, warn }) => amount !== undefined || warn !== undefined, {
    error: "has no bound. Set amount or warn.",
  })
  .transform(
    ({ amount = null, warn = null, start_day: startDay = null, time_zone: zone = null }) =>
      ({ amount, warn, startDay, timeZone: zone }) satisfies BudgetTermsChange,
  );

const AMOUNT = usd.schema.transform(
  (amount) => ({ amount, warn: null, startDay: null, timeZone: null }) satisfies BudgetTermsChange,
);

const budget = chosen((given) => (isMap(given) ? TERMS : AMOUNT)).meta({
  anyOf: [{ type: "string" }, { type: "number" }, { type: "object" }],
});

const form = "an amount, or `{ amount, warn, start_day, time_zone }`";

/** The budgets of an object, each of a period. */
export const BUDGETS = fields({
  hour: budget.describe(`US dollars per hour, UTC: ${form}.`).optional(),
  day: budget.describe(`US dollars per day: ${form}.`).optional(),
  week: budget.describe(`US dollars per week, from Monday: ${form}.`).optional(),
  month: budget.describe(`US dollars per month: ${form}.`).optional(),
}).check(notEmpty(`has no budget. Set ${PERIODS.join(", ")}, or leave it out.`));

type Described = { readonly [P in Period]?: BudgetTermsChange | undefined };

/** All periods, so that a budget that is no longer described is removed. */
export function wholeChange(described: Described = {}) {
  return {
    month: described.month ?? null,
    week: described.week ?? null,
    day: described.day ?? null,
    hour: described.hour ?? null,
  };
}
