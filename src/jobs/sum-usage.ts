import type { Clock } from "#lib/clock.ts";
import type { Job } from "./scheduler.ts";

const DAY_MS = 86_400_000;
const BATCH = 1_000;

/** Where calls are added up by the hour. */
interface Summable {
  /** Adds at most `limit` calls to the sums; says how many. */
  sumCalls(limit: number): Promise<number>;
  /** Deletes sums of one hour that ended before `before` (Unix ms); false where there are none. */
  pruneUsage(before: number): Promise<boolean>;
}

/** Adds up what calls used, a bounded batch at a time, and keeps the sums to their retention. */
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
