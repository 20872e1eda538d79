import type { ImportedBudget } from "#core/import.ts";
import type { Period } from "#core/key.ts";
import type { NanoUsd } from "#core/money.ts";
import { objectOf, numberOf, textOf } from "#lib/values.ts";
import { fromDollars } from "../amounts.ts";
import { timeOf, type Row } from "../row.ts";

const HOUR = 1;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const MONTH = 30 * DAY;
const LONGEST_MONTH = 31 * DAY;
const HOURS: Readonly<Record<string, number>> = {
  s: 1 / 3_600,
  m: 1 / 60,
  h: HOUR,
  d: DAY,
  w: WEEK,
  mo: MONTH,
};
const PERIODS: readonly (readonly [Period, number])[] = [
  ["hour", HOUR],
  ["day", DAY],
  ["week", WEEK],
  ["month", LONGEST_MONTH],
];

/** A budget of LiteLLM: of an owner, or of a row of its table of budgets. */
export interface Budget {
  readonly amount?: number | undefined;
  readonly soft?: number | undefined;
  readonly duration?: string | undefined;
  /** Unix ms of the next start. */
  readonly resetAt?: number | undefined;
}

interface Spending {
  /** Since the last start of the budget. */
  readonly spent: number;
  /** Unix ms. */
  readonly now: number;
}

interface Funds {
  readonly quota?: NanoUsd;
  readonly spent?: NanoUsd;
  readonly budgets: readonly ImportedBudget[];
}

export function budgetOf(row: Row): Budget {
  return {
    amount: row.number("max_budget"),
    soft: row.number("soft_budget"),
    duration: row.text("budget_duration"),
    resetAt: row.time("budget_reset_at"),
  };
}

/** The owner's own values come before those of the row that it refers to. */
export function joined(own: Budget, referred: Budget | undefined): Budget {
  if (referred === undefined) return own;
  const isOwn = own.amount !== undefined;
  return {
    amount: own.amount ?? referred.amount,
    soft: own.soft ?? referred.soft,
    duration: isOwn ? own.duration : (own.duration ?? referred.duration),
    resetAt: own.resetAt ?? referred.resetAt,
  };
}

/** Several budgets at once: `budget_limits`. */
export function severalBudgets(row: Row): readonly Budget[] {
  const list = row.json("budget_limits");
  return (Array.isArray(list) ? list : []).map((each) => {
    const given = objectOf(each);
    return {
      amount: numberOf(given?.["max_budget"]),
      duration: textOf(given?.["budget_duration"]),
      resetAt: timeOf(textOf(given?.["reset_at"]) ?? ""),
    };
  });
}

/**
 * A budget without a duration is a total. One with a duration is a budget of the shortest period
 * here that is as long, so that no less is refused than there.
 */
export function fundsOf(
  budgets: readonly Budget[],
  { spent, now }: Spending,
  changes: string[],
): Funds {
  let quota: NanoUsd | undefined;
  const periods = new Map<Period, ImportedBudget>();
  for (const each of budgets) {
    const { amount, soft, duration, resetAt } = each;
    if (amount === undefined && soft === undefined) continue;
    if (duration === undefined) {
      quota = amount === undefined ? quota : fromDollars(Math.max(amount, 0));
      if (soft !== undefined) {
        changes.push(`The warning at $${soft} is left out: a total amount has none here.`);
      }
      continue;
    }
    const found = periodOf(duration);
    if (found === undefined) {
      changes.push(`Its budget for ${duration} is left out: it is no span of time.`);
      continue;
    }
    const { period, share } = found;
    if (!found.isExact) changes.push(inexact(each, found));
    const isOver = resetAt !== undefined && resetAt <= now;
    const budget = {
      period,
      amount: amount === undefined ? undefined : fromDollars(Math.max(amount, 0) * share),
      warn: soft === undefined ? undefined : fromDollars(soft * share),
      spent: isOver ? undefined : fromDollars(spent),
    };
    const other = periods.get(period);
    const isLess = other?.amount === undefined || (budget.amount ?? Infinity) < other.amount;
    if (isLess) periods.set(period, budget);
  }
  const total = fromDollars(spent);
  return {
    ...(quota === undefined ? {} : { quota }),
    ...(total === undefined || total === 0 ? {} : { spent: total }),
    budgets: [...periods.values()],
  };
}

interface FoundPeriod {
  readonly period: Period;
  /** The part of the amount that a period gets. */
  readonly share: number;
  readonly isExact: boolean;
}

function periodOf(duration: string): FoundPeriod | undefined {
  const [, count, unit = ""] = /^(\d+)(s|m|h|d|w|mo)$/.exec(duration.trim()) ?? [];
  const each = HOURS[unit];
  if (count === undefined || each === undefined) return undefined;
  const hours = Number(count) * each;
  const found = PERIODS.find(([, length]) => hours <= length);
  if (found === undefined) {
    return { period: "month", share: MONTH / hours, isExact: false };
  }
  const [period, length] = found;
  const isMonth = period === "month" && hours >= 28 * DAY;
  return { period, share: 1, isExact: hours === length || isMonth };
}

function inexact({ amount, duration }: Budget, { period, share }: FoundPeriod): string {
  const each = share === 1 ? `$${amount}` : `$${((amount ?? 0) * share).toFixed(2)}`;
  return `Its budget of $${amount} for ${duration} becomes ${each} for each ${period}, so that it is never more than there.`;
}
