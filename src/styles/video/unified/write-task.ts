import type { Task, TaskStatus } from "#core/task.ts";
import type { MadeVideo, TaskFailure, TaskLinks } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { madeFacts, unixSeconds } from "#styles/video/made-facts.ts";

const WORDS: Readonly<Record<TaskStatus, string>> = {
  submitting: "queued",
  submit_unknown: "queued",
  queued: "queued",
  running: "in_progress",
  succeeded: "succeeded",
  failed: "failed",
};

export function writeSubmitted(task: Task): JsonObject {
  return { task_id: task.id, status: WORDS[task.status], format: "mp4" };
}

export function writeTask(task: Task, { videos }: TaskLinks): JsonObject {
  const [made, ...others] = videos;
  const { id, model, status, progress = 0, failure, createdAt, finishedAt } = task;
  const base = {
    task_id: id,
    model,
    status: WORDS[status],
    format: formatOf(made),
    progress,
    created_at: unixSeconds(createdAt),
    ...defined({ finished_at: finishedAt === undefined ? undefined : unixSeconds(finishedAt) }),
  };
  switch (status) {
    case "succeeded":
      return {
        ...base,
        ...defined({
          url: made?.url,
          cover_url: made?.coverUrl,
          last_frame_url: made?.lastFrameUrl,
        }),
        ...(others.length === 0 ? {} : { videos: videos.map(({ url }) => ({ url })) }),
        metadata: madeFacts(task, made),
      };
    case "failed":
      return { ...base, ...failed(failure) };
    case "submitting":
    case "submit_unknown":
    case "queued":
    case "running":
      return base;
  }
}

const FORMATS: ReadonlyMap<string, string> = new Map([
  ["video/quicktime", "mov"],
  ["video/webm", "webm"],
]);

function formatOf(made: MadeVideo | undefined): string {
  return FORMATS.get(made?.mediaType ?? "") ?? "mp4";
}

/** The HTTP status of a failure; other codes are failures of the vendor. */
const CODES: ReadonlyMap<string, number> = new Map([
  ["content_filtered", 400],
  ["task_cancelled", 499],
  ["empty_result", 502],
  ["submit_unknown", 502],
  ["task_expired", 504],
  ["task_timeout", 504],
]);

function failed({ code, message }: TaskFailure = { code: "", message: "The task failed." }) {
  return { error: { code: CODES.get(code) ?? 500, message }, fail_reason: message };
}
