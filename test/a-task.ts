import { nanoUsd } from "#core/money.ts";
import type { Task, TaskStatus } from "#core/task.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { MadeVideo, TaskLinks } from "#core/video.ts";

export const CREATED_AT = 1_767_268_800_000;
export const STATUSES: readonly TaskStatus[] = [
  "submitting",
  "submit_unknown",
  "queued",
  "running",
  "succeeded",
  "failed",
];
export const LINKS: TaskLinks = {
  videos: [{ url: "https://cdn.example/v.mp4" }],
  filesUrl: "https://gateway.example/v1beta/files",
};

/** A task as a format's answers are made of one. */
export function aTask(more: Partial<Task> = {}): Task {
  return {
    id: "task_1",
    userId: 1,
    keyId: 1,
    entry: "video-unified",
    model: "a-model",
    facts: { scenario: "text", prompt: "a fox" },
    status: "queued",
    videos: [],
    usage: { ...NO_USAGE, isEstimated: true },
    held: nanoUsd(0),
    lost: [],
    createdAt: CREATED_AT,
    deadlineAt: CREATED_AT + 60_000,
    dueAt: CREATED_AT,
    failures: 0,
    misses: 0,
    isSettled: false,
    version: 1,
    ...more,
  };
}

/** Where its results are. */
export function linksTo(...videos: readonly MadeVideo[]): TaskLinks {
  return { ...LINKS, videos };
}
