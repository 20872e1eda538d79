import type { Task, TaskStatus } from "#core/task.ts";
import type { MadeVideo, TaskFailure, TaskLinks } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { unixSeconds } from "../made-facts.ts";

const STATES: Readonly<Record<TaskStatus, string>> = {
  submitting: "created",
  submit_unknown: "created",
  queued: "queueing",
  running: "processing",
  succeeded: "success",
  failed: "failed",
};

/** In the format of other protocols' clients, together with that of the vendor's own. */
export function writeSubmitted({ id, model, facts, createdAt }: Task): JsonObject {
  return {
    id,
    task_id: id,
    object: "video",
    model,
    status: "queued",
    created_at: unixSeconds(createdAt),
    state: "created",
    ...defined({
      prompt: facts.prompt,
      duration: facts.seconds,
      seed: facts.seed,
      aspect_ratio: facts.ratio,
      resolution: facts.resolution,
      bgm: facts.music,
      payload: facts.payload,
    }),
  };
}

export function writeTask(task: Task, { videos }: TaskLinks): JsonObject {
  const { id, model, status, facts, failure, progress, createdAt } = task;
  return {
    id,
    model,
    state: STATES[status],
    err_code: failure === undefined ? "" : wordOf(failure),
    ...defined({ err_msg: failure?.message }),
    payload: facts.payload ?? "",
    bgm: facts.music ?? false,
    progress: status === "succeeded" ? 100 : (progress ?? 0),
    created_at: unixSeconds(createdAt),
    creations: videos.map((video, index) => creation(video, `${id}-${index + 1}`)),
  };
}

const FAILURES: ReadonlyMap<string, string> = new Map([
  ["task_cancelled", "UserCancelled"],
  ["content_filtered", "CreationPolicyViolation"],
]);

function wordOf({ code }: TaskFailure): string {
  return FAILURES.get(code) ?? code;
}

function creation(video: MadeVideo, id: string): JsonObject {
  const { url, coverUrl, watermarkedUrl, seconds: duration, width, height } = video;
  const size = defined({ width, height });
  const about = defined({
    duration,
    resolution: Object.keys(size).length === 0 ? undefined : size,
  });
  return {
    id: video.id ?? id,
    url,
    cover_url: coverUrl ?? "",
    ...defined({ watermarked_url: watermarkedUrl }),
    ...(Object.keys(about).length === 0 ? {} : { video: about }),
  };
}
