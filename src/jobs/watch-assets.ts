import type { IdentitySessionStore } from "#core/identity-session.ts";
import type { Clock } from "#lib/clock.ts";
import { processCallbacks, type CallbackDeps } from "#relay/assets/process-callbacks.ts";
import { FORGOTTEN_MS } from "#relay/assets/verifications.ts";
import { forgetAssets, watchAssets, type WatchDeps } from "#relay/assets/refresh-due.ts";
import { pruneJob } from "./prune-job.ts";
import type { Job } from "./scheduler.ts";

const BATCH = 500;

/** Polls pending assets. Leases prevent duplicate polls by several gateways. */
export function watchAssetLibrary(deps: WatchDeps): Job {
  return {
    name: "watch-assets",
    everyMs: 1_000,
    run: (signal) => watchAssets(deps, signal),
  };
}

/** Deletes the files of removed assets; idempotent. */
export function forgetRemovedAssets(deps: WatchDeps): Job {
  return {
    name: "forget-assets",
    everyMs: 1_000,
    run: () => forgetAssets(deps),
  };
}

/** Continues verifications of persons: polls vendors and sends callbacks. */
export function attendVerifications(deps: CallbackDeps): Job {
  return {
    name: "attend-verifications",
    everyMs: 1_000,
    run: (signal) => processCallbacks(deps, signal),
  };
}

export function pruneVerifications(
  sessions: Pick<IdentitySessionStore, "prune">,
  clock: Clock,
): Job {
  const prune = async (before: number): Promise<boolean> =>
    (await sessions.prune(before, BATCH)) === BATCH;
  return pruneJob("prune-verifications", clock, () => FORGOTTEN_MS, prune);
}
