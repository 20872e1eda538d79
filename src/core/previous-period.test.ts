import { expect, test } from "bun:test";
import { previousPeriod } from "./previous-period.ts";

const at = (text: string): number => Date.parse(`${text}Z`);

test.each([
  ["a month", "2026-03-01", "2026-04-01", "2026-02-01", "2026-03-01"],
  ["a month that has not ended", "2026-11-01", "2026-11-05", "2026-10-01", "2026-10-05"],
  ["a quarter", "2026-01-01", "2026-04-01", "2025-10-01", "2026-01-01"],
  ["a week", "2026-11-09", "2026-11-16", "2026-11-02", "2026-11-09"],
  ["a longer month that has not ended", "2026-03-01", "2026-03-31", "2026-02-01", "2026-03-01"],
])("the period before %s", (_, from, to, before, until) => {
  const midnight = (day: string): number => at(`${day}T00:00`);

  expect(previousPeriod({ from: midnight(from), to: midnight(to) })).toEqual({
    from: midnight(before),
    to: midnight(until),
  });
});
