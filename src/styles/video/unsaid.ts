import { invalid } from "#core/error.ts";
import type { LossReport } from "#core/lossy.ts";
import type { VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";

/** Client names of options that a vendor without them serves as "off". */
const SWITCHES = {
  audio: "audio",
  music: "bgm",
  watermark: "watermark",
  cameraFixed: "camera_fixed",
  lastFrame: "return_last_frame",
} as const;

/** Client names of all options that only fine-tune. */
const OPTIONS = {
  negativePrompt: "negative_prompt",
  framesPerSecond: "fps",
  seed: "seed",
  ...SWITCHES,
  movement: "movement_amplitude",
  rewrite: "prompt_extend",
  guidance: "cfg_scale",
  mode: "mode",
  camera: "camera_control",
  people: "person_generation",
  user: "user",
} as const satisfies Partial<Record<keyof VideoRequest, string>>;

export type VideoOption = keyof typeof OPTIONS;

/**
 * Fields of the client's own protocol, forwarded to a vendor of the same protocol. The gateway sets
 * the webhook URL and the task id itself.
 */
export function carriedBy({ extra }: VideoRequest, format: string): JsonObject {
  const { callback_url: _, external_task_id: __, ...rest } = extra?.[format] ?? {};
  return rest;
}

/**
 * Reports options and members of other protocols as lost, unless the upstream body contains them.
 * Throws if the client requests several videos.
 */
export function loseAllBut(
  said: readonly VideoOption[],
  question: VideoRequest,
  format: string,
  report: LossReport,
): void {
  if ((question.count ?? 1) !== 1) {
    throw invalid("n", "'n' must be 1: this model generates one video per task.");
  }
  for (const [option, name] of Object.entries(OPTIONS)) {
    const value = question[option as VideoOption];
    if (value === undefined || said.includes(option as VideoOption)) continue;
    if (value === false && option in SWITCHES) continue;
    report.lose(name);
  }
  report.loseForeign(question.extra, format);
}

/** Reports a ratio that the vendor takes from a picture, or does not know. */
export function reportRatio(ratio: string | undefined, report: LossReport): void {
  if (ratio !== undefined && ratio !== "adaptive") report.lose("ratio");
}
