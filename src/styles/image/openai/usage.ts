import type { Usage } from "#core/usage.ts";
import type { JsonObject } from "#lib/json.ts";

export function writeUsage(usage: Usage): JsonObject {
  const { inputTokens, imageInputTokens = 0, outputTokens, imageOutputTokens } = usage;
  const input = { text_tokens: inputTokens - imageInputTokens, image_tokens: imageInputTokens };
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_tokens_details: input,
    ...(imageOutputTokens !== undefined && {
      output_tokens_details: {
        text_tokens: outputTokens - imageOutputTokens,
        image_tokens: imageOutputTokens,
      },
    }),
  };
}
