import type { CallRetention } from "#core/call.ts";
import type { Clock } from "#lib/clock.ts";
import type { Job } from "./scheduler.ts";

const DAY_MS = 86_400_000;
const BATCH = 5_000;

/** Deletes expired journal records in bounded batches, so that no call waits for it. */
export function pruneJournal(
  calls: CallRetention,
  settings: { readonly journalDays: number },
  clock: Clock,
): Job {
  return {
    name: "prune-journal",
    everyMs: 3_600_000,
    async run(signal) {
      const before = clock.now() - settings.journalDays * DAY_MS;
      // Continues after a short batch: a call with a future timestamp makes every batch short.
      while (!signal.aborted && (await calls.prune(before, BATCH)) > 0);
    },
  };
}
