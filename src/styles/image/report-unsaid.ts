import type { ImageRequest } from "#core/image.ts";
import { refuse, type LossReport } from "#core/lossy.ts";

/** Client names of the options that only some families support. */
const NAMES = {
  partials: "partial_images",
  size: "size",
  aspectRatio: "aspect_ratio",
  resolution: "image_size",
  quality: "quality",
  style: "style",
  background: "background",
  moderation: "moderation",
  format: "output_format",
  compression: "output_compression",
  fidelity: "input_fidelity",
  guidance: "guidance_scale",
  negativePrompt: "negative_prompt",
  seed: "seed",
  watermark: "watermark",
  rewrite: "prompt_extend",
  rewriteMode: "optimize_prompt_options",
  series: "sequential_image_generation",
  people: "person_generation",
  maxOutputTokens: "max_output_tokens",
  temperature: "temperature",
  topP: "top_p",
  withText: "response_modalities",
  user: "user",
} as const satisfies Partial<Record<keyof ImageRequest, string>>;

export type ImageOptions = keyof typeof NAMES;

const isWish = (name: string): name is ImageOptions => name in NAMES;
const WISHES = Object.keys(NAMES).filter(isWish);

/**
 * Reports unsupported options as lost, by the clients' names; `said` lists the supported ones.
 * Throws for a mask: without it, the whole image would change.
 */
export function reportUnsaid(
  question: ImageRequest,
  said: readonly ImageOptions[],
  report: LossReport,
): void {
  const { mask, markup, extra = {}, unread = [] } = question;
  if (markup !== undefined) throw refuse("markup", "this model takes no drawing over a picture.");
  if (mask !== undefined) throw refuse("mask", "this model cannot be kept to a part of a picture.");
  for (const options of WISHES) {
    if (isWished(question, options) && !said.includes(options)) report.lose(NAMES[options]);
  }
  for (const name of [...Object.keys(extra), ...unread]) report.lose(name);
}

function isWished(question: ImageRequest, options: ImageOptions): boolean {
  if (options === "series") return question.series?.mode === "auto";
  if (options === "partials") return (question.partials ?? 0) > 0;
  return question[options] !== undefined && question[options] !== "auto";
}
