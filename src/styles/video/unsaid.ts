import { invalid } from "#core/error.ts";
import type { LossReport } from "#core/lossy.ts";
import type { VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";

/** Wishes that only tune, as callers know them. */
const WISHES = {
  negativePrompt: "negative_prompt",
  framesPerSecond: "fps",
  seed: "seed",
  audio: "audio",
  music: "bgm",
  watermark: "watermark",
  cameraFixed: "camera_fixed",
  movement: "movement_amplitude",
  rewrite: "prompt_extend",
  guidance: "cfg_scale",
  mode: "mode",
  camera: "camera_control",
  people: "person_generation",
  lastFrame: "return_last_frame",
  user: "user",
} as const satisfies Partial<Record<keyof VideoRequest, string>>;

export type Wish = keyof typeof WISHES;

/** What is not done by those who do not know of it. */
const OFF_ANYWAY: ReadonlySet<string> = new Set([
  "audio",
  "music",
  "watermark",
  "cameraFixed",
  "lastFrame",
] satisfies Wish[]);

/**
 * Fields of the caller's own protocol that go out as they came, to a vendor
 * who speaks the same. Whom it tells of a task, and by which id, is our business.
 */
export function carriedBy({ extra }: VideoRequest, format: string): JsonObject {
  const { callback_url: _, external_task_id: __, ...rest } = extra?.[format] ?? {};
  return rest;
}

/**
 * Reports what was wished for, and what of other protocols came along, but for
 * what the body says. Throws where several videos are wanted.
 */
export function loseAllBut(
  said: readonly Wish[],
  question: VideoRequest,
  format: string,
  report: LossReport,
): void {
  if ((question.count ?? 1) !== 1) {
    throw invalid("n", "'n' must be 1: this model makes one video at a time.");
  }
  for (const [wish, name] of Object.entries(WISHES)) {
    const value = question[wish as Wish];
    if (value === undefined || said.includes(wish as Wish)) continue;
    if (value === false && OFF_ANYWAY.has(wish)) continue;
    report.lose(name);
  }
  report.loseForeign(question.extra, format);
}
