import type { Job } from "./scheduler.ts";

/** Keeps the tasks that this gateway has leased, and leases those that nobody has. */
export function watchTasks(tasks: { renew(): Promise<void> }): Job {
  return { name: "watch-tasks", everyMs: 1_000, run: () => tasks.renew() };
}
