import type { Clock } from "#lib/clock.ts";
import type { Job } from "./scheduler.ts";

const DAY_MS = 86_400_000;
const BATCH = 1_000;

/** The store of hourly usage sums. */
interface Summable {
  /** Adds at most `limit` calls to the sums; returns their number. */
  sumCalls(limit: number): Promise<number>;
  /** Deletes the sums of one hour that ended before `before` (Unix ms); false if there are none. */
  pruneUsage(before: number): Promise<boolean>;
}

/** Aggregates the usage of calls in bounded batches, and deletes expired sums. */
export function sumUsage(
  storage: Summable,
  settings: { readonly usageDays: number },
  clock: Clock,
): Job {
  return {
    name: "sum-usage",
    everyMs: 60_000,
    async run(signal) {
      while (!signal.aborted && (await storage.sumCalls(BATCH)) > 0);
      const before = clock.now() - settings.usageDays * DAY_MS;
      while (!signal.aborted && (await storage.pruneUsage(before)));
    },
  };
}
