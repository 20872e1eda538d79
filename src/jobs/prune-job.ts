import type { Clock } from "#lib/clock.ts";
import type { Job } from "./scheduler.ts";

/**
 * A job that deletes expired rows. `prune` deletes one bounded batch of rows before a time (Unix
 * ms), so that no call waits for it, and resolves to whether more may be left.
 */
export function pruneJob(
  name: string,
  clock: Clock,
  keptMs: () => number,
  prune: (before: number) => Promise<boolean>,
  everyMs = 3_600_000,
): Job {
  return {
    name,
    everyMs,
    async run(signal) {
      const before = clock.now() - keptMs();
      while (!signal.aborted && (await prune(before)));
    },
  };
}
