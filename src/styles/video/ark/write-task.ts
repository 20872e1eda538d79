import type { Task, TaskStatus } from "#core/task.ts";
import type { Usage } from "#core/usage.ts";
import type { MadeVideo, TaskFailure, TaskLinks } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { changedAt, unixSeconds } from "#styles/video/made-facts.ts";

const WORDS: Readonly<Record<TaskStatus, string>> = {
  submitting: "queued",
  submit_unknown: "queued",
  queued: "queued",
  running: "processing",
  succeeded: "succeeded",
  failed: "failed",
};

/** Task states of a status filter; the vendor's own word for running is accepted, too. */
export const STATES: ReadonlyMap<string, readonly TaskStatus[]> = new Map([
  ["queued", ["submitting", "submit_unknown", "queued"]],
  ["processing", ["running"]],
  ["running", ["running"]],
  ["succeeded", ["succeeded"]],
  ["failed", ["failed"]],
]);

export function writeSubmitted({ id }: Task): JsonObject {
  return { id };
}

export function writeTask(task: Task, { videos: [made] }: TaskLinks): JsonObject {
  const { id, model, status, facts, failure, usage } = task;
  const isMade = status === "succeeded";
  return {
    id,
    model,
    status: WORDS[status],
    ...(isMade && made !== undefined ? { content: contentOf(made), ...usageOf(usage) } : {}),
    ...(status === "failed" ? { error: written(failure) } : {}),
    created_at: unixSeconds(task.createdAt),
    updated_at: unixSeconds(changedAt(task)),
    ...defined({
      resolution: facts.resolution,
      ratio: facts.ratio,
      duration: isMade ? (made?.seconds ?? facts.seconds) : facts.seconds,
      frames: facts.frames,
      framespersecond: facts.framesPerSecond,
      seed: facts.seed,
      generate_audio: facts.audio,
    }),
  };
}

/** A page of tasks, and the total number. */
export function writeList(items: readonly JsonObject[], total: number): JsonObject {
  return { items, total };
}

function contentOf({ url, lastFrameUrl }: MadeVideo): JsonObject {
  return { video_url: url, ...defined({ last_frame_url: lastFrameUrl }) };
}

/** The vendor's count; empty if the vendor sent none. */
function usageOf({ outputTokens, isEstimated }: Usage): JsonObject {
  if (isEstimated || outputTokens === 0) return {};
  return { usage: { completion_tokens: outputTokens, total_tokens: outputTokens } };
}

function written({ code, message }: TaskFailure = FAILED): JsonObject {
  return {
    code: code === "content_filtered" ? "OutputVideoSensitiveContentDetected" : code,
    message,
  };
}

const FAILED: TaskFailure = { code: "task_failed", message: "The task failed." };
