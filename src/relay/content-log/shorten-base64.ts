/** Base64 of this length is a file. */
const LONG_CHARS = 1_024;
const STEP = LONG_CHARS / 2;

/**
 * Replaces long base64 by its length. A long run covers a multiple of the step, so the text between
 * the steps need not be read.
 */
export function shortenBase64(text: string): string {
  let out = "";
  let kept = 0;
  for (let at = STEP; at < text.length; at += STEP) {
    if (at < kept || !isBase64(text.charCodeAt(at))) continue;
    let start = at;
    while (start > kept && isBase64(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (end < text.length && isBase64(text.charCodeAt(end))) end++;
    if (end - start < LONG_CHARS) continue;
    out += `${text.slice(kept, start)}[base64, ${end - start} characters]`;
    kept = end;
  }
  return out + text.slice(kept);
}

/** Letters, digits, `+`, `/`, `=`, and `-` and `_` of the form for URLs. */
function isBase64(unit: number): boolean {
  return unit < BASE64.length && BASE64[unit] === true;
}

const BASE64: readonly boolean[] = Array.from({ length: 128 }, (_, unit) =>
  /[\w+/=-]/.test(String.fromCodePoint(unit)),
);
