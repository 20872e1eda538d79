import type { IdempotencyStore } from "#core/idempotency.ts";
import type { Clock } from "#lib/clock.ts";
import type { Job } from "./scheduler.ts";

const BATCH = 500;

/** Deletes expired idempotency records, and stored responses of users above their limit. */
export function pruneKeptAnswers(
  kept: Pick<IdempotencyStore, "prune" | "trim">,
  limits: { readonly keptUserBytes: number },
  clock: Clock,
): Job {
  return {
    name: "prune-kept-answers",
    everyMs: 600_000,
    async run(signal) {
      const before = clock.now();
      while (!signal.aborted && (await kept.prune(before, BATCH)) === BATCH);
      while (!signal.aborted && (await kept.trim(limits.keptUserBytes)) > 0);
    },
  };
}
