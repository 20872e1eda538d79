import type { Prompt } from "../prompt.ts";
import { NUMBER, readNumber } from "./numbers.ts";
import { separatorOf } from "./repeat.ts";

/** "Count to 10", "count down from 5 to 1", "list the numbers from 3 to 7" */
export function followCount({ gist: text }: Prompt): string | undefined {
  const found = text.match(PATTERN) ?? text.match(LISTING);
  if (found === null) return undefined;
  const [, start, end] = found;
  const isDown = /\bcount(?:ing)? (?:down|backwards)\b/i.test(text);
  const from = start === undefined ? (isDown ? readNumber(end ?? "") : 1) : readNumber(start);
  const to = start === undefined && isDown ? 1 : readNumber(end ?? "");

  const step = from <= to ? 1 : -1;
  const length = Math.min(Math.abs(to - from) + 1, MAX_COUNT);
  const separator = separatorOf(text) === "\n" ? "\n" : ", ";
  return Array.from({ length }, (_, index) => from + index * step).join(separator);
}

const PATTERN = new RegExp(
  String.raw`\bcount(?:ing)?\s+(?:(?:down|up|backwards)\s+)?(?:slowly\s+|aloud\s+)?(?:from\s+(${NUMBER})\s+)?(?:(?:down|up)\s+)?(?:to|until|till|from)\s+(${NUMBER})\b`,
  "i",
);

const LISTING = new RegExp(
  String.raw`\b(?:list|print|write|give|output|say)\b[^.\n]{0,40}\bnumbers?\s+(?:from\s+)?(${NUMBER})\s*(?:to|through|-|–)\s*(${NUMBER})\b`,
  "i",
);

const MAX_COUNT = 200_000;
