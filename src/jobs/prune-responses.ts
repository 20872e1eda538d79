import type { ResponseStore } from "#core/responses.ts";
import type { Clock } from "#lib/clock.ts";
import type { Job } from "./scheduler.ts";

/** The same retention as the vendor of the style. */
const KEPT_MS = 30 * 86_400_000;
const BATCH = 500;

/** Deletes expired responses in bounded batches. */
export function pruneResponses(responses: Pick<ResponseStore, "prune">, clock: Clock): Job {
  return {
    name: "prune-responses",
    everyMs: 3_600_000,
    async run(signal) {
      const before = clock.now() - KEPT_MS;
      while (!signal.aborted && (await responses.prune(before, BATCH)) === BATCH);
    },
  };
}
