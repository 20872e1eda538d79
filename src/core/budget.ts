import { scheduleOf, type BudgetSchedule } from "./budget-schedule.ts";
import { GatewayError, invalid } from "./error.ts";
import { PERIODS, type AccountId, type Budget, type OwnerId, type Period } from "./key.ts";
import type { NanoUsd } from "./money.ts";

/** A temporary raise of a budget. */
export interface Raise {
  readonly id: string;
  readonly amount: NanoUsd;
  /** Unix ms; from then on the raise does not count. */
  readonly until: number;
  readonly reason: string;
  /** Name of the user who granted it. */
  readonly by: string;
}

/** A budget without its owner and its period, as it is stored. */
export interface BudgetTerms {
  /** `null` if the budget only warns. */
  readonly amount: NanoUsd | null;
  /** From this amount on, answers and events warn. */
  readonly warn?: NanoUsd;
  /** Day on which a month begins, 1 to 28; 1 if absent. */
  readonly startDay?: number;
  /** IANA time zone; UTC if absent. */
  readonly timeZone?: string;
  readonly raises?: readonly Raise[];
}

export type BudgetsByPeriod = { readonly [P in Period]?: BudgetTerms };

/** Absent fields stay unchanged; `null` removes a bound, or sets the usual start or time zone. */
export interface BudgetTermsChange {
  readonly amount?: NanoUsd | null | undefined;
  readonly warn?: NanoUsd | null | undefined;
  readonly startDay?: number | null | undefined;
  readonly timeZone?: string | null | undefined;
}

/** Absent periods stay unchanged; `null` removes a budget; an amount changes only the amount. */
export type BudgetChange = { readonly [P in Period]?: NanoUsd | BudgetTermsChange | null };

/** The account of a budget's current period. */
export interface PeriodAccount {
  readonly id: AccountId;
  readonly budget: Budget;
}

/** Each period has its own account, so that no account needs a reset. `at`: Unix ms. */
export function periodAccounts(budgets: readonly Budget[], at: number): readonly PeriodAccount[] {
  return budgets.map((budget) => ({
    id: `${budget.owner}@${scheduleIn(budget).spanAt(at).name}`,
    budget,
  }));
}

/** A budget without terms of its own has calendar periods in UTC. */
export function scheduleIn(budget: Pick<Budget, "period" | "schedule">): BudgetSchedule {
  return budget.schedule ?? scheduleOf(budget.period);
}

/** Unix ms at which the calendar period of `at` in UTC began. */
export function periodStart(period: Period, at: number): number {
  return scheduleOf(period).spanAt(at).startsAt;
}

export function budgetsIn(owner: OwnerId, byPeriod: BudgetsByPeriod): Budget[] {
  return PERIODS.flatMap((period): Budget[] => {
    const terms = byPeriod[period];
    if (terms === undefined) return [];
    const { amount, warn, raises = [] } = terms;
    return [
      {
        owner,
        period,
        amount,
        ...(warn === undefined ? {} : { warn }),
        ...(isUsual(terms) ? {} : { schedule: scheduleOf(period, terms) }),
        ...(raises.length === 0 ? {} : { raises }),
      },
    ];
  });
}

/** The terms after a change; undefined if no bound is left. */
export function changedTerms(
  before: BudgetTerms | undefined,
  change: NanoUsd | BudgetTermsChange | null,
): BudgetTerms | undefined {
  if (change === null) return undefined;
  const given = typeof change === "number" ? { amount: change } : change;
  const {
    amount = before?.amount ?? null,
    warn = before?.warn,
    startDay = before?.startDay,
  } = given;
  const { timeZone = before?.timeZone } = given;
  if (amount === null && (warn ?? null) === null) return undefined;
  // Without a bound there is nothing to raise.
  const raises = amount === null ? undefined : before?.raises;
  return {
    amount,
    ...(warn === undefined || warn === null ? {} : { warn }),
    ...(startDay === undefined || startDay === null || startDay === 1 ? {} : { startDay }),
    ...(timeZone === undefined || timeZone === null || timeZone === "UTC" ? {} : { timeZone }),
    ...(raises === undefined ? {} : { raises }),
  };
}

/** Raises of one budget that have not ended. */
const MAX_RAISES = 10;

/** Throws `invalid_request` if there is nothing to raise, or there are too many raises. */
export function withRaise(
  terms: BudgetTerms | undefined,
  raise: Raise,
  now: number,
): BudgetTerms & { readonly raises: readonly Raise[] } {
  if (terms === undefined || terms.amount === null) {
    throw invalid("period", "There is no such budget to raise. Set its amount first.");
  }
  const raises = (terms.raises ?? []).filter(({ until }) => until > now);
  if (raises.length >= MAX_RAISES) {
    throw invalid("until", `A budget has at most ${MAX_RAISES} raises at once. End one first.`);
  }
  return { ...terms, raises: [...raises, raise] };
}

function isUsual({ startDay, timeZone }: BudgetTerms): boolean {
  return startDay === undefined && timeZone === undefined;
}

/**
 * The error that names the account without funds, if known, and the start of the next period of
 * its budget.
 */
export function outOfQuota(
  short: AccountId | undefined,
  budgets: readonly Budget[] = [],
  at = 0,
): GatewayError {
  const [owner = ""] = short?.split("@") ?? [];
  const whose = WHOSE[owner.split(":")[0] ?? ""] ?? "this key";
  const index = periodAccounts(budgets, at).findIndex(({ id }) => id === short);
  const budget = budgets[index];
  if (budget === undefined) {
    return new GatewayError(
      "out_of_quota",
      `Quota exceeded: the quota of ${whose} does not cover this call. Raise the quota or lower max_tokens.`,
      owner === "" ? {} : { limit: { of: owner, by: "total" } },
    );
  }
  const reset = new Date(scheduleIn(budget).spanAt(at).endsAt).toISOString();
  return new GatewayError(
    "out_of_quota",
    `Budget exceeded: the ${PERIOD_NAMES[budget.period]} budget of ${whose} does not cover this call. It resets on ${reset.slice(0, 10)} at ${reset.slice(11, 16)} UTC.`,
    { limit: { of: owner, by: budget.period } },
  );
}

export const PERIOD_NAMES = {
  hour: "hourly",
  day: "daily",
  week: "weekly",
  month: "monthly",
} as const satisfies Record<Period, string>;

const WHOSE: Readonly<Record<string, string>> = {
  key: "this key",
  user: "the owner of this key",
  team: "the team of this key",
  member: "the owner of this key in the team",
  gateway: "all callers together",
};
