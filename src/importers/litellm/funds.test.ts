import { expect, test } from "bun:test";
import { nanoUsd } from "#core/money.ts";
import { fundsOf, joined } from "./funds.ts";

const NOW = Date.parse("2026-11-27T10:00:00Z");
const LATER = NOW + 1;
const SPENT = { spent: 2.5, now: NOW };
const USD = 1_000_000_000;

function budgetsFor(duration: string, resetAt = LATER) {
  const changes: string[] = [];
  const { budgets } = fundsOf([{ amount: 90, duration, resetAt }], SPENT, changes);
  return { budgets, changes };
}

test.each([
  ["1h", "hour"],
  ["24h", "day"],
  ["1d", "day"],
  ["7d", "week"],
  ["1w", "week"],
  ["30d", "month"],
  ["1mo", "month"],
])("a budget for %s is one for each %s, with the amount spent", (duration, period) => {
  const { budgets, changes } = budgetsFor(duration);

  expect(changes).toEqual([]);
  expect(budgets as unknown).toEqual([
    { period, amount: 90 * USD, warn: undefined, spent: 2.5 * USD },
  ]);
});

test.each([
  ["30s", "hour", 90],
  ["12h", "day", 90],
  ["14d", "month", 90],
  ["90d", "month", 30],
])("a budget for %s becomes one that never allows more", (duration, period, dollars) => {
  const { budgets, changes } = budgetsFor(duration);

  expect(budgets).toMatchObject([{ period, amount: dollars * USD }]);
  expect(changes).toHaveLength(1);
});

test("an amount spent before the last start does not count", () => {
  expect(budgetsFor("1d", NOW).budgets).toMatchObject([{ spent: undefined }]);
});

test("a budget without a duration is a total, also of nothing", () => {
  const changes: string[] = [];

  expect(fundsOf([{ amount: 0 }], { spent: 0, now: NOW }, changes)).toEqual({
    quota: nanoUsd(0),
    budgets: [],
  });
});

test("of two budgets for one period the smaller one binds", () => {
  const both = [
    { amount: 20, duration: "1d", resetAt: LATER },
    { amount: 5, duration: "24h", resetAt: LATER },
  ];

  expect(fundsOf(both, SPENT, []).budgets).toMatchObject([{ period: "day", amount: 5 * USD }]);
});

test("a span that is no time is left out, and said", () => {
  const { budgets, changes } = budgetsFor("soon");

  expect([budgets, changes.length]).toEqual([[], 1]);
});

test("an owner's own amount comes before that of the row it refers to", () => {
  const row = { amount: 5, duration: "7d", soft: 4 };

  expect(joined({ amount: 75, duration: "1mo" }, row)).toMatchObject({
    amount: 75,
    duration: "1mo",
    soft: 4,
  });
  expect(joined({}, row)).toMatchObject(row);
});
