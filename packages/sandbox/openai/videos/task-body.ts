import { stateOf, type Task, type TaskState } from "@sluice/sandbox/engine/tasks.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import type { SoraOrder } from "./request.ts";

export type SoraTask = Task<SoraOrder>;

/** A video as the vendor tells of it, at some time. */
export function videoBody(task: SoraTask, at: number, keptSeconds: number): JsonObject {
  const state = stateOf(task, at);
  const { model, prompt, size, seconds, remixedFrom } = task.requested;
  const isDone = state.phase === "succeeded";
  return {
    id: task.id,
    object: "video",
    model,
    status: statusOf(state),
    progress: progressOf(state),
    created_at: Math.floor(task.createdAt / 1_000),
    completed_at: isDone ? Math.floor(state.since / 1_000) : null,
    expires_at: isDone ? Math.floor(state.since / 1_000) + keptSeconds : null,
    prompt,
    size,
    seconds: String(seconds),
    remixed_from_video_id: remixedFrom ?? null,
    error: statusOf(state) === "failed" ? failureOf(task) : null,
  };
}

export function statusOf({ phase }: TaskState): string {
  switch (phase) {
    case "queued":
      return "queued";
    case "running":
      return "in_progress";
    case "succeeded":
      return "completed";
    case "failed":
    case "expired":
    case "cancelled":
      return "failed";
  }
}

/** In tens, which begin with the work. */
function progressOf({ phase, progress }: TaskState): number {
  if (phase === "running") return Math.min(90, Math.max(10, Math.floor(progress / 10) * 10));
  return phase === "queued" ? 0 : 100;
}

/** What is found out only when it has run. */
export const LATE_CODES = ["moderation_blocked", "server_error"] as const;

function failureOf({ marks }: SoraTask): JsonObject {
  const isBlocked = marks.has("moderate") || marks.has("moderation_blocked");
  return isBlocked
    ? { code: "moderation_blocked", message: "Your request was blocked by our moderation system." }
    : { code: "server_error", message: "Video generation failed." };
}
