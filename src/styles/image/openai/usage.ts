import type { Usage } from "#core/usage.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { parseUsage } from "#styles/text/responses/usage.ts";

/**
 * Images may have a separate price; without a breakdown by token type, all output counts as images.
 */
export function readUsage(wire: Json | undefined): Usage | undefined {
  const usage = parseUsage(wire);
  if (usage === undefined || usage.imageOutputTokens !== undefined) return usage;
  return { ...usage, imageOutputTokens: usage.outputTokens - usage.reasoningTokens };
}

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
