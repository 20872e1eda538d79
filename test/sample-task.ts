import type { Task } from "#core/task.ts";
import { nanoUsd } from "#core/money.ts";
import { NO_USAGE } from "#core/usage.ts";

/** A task as it is kept, of a fox that was asked for; `changes` tell it from that. */
export function sampleTask(changes: Partial<Task> = {}): Task {
  return {
    id: "task_1",
    userId: 1,
    keyId: 1,
    entry: "video-unified",
    model: "m",
    facts: { scenario: "text", prompt: "a fox" },
    status: "queued",
    videos: [],
    usage: NO_USAGE,
    held: nanoUsd(0),
    lost: [],
    createdAt: 1_767_268_800_123,
    deadlineAt: 1_767_355_200_123,
    dueAt: 1_767_268_805_123,
    failures: 0,
    misses: 0,
    isSettled: false,
    version: 1,
    ...changes,
  };
}

/** Of every state that there is. */
export const STATES = [
  "submitting",
  "submit_unknown",
  "queued",
  "running",
  "succeeded",
  "failed",
] as const;
