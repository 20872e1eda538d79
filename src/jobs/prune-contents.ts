import type { Clock } from "#lib/clock.ts";
import type { ContentStore } from "#relay/content-log/content-store.ts";
import { pruneJob } from "./prune-job.ts";
import type { Job } from "./scheduler.ts";

interface ContentRetention {
  readonly contentLogDays: number;
  readonly contentLogTotalBytes: number;
}

const DAY_MS = 86_400_000;
const EVERY_MS = 600_000;

/** Deletes contents that are too old, and the oldest if all together are too large. */
export function pruneContents(
  store: Pick<ContentStore, "prune" | "pruneExcess">,
  removeOldFiles: (before: number) => Promise<void>,
  settings: ContentRetention,
  clock: Clock,
): Job {
  const keptMs = (): number => settings.contentLogDays * DAY_MS;
  const prune = async (before: number): Promise<boolean> => {
    if (await store.prune(before)) return true;
    await removeOldFiles(before);
    return await store.pruneExcess(settings.contentLogTotalBytes);
  };
  return pruneJob("prune-contents", clock, keptMs, prune, EVERY_MS);
}
