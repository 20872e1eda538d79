import type { ResponseStore } from "#core/responses.ts";
import type { Clock } from "#lib/clock.ts";
import { pruneJob } from "./prune-job.ts";
import type { Job } from "./scheduler.ts";

/** The same retention as the vendor of the style. */
const KEPT_MS = 30 * 86_400_000;
const BATCH = 500;

/** Deletes expired responses. */
export function pruneResponses(responses: Pick<ResponseStore, "prune">, clock: Clock): Job {
  const prune = async (before: number): Promise<boolean> =>
    (await responses.prune(before, BATCH)) === BATCH;
  return pruneJob("prune-responses", clock, () => KEPT_MS, prune);
}
