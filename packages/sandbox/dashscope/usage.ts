import type { JsonObject } from "../json.ts";
import type { Totals } from "../openai/usage.ts";

/** The tokens of thoughts are told where there were any, those of media likewise. */
export function usage({ prompt, cached, output, reasoning }: Totals): JsonObject {
  const media = {
    ...(prompt.image > 0 ? { image_tokens: prompt.image } : {}),
    ...(prompt.audio > 0 ? { audio_tokens: prompt.audio } : {}),
  };
  const text = Object.keys(media).length === 0 ? {} : { text_tokens: prompt.text };
  return {
    prompt_tokens: prompt.total,
    completion_tokens: output,
    total_tokens: prompt.total + output,
    ...(reasoning > 0 ? { completion_tokens_details: { reasoning_tokens: reasoning } } : {}),
    prompt_tokens_details: { cached_tokens: cached, ...media, ...text },
  };
}
