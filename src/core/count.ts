import { isArray, isObject, type Json } from "#lib/json.ts";

/** Approximate vendor charge for an image or a page, used if the vendor reports no usage. */
const MEDIA_TOKENS = 1_100;
const MESSAGE_TOKENS = 4;
const LONGEST_WORD = 2_048;

/**
 * A high estimate of the tokens of a text: three bytes per token is more than
 * English needs and about right for Chinese.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

/**
 * Estimates the tokens of a request body in any style: all strings count, media
 * per item. It is for reservations, so it must be fast and must not
 * underestimate.
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

/** True for a data URL, or thousands of characters without whitespace at the start: not text. */
function isMedia(text: string): boolean {
  if (text.length < LONGEST_WORD) return text.startsWith("data:");
  return text.startsWith("data:") || !/\s/.test(text.slice(0, LONGEST_WORD));
}
