import type { Task, TaskStatus } from "#core/task.ts";
import type { MadeVideo, TaskFacts, TaskFailure, TaskLinks } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { unixSeconds } from "#styles/video/made-facts.ts";
import { sizeOf } from "./size.ts";

export const STATUS_WORDS: Readonly<Record<TaskStatus, string>> = {
  submitting: "queued",
  submit_unknown: "queued",
  queued: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
};

/** The format's default length. */
const USUAL_SECONDS = 4;
const USUAL_SIZE = "720x1280";

/** Every member is present, because clients rely on it. */
export function writeVideo(task: Task, links?: TaskLinks): JsonObject {
  const { id, model, status, facts, failure, progress = 0, createdAt, finishedAt } = task;
  const made = links?.videos[0];
  const isMade = status === "succeeded";
  const { linksEndAt } = task;
  return {
    id,
    task_id: id,
    object: "video",
    model,
    status: STATUS_WORDS[status],
    progress: isMade ? 100 : Math.min(progress, MOST_UNFINISHED),
    created_at: unixSeconds(createdAt),
    completed_at: isMade && finishedAt !== undefined ? unixSeconds(finishedAt) : null,
    expires_at: isMade && linksEndAt !== undefined ? unixSeconds(linksEndAt) : null,
    prompt: facts.prompt ?? null,
    size: nearestSize(trueSize(facts, made)),
    seconds: String(shownSeconds(facts, made)),
    remixed_from_video_id: facts.remixedFrom ?? null,
    error: failure === undefined ? null : written(failure),
    ...(isMade && made !== undefined ? { metadata: { url: made.url } } : {}),
  };
}

const MOST_UNFINISHED = 99;

function shownSeconds({ seconds }: TaskFacts, made: MadeVideo | undefined): number {
  const known = made?.seconds ?? seconds ?? USUAL_SECONDS;
  return known > 0 ? known : USUAL_SECONDS;
}

/** Typed clients parse only these sizes, and fail on others. */
const SIZES: readonly (readonly [size: string, width: number, height: number])[] = [
  [USUAL_SIZE, 720, 1_280],
  ["1280x720", 1_280, 720],
  ["1024x1792", 1_024, 1_792],
  ["1792x1024", 1_792, 1_024],
];

/** The size with the smallest relative difference. */
function nearestSize(size: string): string {
  const [width = 0, height = 0] = size.split("x").map(Number);
  if (!(width > 0 && height > 0)) return USUAL_SIZE;
  let [nearest, least] = [USUAL_SIZE, Infinity];
  for (const [name, across, down] of SIZES) {
    const distance = Math.abs(Math.log(width / across)) + Math.abs(Math.log(height / down));
    if (distance < least) [nearest, least] = [name, distance];
  }
  return nearest;
}

function trueSize(facts: TaskFacts, made: MadeVideo | undefined): string {
  const { width, height } = made ?? {};
  if (width !== undefined && height !== undefined) return `${width}x${height}`;
  const { size, resolution, ratio } = facts;
  if (size !== undefined) return size.replace("*", "x");
  return inPixels(resolution, ratio) ?? USUAL_SIZE;
}

const RATIO = /^([1-9]\d?):([1-9]\d?)$/;
const RESOLUTION = /^(\d{3,4}p|2k|4k)$/;

function inPixels(resolution: string | undefined, ratio: string | undefined): string | undefined {
  if (ratio === undefined || !RATIO.test(ratio)) return undefined;
  if (resolution !== undefined && !RESOLUTION.test(resolution)) return undefined;
  return sizeOf({ ratio, ...defined({ resolution }) }, {});
}

function written({ code, message }: TaskFailure): JsonObject {
  return { code: code === "content_filtered" ? "moderation_blocked" : code, message };
}

/** A page of videos. */
export function writeList(data: readonly JsonObject[], hasMore: boolean): JsonObject {
  return {
    object: "list",
    data,
    first_id: data.at(0)?.["id"] ?? null,
    last_id: data.at(-1)?.["id"] ?? null,
    has_more: hasMore,
  };
}

export function writeDeleted(id: string): JsonObject {
  return { id, object: "video.deleted", deleted: true };
}
