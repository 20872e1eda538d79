import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { outOfQuota, periodAccountId, periodAccounts, periodEnd, periodStart } from "./budget.ts";
import { isAccountId } from "./key.ts";
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

    expect(periodAccountId("key:31", "day", at)).toBe(`key:31@${day}`);
    expect(periodStart("day", at)).toBe(Date.parse(day));
    expect(periodEnd("day", at)).toBe(Date.parse(nextDay));
    expect(periodAccountId("user:7", "month", at)).toBe(`user:7@${month}`);
    expect(periodStart("month", at)).toBe(Date.parse(`${month}-01`));
    expect(periodEnd("month", at)).toBe(Date.parse(nextMonth));
  });

  test("ends at the start of the next one, which has another account", () => {
    const instant = fc.integer({ min: 0, max: Date.UTC(9999, 0) });
    fc.assert(
      fc.property(instant, fc.constantFrom("day", "month"), (at, period) => {
        const end = periodEnd(period, at);
        const id = periodAccountId("team:3", period, at);

        expect(end - at).toBeGreaterThan(0);
        expect(end - at).toBeLessThanOrEqual(period === "day" ? DAY_MS : 31 * DAY_MS);
        expect(periodAccountId("team:3", period, end - 1)).toBe(id);
        expect(periodAccountId("team:3", period, end)).not.toBe(id);
        expect(isAccountId(id)).toBe(true);
      }),
      { seed: SEED },
    );
  });
});

test("each budget has its own account", () => {
  const day = { owner: "key:1", period: "day", amount: nanoUsd(5) } as const;
  const month = { owner: "team:2", period: "month", amount: nanoUsd(9) } as const;

  expect(periodAccounts([day, month], Date.parse("2026-11-20"))).toEqual([
    { id: "key:1@2026-11-20", budget: day },
    { id: "team:2@2026-11", budget: month },
  ]);
});

test("the error names the exceeded quota or budget, and when the budget resets", () => {
  expect(outOfQuota("key:1@2026-11-30").message).toContain(
    "the daily budget of this key does not cover this call. It resets on 2026-12-01 at 00:00 UTC.",
  );
  expect(outOfQuota("team:3@2026-12").message).toContain(
    "the monthly budget of the team of this key",
  );
  expect(outOfQuota("team:3@2026-12").message).toContain("2027-01-01");
  expect(outOfQuota("user:2").message).toContain(
    "the quota of the owner of this key does not cover",
  );
  expect(outOfQuota("user:2")).toMatchObject({ code: "out_of_quota", fault: { status: 402 } });
});
