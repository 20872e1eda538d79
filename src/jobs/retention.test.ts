import { expect, test } from "bun:test";
import { systemClock } from "#lib/clock.ts";
import { pruneJournal } from "./prune-journal.ts";
import { pruneKeptAnswers } from "./prune-idempotency.ts";
import { sumUsage } from "./sum-usage.ts";

const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS;

test("the retention setting is read in each run", async () => {
  const clock = { ...systemClock, now: () => NOW };
  const settings = { journalDays: 30, usageDays: 400, keptUserBytes: 9 };
  const seen: number[] = [];
  const see = (bound: number): number => {
    seen.push(bound);
    return 0;
  };
  const jobs = [
    pruneJournal({ prune: async (before) => see(before) }, settings, clock),
    sumUsage({ sum: async () => 0, prune: async (at) => see(at) > 0 }, settings, clock),
    pruneKeptAnswers({ prune: async () => 0, trim: async (bytes) => see(bytes) }, settings, clock),
  ];
  const run = async (): Promise<void> => {
    for (const job of jobs) await job.run(new AbortController().signal);
  };

  await run();
  Object.assign(settings, { journalDays: 1, usageDays: 2, keptUserBytes: 3 });
  await run();

  expect(seen).toEqual([
    NOW - 30 * DAY_MS,
    NOW - 400 * DAY_MS,
    9,
    NOW - DAY_MS,
    NOW - 2 * DAY_MS,
    3,
  ]);
});

test("a call with a future timestamp does not prevent the deletion of older ones", async () => {
  let old = 12_000;
  // It is among the first that are looked at, each time.
  const prune = async (_: number, limit: number): Promise<number> => {
    const deleted = Math.min(old, limit - 1);
    old -= deleted;
    return deleted;
  };

  await pruneJournal({ prune }, { journalDays: 30 }, systemClock).run(new AbortController().signal);

  expect(old).toBe(0);
});
