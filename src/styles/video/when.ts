import type { Task } from "#core/task.ts";

/** Unix seconds. */
export function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

/** When a task last came into another state, in Unix ms. */
export function changedAt({ createdAt, startedAt, finishedAt }: Task): number {
  return finishedAt ?? startedAt ?? createdAt;
}
