import type { Usage } from "#core/usage.ts";
import type { JsonObject } from "#lib/json.ts";

export function writeUsage({ inputTokens, outputTokens }: Usage): JsonObject {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_tokens_details: { text_tokens: inputTokens, image_tokens: 0 },
  };
}
