import type { Job } from "./scheduler.ts";

/** Renews this gateway's leases on tasks, and leases tasks without an owner. */
export function watchTasks(tasks: { renew(): Promise<void> }): Job {
  return { name: "watch-tasks", everyMs: 1_000, run: () => tasks.renew() };
}
