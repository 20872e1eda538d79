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

export type ImageOption = keyof typeof NAMES;

const isOption = (name: string): name is ImageOption => name in NAMES;
const OPTIONS = Object.keys(NAMES).filter(isOption);

/**
 * Reports unsupported options as lost, by the clients' names; `said` lists the supported ones.
 * Throws for a mask: without it, the whole image would change.
 */
export function reportUnsaid(
  question: ImageRequest,
  said: readonly ImageOption[],
  report: LossReport,
): void {
  const { mask, markup, extra = {}, unread = [] } = question;
  if (markup !== undefined) throw refuse("markup", "this model does not support markup.");
  if (mask !== undefined) throw refuse("mask", "this model does not support masks.");
  for (const option of OPTIONS) {
    if (isRequested(question, option) && !said.includes(option)) report.lose(NAMES[option]);
  }
  for (const name of [...Object.keys(extra), ...unread]) report.lose(name);
}

function isRequested(question: ImageRequest, option: ImageOption): boolean {
  if (option === "series") return question.series?.mode === "auto";
  if (option === "partials") return (question.partials ?? 0) > 0;
  return question[option] !== undefined && question[option] !== "auto";
}
