import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import {
  budgetsIn,
  changedTerms,
  outOfQuota,
  periodAccounts,
  withRaise,
  type Raise,
} from "./budget.ts";
import { BudgetSchedule, isTimeZone, scheduleOf } from "./budget-schedule.ts";
import { isAccountId, PERIODS, type Budget } from "./key.ts";
import { availableIn, limitOf } from "./ledger.ts";
import { nanoUsd } from "./money.ts";

const DAY_MS = 86_400_000;

describe("a period", () => {
  test.each([
    ["2026-11-20T16:02:15Z", "2026-11-20", "2026-11-21", "2026-11", "2026-12-01"],
    ["2026-11-30T23:59:59.999Z", "2026-11-30", "2026-12-01", "2026-11", "2026-12-01"],
    ["2026-12-31T23:59:59.999Z", "2026-12-31", "2027-01-01", "2026-12", "2027-01-01"],
    ["2027-01-01T00:00:00Z", "2027-01-01", "2027-01-02", "2027-01", "2027-02-01"],
    ["2027-02-28T12:00:00Z", "2027-02-28", "2027-03-01", "2027-02", "2027-03-01"],
    ["2028-02-28T12:00:00Z", "2028-02-28", "2028-02-29", "2028-02", "2028-03-01"],
    ["2028-02-29T00:00:00Z", "2028-02-29", "2028-03-01", "2028-02", "2028-03-01"],
    ["2100-02-28T23:00:00Z", "2100-02-28", "2100-03-01", "2100-02", "2100-03-01"],
    ["2026-10-25T01:30:00Z", "2026-10-25", "2026-10-26", "2026-10", "2026-11-01"],
  ])("at %s is the day %s until %s, and the month %s until %s", (...given) => {
    const [instant, day, nextDay, month, nextMonth] = given;
    const at = Date.parse(instant);

    expect(scheduleOf("day").spanAt(at)).toEqual({
      name: day,
      startsAt: Date.parse(day),
      endsAt: Date.parse(nextDay),
    });
    expect(scheduleOf("month").spanAt(at)).toEqual({
      name: month,
      startsAt: Date.parse(`${month}-01`),
      endsAt: Date.parse(nextMonth),
    });
  });

  test.each([
    ["hour", {}, "2026-11-20T16:02:15Z", "2026-11-20t16", "2026-11-20T16:00Z", "2026-11-20T17:00Z"],
    ["week", {}, "2026-11-22T23:59:59Z", "2026-w47", "2026-11-16", "2026-11-23"],
    ["week", {}, "2027-01-01T00:00:00Z", "2026-w53", "2026-12-28", "2027-01-04"],
    ["week", {}, "2024-12-30T00:00:00Z", "2025-w01", "2024-12-30", "2025-01-06"],
    ["month", { startDay: 15 }, "2026-11-14T23:59:59Z", "2026-10s15", "2026-10-15", "2026-11-15"],
    ["month", { startDay: 15 }, "2026-12-15T00:00:00Z", "2026-12s15", "2026-12-15", "2027-01-15"],
    ["month", { startDay: 28 }, "2027-01-01T00:00:00Z", "2026-12s28", "2026-12-28", "2027-01-28"],
    [
      "day",
      { timeZone: "Asia/Shanghai" },
      "2026-11-20T16:00:00Z",
      "2026-11-21",
      "2026-11-20T16:00Z",
      "2026-11-21T16:00Z",
    ],
    [
      "day",
      { timeZone: "Asia/Kolkata" },
      "2026-11-20T18:29:59Z",
      "2026-11-20",
      "2026-11-19T18:30Z",
      "2026-11-20T18:30Z",
    ],
    // A day of 23 and one of 25 hours.
    [
      "day",
      { timeZone: "Europe/Berlin" },
      "2026-03-29T12:00:00Z",
      "2026-03-29",
      "2026-03-28T23:00Z",
      "2026-03-29T22:00Z",
    ],
    [
      "day",
      { timeZone: "Europe/Berlin" },
      "2026-10-25T12:00:00Z",
      "2026-10-25",
      "2026-10-24T22:00Z",
      "2026-10-25T23:00Z",
    ],
    // Midnight is skipped there.
    [
      "day",
      { timeZone: "Africa/Cairo" },
      "2026-04-24T12:00:00Z",
      "2026-04-24",
      "2026-04-23T22:00Z",
      "2026-04-24T21:00Z",
    ],
    [
      "month",
      { timeZone: "America/New_York", startDay: 3 },
      "2026-11-03T05:00:00Z",
      "2026-11s03",
      "2026-11-03T05:00Z",
      "2026-12-03T05:00Z",
    ],
  ] as const)("of a %s with %j at %s is %s", (period, terms, at, name, startsAt, endsAt) => {
    expect(new BudgetSchedule(period, terms).spanAt(Date.parse(at))).toEqual({
      name,
      startsAt: Date.parse(startsAt),
      endsAt: Date.parse(endsAt),
    });
  });

  test("ends at the start of the next one, which has another account, in every time zone", () => {
    const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
    const zone = fc.constantFrom(
      "UTC",
      "Asia/Shanghai",
      "America/Sao_Paulo",
      "Africa/Cairo",
      "Australia/Lord_Howe",
      "Pacific/Apia",
      "America/New_York",
    );
    const startDay = fc.integer({ min: 1, max: 28 });
    fc.assert(
      fc.property(instant, fc.constantFrom(...PERIODS), zone, startDay, (at, period, ...rest) => {
        const [timeZone, start] = rest;
        const terms = { timeZone, startDay: start };
        const { name, startsAt, endsAt } = new BudgetSchedule(period, terms).spanAt(at);

        expect(at).toBeGreaterThanOrEqual(startsAt);
        expect(at).toBeLessThan(endsAt);
        expect(endsAt - startsAt).toBeLessThanOrEqual(LONGEST_MS[period]);
        const other = new BudgetSchedule(period, terms);
        expect(other.spanAt(endsAt - 1)).toEqual({ name, startsAt, endsAt });
        expect(other.spanAt(endsAt).startsAt).toBe(endsAt);
        expect(other.spanAt(endsAt).name).not.toBe(name);
        expect(isAccountId(`team:3@${name}`)).toBe(true);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  test("of the same terms is one object, and a time zone is checked", () => {
    expect(scheduleOf("day", { timeZone: "Asia/Tokyo" })).toBe(
      scheduleOf("day", { timeZone: "Asia/Tokyo" }),
    );
    expect(["Asia/Tokyo", "UTC", "Mars/Olympus", "", "+08:00", "a b"].map(isTimeZone)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

const LONGEST_MS = {
  hour: DAY_MS / 24,
  day: 25 * (DAY_MS / 24),
  week: 7 * DAY_MS + DAY_MS / 24,
  month: 31 * DAY_MS + DAY_MS / 24,
};

test("each budget has its own account", () => {
  const day = { owner: "key:1", period: "day", amount: nanoUsd(5) } as const;
  const month = { owner: "team:2", period: "month", amount: nanoUsd(9) } as const;

  expect(periodAccounts([day, month], Date.parse("2026-11-20"))).toEqual([
    { id: "key:1@2026-11-20", budget: day },
    { id: "team:2@2026-11", budget: month },
  ]);
});

describe("the terms of a budget", () => {
  const five = nanoUsd(5);

  test("change only where the change names them", () => {
    const before = { amount: five, warn: nanoUsd(4), startDay: 3, timeZone: "Asia/Tokyo" };

    expect(changedTerms(before, nanoUsd(7))).toEqual({ ...before, amount: nanoUsd(7) });
    expect(changedTerms(before, { warn: null })).toEqual({
      amount: five,
      startDay: 3,
      timeZone: "Asia/Tokyo",
    });
    expect(changedTerms(before, { startDay: null, timeZone: "UTC" })).toEqual({
      amount: five,
      warn: nanoUsd(4),
    });
  });

  test("end with the last bound, and a budget that only warns has no raises", () => {
    const raised = { amount: five, raises: [raise(1, 100)] };

    expect(changedTerms(raised, null)).toBeUndefined();
    expect(changedTerms(raised, { amount: null })).toBeUndefined();
    expect(changedTerms(raised, { amount: null, warn: five })).toEqual({
      amount: null,
      warn: five,
    });
    expect(changedTerms(raised, nanoUsd(6))).toEqual({ ...raised, amount: nanoUsd(6) });
  });

  test("become budgets in the order of periods, with a schedule if it is not the calendar's", () => {
    const month = { amount: five, startDay: 15 };

    expect(budgetsIn("key:1", { hour: { amount: five }, month })).toEqual([
      { owner: "key:1", period: "month", amount: five, schedule: scheduleOf("month", month) },
      { owner: "key:1", period: "hour", amount: five },
    ]);
  });
});

describe("a raise", () => {
  const account = {
    id: "key:1@2026-11",
    granted: nanoUsd(10),
    spent: nanoUsd(12),
    held: nanoUsd(1),
    raises: [raise(5, 100), raise(2, 50)],
  } as const;

  test("counts until its end, and not from then on", () => {
    expect([0, 49, 50, 99, 100].map((at) => limitOf(account, at))).toEqual(
      [17, 17, 15, 15, 10].map(nanoUsd),
    );
    expect([49, 99, 100].map((at) => availableIn(account, at))).toEqual([4, 2, -3]);
    expect(limitOf({ ...account, granted: null }, 0)).toBeNull();
  });

  test("needs a budget with an amount, and ended raises leave their place", () => {
    const terms = { amount: nanoUsd(1), raises: Array.from({ length: 10 }, () => raise(1, 50)) };

    expect(() => withRaise(undefined, raise(1, 90), 0)).toThrow("no such budget");
    expect(() => withRaise({ amount: null, warn: nanoUsd(1) }, raise(1, 90), 0)).toThrow();
    expect(() => withRaise(terms, raise(1, 90), 49)).toThrow("at most 10 raises");
    expect(withRaise(terms, raise(1, 90), 50).raises).toEqual([raise(1, 90)]);
  });
});

function raise(amount: number, until: number): Raise {
  return { id: `r${amount}`, amount: nanoUsd(amount), until, reason: "a test", by: "ada" };
}

test("the error names the exceeded quota or budget, and when the budget resets", () => {
  const at = Date.parse("2026-11-30T12:00:00Z");
  const amount = nanoUsd(1);
  const budgets: Budget[] = [
    { owner: "key:1", period: "day", amount },
    {
      owner: "team:3",
      period: "month",
      amount,
      schedule: scheduleOf("month", { startDay: 15, timeZone: "Asia/Shanghai" }),
    },
    { owner: "member:3-7", period: "week", amount },
  ];
  const message = (id: Parameters<typeof outOfQuota>[0]) => outOfQuota(id, budgets, at).message;

  expect(message("key:1@2026-11-30")).toContain(
    "the daily budget of this key does not cover this call. It resets on 2026-12-01 at 00:00 UTC.",
  );
  expect(message("team:3@2026-11s15")).toContain(
    "the monthly budget of the team of this key does not cover this call. It resets on 2026-12-14 at 16:00 UTC.",
  );
  expect(message("member:3-7@2026-w49")).toContain(
    "the weekly budget of the owner of this key in the team",
  );
  expect(message("user:2")).toContain("the quota of the owner of this key does not cover");
  expect(outOfQuota("user:2")).toMatchObject({ code: "out_of_quota", fault: { status: 402 } });
});
