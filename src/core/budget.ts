import { GatewayError } from "./error.ts";
import type { AccountId, Budget, OwnerId, Period } from "./key.ts";
import type { NanoUsd } from "./money.ts";

/** Amounts per period. Absent fields stay unchanged; `null` removes a budget. */
export type BudgetChange = { readonly [P in Period]?: NanoUsd | null };

/** The account of a budget's current period. */
export interface PeriodAccount {
  readonly id: AccountId;
  readonly budget: Budget;
}

/** Each period has its own account, so that no account needs a reset. `at`: Unix ms. */
export function periodAccounts(budgets: readonly Budget[], at: number): readonly PeriodAccount[] {
  return budgets.map((budget) => ({
    id: periodAccountId(budget.owner, budget.period, at),
    budget,
  }));
}

export function periodAccountId(owner: OwnerId, period: Period, at: number): AccountId {
  return `${owner}@${new Date(at).toISOString().slice(0, DATE_CHARS[period])}`;
}

/** Unix ms at which the period of `at` began. */
export function periodStart(period: Period, at: number): number {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return Date.UTC(year, month, period === "day" ? date.getUTCDate() : 1);
}

/** Unix ms at which the period after the one of `at` begins. */
export function periodEnd(period: Period, at: number): number {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return period === "day"
    ? Date.UTC(year, month, date.getUTCDate() + 1)
    : Date.UTC(year, month + 1);
}

/**
 * The error that names the account without funds, if known, and the start of
 * the next budget period.
 */
export function outOfQuota(short: AccountId | undefined): GatewayError {
  const [owner = "", date] = short?.split("@") ?? [];
  const whose = WHOSE[owner.split(":")[0] ?? ""] ?? "this key";
  if (date === undefined) {
    return new GatewayError(
      "out_of_quota",
      `Quota exceeded: the quota of ${whose} does not cover this call. Raise the quota or lower max_tokens.`,
    );
  }
  const period = date.length === DATE_CHARS.day ? "day" : "month";
  const reset = new Date(periodEnd(period, Date.parse(date)))
    .toISOString()
    .slice(0, DATE_CHARS.day);
  return new GatewayError(
    "out_of_quota",
    `Budget exceeded: the ${NAMES[period]} budget of ${whose} does not cover this call. It resets on ${reset} at 00:00 UTC.`,
  );
}

/** Length of the ISO 8601 prefix that names a period. */
const DATE_CHARS = { day: 10, month: 7 } as const satisfies Record<Period, number>;

const NAMES = { day: "daily", month: "monthly" } as const satisfies Record<Period, string>;

const WHOSE: Readonly<Record<string, string>> = {
  key: "this key",
  user: "the owner of this key",
  team: "the team of this key",
};
