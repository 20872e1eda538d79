import type { Task, TaskStatus } from "#core/task.ts";
import type { MadeVideo, TaskLinks } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { changedAt, unixSeconds } from "../made-facts.ts";
import { succeeded } from "./build-error.ts";

const WORDS: Readonly<Record<TaskStatus, string>> = {
  submitting: "submitted",
  submit_unknown: "submitted",
  queued: "submitted",
  running: "processing",
  succeeded: "succeed",
  failed: "failed",
};

/** Status words that clients of all protocols know. */
const PLAIN_WORDS: Readonly<Record<TaskStatus, string>> = {
  ...WORDS,
  submitting: "queued",
  submit_unknown: "queued",
  queued: "queued",
  succeeded: "succeeded",
};

export function writeSubmitted(task: Task): JsonObject {
  return { ...succeeded(headOf(task)), ...plainly(task) };
}

/** In the vendor's envelope, and also as one plain object, for both kinds of clients. */
export function writeTask(task: Task, links: TaskLinks): JsonObject {
  const { failure } = task;
  return {
    ...succeeded(writeNotice(task, links)),
    ...plainly(task),
    ...defined({
      url: links.videos[0]?.url,
      error: failure && { code: failure.code, message: failure.message },
    }),
  };
}

/** A webhook contains the object alone. */
export function writeNotice(task: Task, { videos }: TaskLinks): JsonObject {
  const { facts, failure, status } = task;
  return {
    ...headOf(task),
    task_status_msg: failure?.message ?? "",
    watermark_info: { enabled: facts.watermark ?? false },
    ...(status === "succeeded"
      ? { task_result: { videos: videos.map((each, index) => madeVideo(each, task.id, index)) } }
      : {}),
  };
}

function headOf(task: Task): JsonObject {
  const { id, status, facts, createdAt } = task;
  return {
    task_id: id,
    task_status: WORDS[status],
    task_info: defined({ external_task_id: facts.externalId }),
    created_at: createdAt,
    updated_at: changedAt(task),
  };
}

function plainly({ id, model, status, createdAt }: Task): JsonObject {
  return {
    id,
    task_id: id,
    object: "video",
    model,
    status: PLAIN_WORDS[status],
    created_at: unixSeconds(createdAt),
  };
}

/** Both styles describe a video the same way; its length is text. */
export function madeVideo(video: MadeVideo, taskId: string, index: number): JsonObject {
  return {
    id: video.id ?? `${taskId}-${index + 1}`,
    url: video.url,
    watermark_url: video.watermarkedUrl ?? "",
    ...(video.seconds === undefined ? {} : { duration: String(video.seconds) }),
  };
}
