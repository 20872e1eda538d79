import type { Prompt } from "../prompt.ts";

/**
 * "What port does it listen on?" after a file with `"port": 8443` or `port = 8443` was read: the
 * value, alone if that is asked for. Undefined where no result names one.
 */
export function valueInResults({ gist: text, results }: Prompt): string | undefined {
  const asked = text.match(/\b(?:what|which)\s+(?:is\s+the\s+)?([\p{L}_]{2,40})\b/iu)?.[1];
  if (asked === undefined) return undefined;
  const pair = new RegExp(
    String.raw`(?<![\p{L}\d_])["']?${asked}["']?\s*[:=]\s*["']?([^"',;}\s]{1,200})`,
    "iu",
  );
  for (const result of results) {
    const value = result.text.match(pair)?.[1];
    if (value === undefined) continue;
    const isBare = /\b(?:just|only)\b[^.?!\n]{0,30}\b(?:number|value|name|answer)\b/i.test(text);
    return isBare ? value : `The ${asked} is ${value}.`;
  }
  return undefined;
}
