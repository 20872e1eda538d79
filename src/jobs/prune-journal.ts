import type { CallRetention } from "#core/call.ts";
import type { Clock } from "#lib/clock.ts";
import { pruneJob } from "./prune-job.ts";
import type { Job } from "./scheduler.ts";

const DAY_MS = 86_400_000;
const BATCH = 5_000;
/** Expired records wait so long for their export. */
const EXPORT_WAIT_MS = 7 * DAY_MS;

/** Deletes expired journal records. `exports`: those that need the records first. */
export function pruneJournal(
  calls: CallRetention,
  settings: { readonly journalDays: number },
  clock: Clock,
  exports: readonly string[] = [],
): Job {
  const keptMs = (): number => settings.journalDays * DAY_MS;
  // Continues after a short batch: a call with a future timestamp makes every batch short.
  const prune = async (before: number): Promise<boolean> =>
    (await calls.prune(before, BATCH, exports)) > 0 ||
    (exports.length > 0 && (await calls.prune(before - EXPORT_WAIT_MS, BATCH)) > 0);
  return pruneJob("prune-journal", clock, keptMs, prune);
}
