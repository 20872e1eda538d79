import { z } from "zod";
import {
  scheduleIn,
  type BudgetChange,
  type BudgetsByPeriod,
  type BudgetTermsChange,
} from "#core/budget.ts";
import { isTimeZone } from "#core/budget-schedule.ts";
import { GatewayError, invalid } from "#core/error.ts";
import { PERIODS, type Budget, type Period } from "#core/key.ts";
import { limitOf, type Account } from "#core/ledger.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import type { BudgetStatus } from "#core/quota.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { shownOnly } from "./fields.ts";
import { seconds } from "./seconds.ts";
import { showUsd, showUsdOrNull, USD } from "./usd.ts";

const START_DAY = z
  .int()
  .min(1)
  .max(28)
  .describe("Day on which a month of the budget begins; 1 by default.")
  .nullish();

const TIME_ZONE = z
  .string()
  .min(1)
  .max(64)
  .refine(isTimeZone, { error: "must be an IANA time zone, such as Asia/Shanghai" })
  .describe("IANA time zone in which days, weeks and months begin; UTC by default.")
  .nullish();

const BUDGET = z.strictObject({
  period: z.enum(PERIODS),
  amount_usd: USD.describe("US dollars that calls may cost in a period; null only warns."),
  warn_usd: USD.describe("From this amount on, answers and alerts warn; null for no warning."),
  start_day: START_DAY,
  time_zone: TIME_ZONE,
  ...shownOnly([
    "limit_usd",
    "used_usd",
    "held_usd",
    "left_usd",
    "is_warning",
    "starts_at",
    "resets_at",
    "raises",
  ]),
});

/** Amounts that may be spent in an hour, a day, a week from Monday and a month. */
export const BUDGETS = {
  budget_hour_usd: USD,
  budget_day_usd: USD,
  budget_week_usd: USD,
  budget_month_usd: USD,
  budgets: z
    .array(BUDGET)
    .max(PERIODS.length)
    .describe(
      "Budgets with their terms, at most one for each period. Those that it does not name stay; " +
        "one without an amount and a warning is removed.",
    )
    .nullish(),
};

type BudgetFields = { readonly [P in Period as `budget_${P}_usd`]?: NanoUsd | null | undefined } & {
  readonly budgets?: readonly z.output<typeof BUDGET>[] | null | undefined;
};

/** Absent fields stay unchanged. A budget without any bound is removed. */
export function readBudgets(body: BudgetFields): BudgetChange {
  const listed = body.budgets ?? [];
  const entries = PERIODS.flatMap((period): [Period, BudgetTermsChange][] => {
    const name = `budget_${period}_usd` as const;
    const { [name]: amount } = body;
    const found = listed.filter((each) => each.period === period);
    if (found.length > 1) {
      throw invalid(
        "budgets",
        `'budgets' names '${period}' twice. Give one budget for each period.`,
      );
    }
    const [given] = found;
    if (given === undefined) {
      if (amount === undefined) return [];
      // Without its amount, the budget is removed, and so is its warning.
      return [[period, amount === null ? { amount, warn: null } : { amount }]];
    }
    if (amount !== undefined && given.amount_usd !== undefined && amount !== given.amount_usd) {
      throw invalid(name, `'${name}' and 'budgets' differ. Give one of them.`);
    }
    return [[period, { ...termsOf(given), ...defined({ amount }) }]];
  });
  return Object.fromEntries(entries);
}

function termsOf(given: z.output<typeof BUDGET>): BudgetTermsChange {
  const { amount_usd: amount, warn_usd: warn, start_day: startDay, time_zone: timeZone } = given;
  return defined({ amount, warn, startDay, timeZone });
}

export const USE = {
  used_usd: z.number(),
  held_usd: z.number().describe("Reserved by running calls."),
  left_usd: z.number().nullable(),
};

const SHOWN_RAISE = z.object({
  id: z.string(),
  add_usd: z.number(),
  until: z.int().describe("Unix seconds; the raise ends by itself."),
  reason: z.string(),
  by: z.string(),
});

const TERMS_SHOWN = {
  period: z.enum(PERIODS),
  amount_usd: z.number().nullable(),
  warn_usd: z.number().nullable(),
  start_day: z.int(),
  time_zone: z.string(),
};

export const SHOWN_BUDGETS = {
  budget_hour_usd: z.number().nullable(),
  budget_day_usd: z.number().nullable(),
  budget_week_usd: z.number().nullable(),
  budget_month_usd: z.number().nullable(),
  budgets: z.array(
    z.object({
      ...TERMS_SHOWN,
      limit_usd: z.number().nullable().describe("The amount with its raises."),
      ...USE,
      is_warning: z.boolean().describe("The warning amount is reached."),
      starts_at: z.int(),
      resets_at: z.int(),
      raises: z.array(SHOWN_RAISE),
    }),
  ),
};

/** Budgets that no call has drawn on yet. */
export const BUDGETS_GIVEN = z.array(z.object(TERMS_SHOWN));

export function showBudgetsGiven(budgets: BudgetsByPeriod = {}): JsonObject[] {
  return PERIODS.flatMap((period) => {
    const terms = budgets[period];
    if (terms === undefined) return [];
    return {
      period,
      amount_usd: showUsdOrNull(terms.amount),
      warn_usd: showUsdOrNull(terms.warn ?? null),
      start_day: terms.startDay ?? 1,
      time_zone: terms.timeZone ?? "UTC",
    };
  });
}

/** `now`: Unix ms. */
export function showBudgets(statuses: readonly BudgetStatus[], now: number): JsonObject {
  const amounts = PERIODS.map((period) => {
    const { budget } = statuses.find((each) => each.budget.period === period) ?? {};
    return [`budget_${period}_usd`, showUsdOrNull(budget?.amount ?? null)] as const;
  });
  return {
    ...Object.fromEntries(amounts.toReversed()),
    budgets: statuses.map((status) => showStatus(status, now)),
  };
}

function showStatus(status: BudgetStatus, now: number): JsonObject {
  const { budget, account, startsAt, resetsAt } = status;
  const { startDay, timeZone } = scheduleIn(budget);
  return {
    period: budget.period,
    amount_usd: showUsdOrNull(budget.amount),
    warn_usd: showUsdOrNull(budget.warn ?? null),
    start_day: startDay,
    time_zone: timeZone,
    limit_usd: showUsdOrNull(limitOf(account, now)),
    ...showUse(account, now),
    is_warning: budget.warn !== undefined && account.spent >= budget.warn,
    starts_at: seconds(startsAt),
    resets_at: seconds(resetsAt),
    raises: showRaises(budget, now),
  };
}

function showRaises({ raises = [] }: Budget, now: number): JsonObject[] {
  return raises
    .filter(({ until }) => until > now)
    .map(({ id, amount, until, reason, by }) => {
      return { id, add_usd: showUsd(amount), until: seconds(until), reason, by };
    });
}

export function showUse(account: Account, now: number): JsonObject {
  const { spent, held } = account;
  const limit = limitOf(account, now);
  return {
    used_usd: showUsd(spent),
    held_usd: showUsd(held),
    left_usd: limit === null ? null : showUsd(nanoUsd(Math.max(0, limit - spent - held))),
  };
}

export function noSuchRaise(): GatewayError {
  return new GatewayError("not_found", "The raise does not exist, or it has ended.");
}
