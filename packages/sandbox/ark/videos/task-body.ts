import type { ResultFiles } from "@sluice/sandbox/engine/result-files.ts";
import { paint } from "@sluice/sandbox/engine/picture.ts";
import { stateOf, type Task } from "@sluice/sandbox/engine/tasks.ts";
import { makeVideo } from "@sluice/sandbox/engine/video.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { withoutMagicWords } from "@sluice/sandbox/faults/magic-words.ts";
import { ASYNC_FAILURES, MODERATED } from "./marks.ts";
import type { PlacedOrder, VideoOrder } from "./request.ts";

const FRAMES_PER_SECOND = 24;

export type VideoTask = Task<PlacedOrder>;

/** A task as the vendor tells of it, at some time. */
export function taskBody(task: VideoTask, at: number, results: Results): JsonObject {
  const { requested } = task;
  const { phase, since } = stateOf(task, at);
  const isDone = phase === "succeeded";
  return {
    id: task.id,
    model: requested.model,
    status: phase,
    ...(phase === "failed" ? { error: failureOf(task) } : { error: null }),
    ...(isDone ? { content: contentOf(task, results), usage: usageOf(requested) } : {}),
    created_at: seconds(task.createdAt),
    updated_at: seconds(since),
    ...(isDone ? outcomeOf(requested) : {}),
    service_tier: requested.tier,
    execution_expires_after: requested.expiresAfterSeconds,
    ...(requested.hasSound === undefined ? {} : { generate_audio: requested.hasSound }),
    ...(requested.isDraft ? { draft: true } : {}),
    ...(requested.draftTaskId === undefined ? {} : { draft_task_id: requested.draftTaskId }),
    ...(requested.priority === undefined ? {} : { priority: requested.priority }),
    ...(requested.searches ? { tools: [{ type: "web_search" }] } : {}),
    ...(requested.safetyIdentifier === undefined
      ? {}
      : { safety_identifier: requested.safetyIdentifier }),
  };
}

interface Results {
  readonly files: ResultFiles;
  /** How long links are good for. */
  readonly validSeconds: number;
}

function outcomeOf({ seed, resolution, ratio, frames, seconds: length }: VideoOrder): JsonObject {
  return {
    seed,
    resolution,
    ratio,
    ...(frames === undefined ? { duration: length } : { frames }),
    framespersecond: FRAMES_PER_SECOND,
  };
}

/** Counts each generated image and each reference image. */
function usageOf({
  inputSeconds,
  seconds: length,
  width,
  height,
  searches,
}: VideoOrder): JsonObject {
  const pixels = (inputSeconds + length) * width * height * FRAMES_PER_SECOND;
  const tokens = Math.round(pixels / 1_024);
  return {
    completion_tokens: tokens,
    total_tokens: tokens,
    ...(searches ? { tool_usage: { web_search: 1 } } : {}),
  };
}

function contentOf(task: VideoTask, { files, validSeconds }: Results): JsonObject {
  const { width, height, seconds: length, hasSound, format, returnsLastFrame } = task.requested;
  const prompt = withoutMagicWords(task.requested.prompt);
  const common = { origin: task.origin, publishedAt: task.endsAt, validSeconds };
  const video = files.publish({
    ...common,
    name: `${task.id}/video.${format}`,
    contentType: format === "mov" ? "video/quicktime" : "video/mp4",
    make: () =>
      makeVideo({
        width,
        height,
        seconds: length,
        framesPerSecond: FRAMES_PER_SECOND,
        prompt,
        hasSound: hasSound ?? false,
        ...(format === "mov" ? { brand: "qt  " as const } : {}),
      }),
  });
  if (!returnsLastFrame) return { video_url: video };
  const lastFrame = files.publish({
    ...common,
    name: `${task.id}/last-frame.png`,
    contentType: "image/png",
    make: () => paint(width, height, prompt),
  });
  return { video_url: video, last_frame_url: lastFrame };
}

function failureOf({ marks, requested }: VideoTask): JsonObject {
  const code =
    ASYNC_FAILURES.find((each) => marks.has(each)) ??
    (marks.has("moderate") ? MODERATED : "InternalServiceError");
  const what = code.startsWith("Output") ? WORDS.moderated : WORDS.broken;
  return { code, message: `${what} Request id: ${requested.requestId}` };
}

const WORDS = {
  moderated: "The generated video may violate the content policy.",
  broken: "The service encountered an unexpected internal error.",
};

function seconds(at: number): number {
  return Math.floor(at / 1_000);
}
