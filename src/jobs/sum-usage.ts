import type { UsageSums } from "#core/usage-report.ts";
import type { Clock } from "#lib/clock.ts";
import type { Job } from "./scheduler.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BATCH = 1_000;

/** Aggregates the usage of calls in bounded batches, and deletes expired sums. */
export function sumUsage(
  usage: UsageSums,
  settings: { readonly usageDays: number },
  clock: Clock,
): Job {
  let prunedTo = 0;
  return {
    name: "sum-usage",
    // Reports read the calls of this time from the journal.
    everyMs: 2_000,
    async run(signal) {
      while (!signal.aborted && (await usage.sum(BATCH)) > 0);
      // Sums expire by whole hours.
      const before = clock.now() - settings.usageDays * DAY_MS;
      const hours = before - (before % HOUR_MS);
      if (hours === prunedTo) return;
      while (!signal.aborted && (await usage.prune(hours)));
      if (!signal.aborted) prunedTo = hours;
    },
  };
}
