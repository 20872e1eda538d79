import type { Clock } from "#lib/clock.ts";
import type { Job } from "./scheduler.ts";

const DAY_MS = 86_400_000;
const BATCH = 5_000;

/** Where old records are deleted from. */
interface Prunable {
  /** Deletes at most `limit` records older than `before` (Unix ms); says how many. */
  pruneCalls(before: number, limit: number): Promise<number>;
}

/** Keeps the journal to its retention, a bounded batch at a time, so that no call waits for it. */
export function pruneJournal(
  storage: Prunable,
  settings: { readonly journalDays: number },
  clock: Clock,
): Job {
  return {
    name: "prune-journal",
    everyMs: 3_600_000,
    async run(signal) {
      const before = clock.now() - settings.journalDays * DAY_MS;
      // Also after a short one: a call that a clock put into the future makes all of them short.
      while (!signal.aborted && (await storage.pruneCalls(before, BATCH)) > 0);
    },
  };
}
