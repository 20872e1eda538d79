import type { Json } from "#lib/json.ts";

/** Shorter texts are not cut. */
const MIN_CHARS = 64;
const STEP = 4;

/**
 * Writes a list as JSON of at most `maxChars` characters, which stays valid: long texts are cut
 * first, then the earliest items are left out.
 */
export function writeWithin(list: readonly Json[], maxChars: number): string {
  const whole = JSON.stringify(list);
  if (whole.length <= maxChars) return whole;
  for (let limit = maxChars / STEP; limit >= MIN_CHARS; limit /= STEP) {
    const text = writeCut(list, limit);
    if (text.length <= maxChars) return text;
  }
  let from = Math.ceil(list.length / 2);
  for (; from < list.length; from = Math.ceil((from + list.length) / 2)) {
    const text = writeCut(list.slice(from), MIN_CHARS);
    if (text.length <= maxChars) return text;
  }
  return "[]";
}

function writeCut(list: readonly Json[], limit: number): string {
  return JSON.stringify(list, (_name, value: Json) =>
    typeof value === "string" && value.length > limit
      ? `${value.slice(0, limit).toWellFormed()}… [${value.length} characters]`
      : value,
  );
}
