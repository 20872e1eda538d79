import type { ImageQuestion } from "#core/image.ts";
import type { LossReport } from "#core/lossy.ts";

/** What a caller may wish of a picture beside what it is to show. */
export type Wish = keyof typeof CALLERS_NAMES;

/** Which field of the caller's says it. */
const CALLERS_NAMES = {
  mask: "mask",
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
} as const satisfies Partial<Record<keyof ImageQuestion, string>>;

const WISHES = Object.keys(CALLERS_NAMES) as readonly Wish[];

/** Reports the wishes of a family other than the one that is asked, by their callers' names. */
export function loseOthers(
  question: ImageQuestion,
  known: readonly Wish[],
  report: LossReport,
): void {
  for (const wish of WISHES) {
    if (!known.includes(wish) && asksForSomething(wish, question)) {
      report.lose(CALLERS_NAMES[wish]);
    }
  }
  for (const field of Object.keys(question.extra ?? {})) report.lose(field);
}

/** Many clients write what stands for nothing. */
function asksForSomething(wish: Wish, question: ImageQuestion): boolean {
  if (wish === "series") return question.series?.mode === "auto";
  if (wish === "partials") return (question.partials ?? 0) > 0;
  const value = question[wish];
  return value !== undefined && value !== false && value !== "auto" && value !== "";
}
