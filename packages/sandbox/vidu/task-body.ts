import { encodePicture } from "../engine/encode-picture.ts";
import { paint } from "../engine/picture.ts";
import type { ResultFiles } from "../engine/result-files.ts";
import { stateOf, type Task, type TaskState } from "../engine/tasks.ts";
import { makeVideo } from "../engine/video.ts";
import type { JsonObject } from "../json.ts";
import { withoutMagicWords } from "../faults/magic-words.ts";
import { LATE_REASONS } from "./error.ts";
import type { ViduOrder } from "./request.ts";

export type ViduTask = Task<ViduOrder>;

/** What is answered to who ordered it. */
export function createdBody({ id, requested, createdAt }: ViduTask): JsonObject {
  return {
    task_id: id,
    state: "created",
    model: requested.model,
    ...(requested.style === undefined ? {} : { style: requested.style }),
    prompt: requested.prompt,
    images: requested.images,
    duration: requested.seconds,
    seed: requested.seed,
    aspect_ratio: requested.aspect,
    resolution: requested.resolution,
    bgm: requested.bgm,
    ...(requested.audio === undefined ? {} : { audio: requested.audio }),
    movement_amplitude: requested.movement,
    payload: requested.payload,
    off_peak: requested.offPeak,
    credits: creditsOf(requested),
    created_at: new Date(createdAt).toISOString().replace("Z", "000Z"),
  };
}

/** What is answered to who asks for it, at some time. */
export function taskBody(task: ViduTask, at: number, results: Results): JsonObject {
  const state = stateOf(task, at);
  const { payload, bgm, offPeak } = task.requested;
  return {
    id: task.id,
    state: wordFor(task, state, at),
    err_code: failureOf(task, state),
    credits: creditsOf(task.requested),
    payload,
    bgm,
    off_peak: offPeak,
    progress: state.progress,
    creations: state.phase === "succeeded" ? [creationOf(task, results)] : [],
  };
}

interface Results {
  readonly files: ResultFiles;
  /** How long links are good for. */
  readonly validSeconds: number;
}

export function wordFor(task: ViduTask, { phase }: TaskState, at: number): string {
  switch (phase) {
    case "queued":
      return at - task.createdAt < (task.runsAt - task.createdAt) / 2 ? "created" : "queueing";
    case "running":
      return "processing";
    case "succeeded":
      return "success";
    case "failed":
    case "expired":
    case "cancelled":
      return "failed";
  }
}

function failureOf({ marks }: ViduTask, { phase }: TaskState): string {
  if (phase === "cancelled") return "UserCancelled";
  if (phase !== "failed" && phase !== "expired") return "";
  if (marks.has("moderate")) return "CreationPolicyViolation";
  return LATE_REASONS.find((each) => marks.has(each)) ?? "InternalServiceFailure";
}

function creditsOf({ seconds, resolution, offPeak }: ViduOrder): number {
  const whole = seconds * CREDITS_A_SECOND[resolution];
  return offPeak ? Math.ceil(whole / 2) : whole;
}

const CREDITS_A_SECOND = {
  "360p": 2,
  "540p": 3,
  "720p": 4,
  "1080p": 8,
  "2K": 13,
  "4K": 26,
} as const;

function creationOf(task: ViduTask, { files, validSeconds }: Results): JsonObject {
  const { requested, id } = task;
  const { width, height } = sizeOf(requested);
  const prompt = withoutMagicWords(requested.prompt);
  const common = { origin: task.origin, publishedAt: task.endsAt, validSeconds };
  const film = {
    ...common,
    contentType: "video/mp4",
    make: () =>
      makeVideo({
        width,
        height,
        seconds: requested.seconds,
        framesPerSecond: FRAMES_PER_SECOND,
        prompt,
        hasSound: requested.audio ?? requested.bgm,
      }),
  };
  return {
    id: `${BigInt(id) + 1n}`,
    url: files.publish({ ...film, name: `${id}/video.mp4` }),
    cover_url: files.publish({
      ...common,
      name: `${id}/cover.jpg`,
      contentType: "image/jpeg",
      make: () => encodePicture(paint(width, height, prompt), "jpeg", 80),
    }),
    watermarked_url: requested.hasWatermark
      ? files.publish({ ...film, name: `${id}/watermarked.mp4` })
      : "",
    moderation_url: [],
    video: { duration: requested.seconds, fps: FRAMES_PER_SECOND, resolution: { width, height } },
  };
}

const FRAMES_PER_SECOND = 24;

const LINES: Readonly<Record<string, number>> = { "2K": 1_440, "4K": 2_160 };

/** The resolution is the shorter side; a picture to begin with decides the shape. */
function sizeOf({ resolution, aspect, pictureRatio }: ViduOrder) {
  const [wide = 1, high = 1] = aspect.split(":").map(Number);
  const ratio = pictureRatio ?? wide / high;
  const short = LINES[resolution] ?? Number.parseInt(resolution, 10);
  const long = 2 * Math.round((short * Math.max(ratio, 1 / ratio)) / 2);
  return ratio >= 1 ? { width: long, height: short } : { width: short, height: long };
}
