import type { TaskStore } from "#core/task.ts";
import type { Clock } from "#lib/clock.ts";
import type { Job } from "./scheduler.ts";

const DAY_MS = 86_400_000;
const BATCH = 500;

/** Deletes expired video tasks in bounded batches. */
export function pruneTasks(
  tasks: Pick<TaskStore, "prune">,
  settings: { readonly videoDays: number },
  clock: Clock,
): Job {
  return {
    name: "prune-tasks",
    everyMs: 3_600_000,
    async run(signal) {
      const before = clock.now() - settings.videoDays * DAY_MS;
      while (!signal.aborted && (await tasks.prune(before, BATCH)) === BATCH);
    },
  };
}
