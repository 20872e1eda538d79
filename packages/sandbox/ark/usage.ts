import type { JsonObject } from "../json.ts";
import type { Totals } from "../openai/usage.ts";

export function usage({ prompt, cached, output, reasoning }: Totals): JsonObject {
  return {
    completion_tokens: output,
    prompt_tokens: prompt.total,
    total_tokens: prompt.total + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
