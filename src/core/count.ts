import { isArray, isObject, type Json } from "#lib/json.ts";

/** About what vendors charge for a picture or a page, where nobody said. */
const MEDIA_TOKENS = 1_100;
const MESSAGE_TOKENS = 4;
const LONGEST_WORD = 2_048;

/**
 * Tokens of a text at the dear end of what tokenizers make of it: three bytes
 * a token is more than English needs and about right for Chinese.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

/**
 * Tokens of a request body, whatever its style: every string counts, media by
 * the piece. For reserving, where being quick matters and being low does harm.
 */
export function estimateInputTokens(body: Json): number {
  if (typeof body === "string") return isMedia(body) ? MEDIA_TOKENS : estimateTokens(body);
  if (isArray(body)) {
    let tokens = 0;
    for (const item of body) tokens += MESSAGE_TOKENS + estimateInputTokens(item);
    return tokens;
  }
  if (isObject(body)) {
    let tokens = 0;
    for (const key in body) {
      const value = body[key];
      if (value !== undefined && value !== null) tokens += 1 + estimateInputTokens(value);
    }
    return tokens;
  }
  return 1;
}

/** A data URL, or thousands of characters with no space among the first: not words. */
function isMedia(text: string): boolean {
  if (text.length < LONGEST_WORD) return text.startsWith("data:");
  return text.startsWith("data:") || !/\s/.test(text.slice(0, LONGEST_WORD));
}
