import type { Prompt } from "../prompt.ts";

/** 'How many times does the letter "r" appear in "strawberry"?', "how many e's are in cheese" */
export function countLetters({ gist: text }: Prompt): string | undefined {
  const found = text.match(TIMES) ?? text.match(PLURAL);
  const [, letter = "", word = ""] = found ?? [];
  if (found === null || word === "") return undefined;
  const count = word.toLowerCase().split(letter.toLowerCase()).length - 1;
  if (/\b(?:only|just)\b.{0,30}\bnumber\b/i.test(text)) return String(count);
  return `The letter "${letter}" appears ${count} ${count === 1 ? "time" : "times"} in "${word}".`;
}

const QUOTE = `["'“”‘’\`]?`;
const IN_WORD = String.raw`\s+(?:in|within)\s+(?:the\s+word\s+)?${QUOTE}(\p{L}{2,60})`;
const TIMES = new RegExp(
  String.raw`\bhow many times\b[^?.\n]{0,30}\bletter\s+${QUOTE}(\p{L})${QUOTE}\s+(?:appears?|occurs?|is|used)${IN_WORD}`,
  "iu",
);
const PLURAL = new RegExp(
  String.raw`\bhow many\s+(?:letters?\s+)?${QUOTE}(\p{L})${QUOTE}(?:['’]?s)?\s+(?:are|is|appear|occur)(?:\s+there)?${IN_WORD}`,
  "iu",
);
