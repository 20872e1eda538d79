import type { Task, TaskStatus } from "#core/task.ts";
import type { TaskLinks } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { succeeded } from "../kling/build-error.ts";
import { madeVideo } from "../kling/write-task.ts";
import { changedAt } from "../made-facts.ts";

const WORDS: Readonly<Record<TaskStatus, string>> = {
  submitting: "submitted",
  submit_unknown: "submitted",
  queued: "submitted",
  running: "processing",
  succeeded: "succeeded",
  failed: "failed",
};

export function writeSubmitted(task: Task): JsonObject {
  return succeeded(headOf(task));
}

/** A list, because tasks are queried as a list. */
export function writeTask(task: Task, links: TaskLinks): JsonObject {
  return succeeded([writeNotice(task, links)]);
}

/** A webhook contains the object alone. */
export function writeNotice(task: Task, { videos }: TaskLinks): JsonObject {
  const { id, failure } = task;
  return {
    ...headOf(task),
    message: failure?.message ?? "",
    outputs: videos.map((each, index) => ({ type: "video", ...madeVideo(each, id, index) })),
    ...defined({ error: failure && { code: failure.code, message: failure.message } }),
  };
}

function headOf(task: Task): JsonObject {
  const { id, status, facts, createdAt } = task;
  return {
    id,
    status: WORDS[status],
    create_time: createdAt,
    update_time: changedAt(task),
    ...defined({ external_id: facts.externalId }),
  };
}
