import type { TaskStore } from "#core/task.ts";
import type { Clock } from "#lib/clock.ts";
import { pruneJob } from "./prune-job.ts";
import type { Job } from "./scheduler.ts";

const DAY_MS = 86_400_000;
const BATCH = 500;

/** Deletes expired video tasks. */
export function pruneTasks(
  tasks: Pick<TaskStore, "prune">,
  settings: { readonly videoDays: number },
  clock: Clock,
): Job {
  const prune = async (before: number): Promise<boolean> =>
    (await tasks.prune(before, BATCH)) === BATCH;
  return pruneJob("prune-tasks", clock, () => settings.videoDays * DAY_MS, prune);
}
