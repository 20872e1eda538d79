import { removeUnwanted } from "#relay/content/copies.ts";
import type { Contents, ContentsDeps } from "#relay/content/contents.ts";
import type { Job } from "./scheduler.ts";

const DAY_MS = 86_400_000;
const BATCH = 100;

/**
 * Copies the files of finished tasks until none is due. Two gateways that copy
 * the same file produce the same copy.
 */
export function copyMedia(contents: Pick<Contents, "copyDue">): Job {
  return {
    name: "copy-media",
    everyMs: 1_000,
    run: (signal) => contents.copyDue(signal),
  };
}

/** Deletes expired copies, and copies of deleted tasks; idempotent. */
export function pruneMedia(
  deps: Pick<ContentsDeps, "copies" | "stores" | "clock">,
  settings: { readonly mediaDays: number },
): Job {
  return {
    name: "prune-media",
    everyMs: 10_000,
    async run(signal) {
      const before = deps.clock.now() - settings.mediaDays * DAY_MS;
      while (!signal.aborted && (await removeUnwanted(before, BATCH, deps)) === BATCH);
    },
  };
}
