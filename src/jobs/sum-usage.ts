import type { UsageSums } from "#core/usage-report.ts";
import type { Clock } from "#lib/clock.ts";
import type { Job } from "./scheduler.ts";

const DAY_MS = 86_400_000;
const BATCH = 1_000;

/** Aggregates the usage of calls in bounded batches, and deletes expired sums. */
export function sumUsage(
  usage: UsageSums,
  settings: { readonly usageDays: number },
  clock: Clock,
): Job {
  return {
    name: "sum-usage",
    everyMs: 10_000,
    async run(signal) {
      while (!signal.aborted && (await usage.sum(BATCH)) > 0);
      const before = clock.now() - settings.usageDays * DAY_MS;
      while (!signal.aborted && (await usage.prune(before)));
    },
  };
}
