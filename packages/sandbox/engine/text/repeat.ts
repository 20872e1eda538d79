import type { Prompt } from "../prompt.ts";
import { NUMBER, readNumber } from "./numbers.ts";

/** "Repeat the word tick 5 times", "say hello three times, one per line" */
export function followRepeat({ gist: text }: Prompt): string | undefined {
  const found = text.match(PATTERN);
  const unit = found?.[1]?.trim().replaceAll(/^["'“`]|["'”`:]$/g, "") ?? "";
  if (found === null || unit === "") return undefined;
  const times = Math.min(
    readNumber(found[2] ?? ""),
    Math.floor(MAX_CHARACTERS / (unit.length + 2)),
  );
  return Array.from({ length: times }, () => unit).join(separatorOf(text));
}

const PATTERN = new RegExp(
  String.raw`\b(?:repeat|say|write|print|output|type)\s+(?:the\s+(?:words?|phrase|sentence|text|letter|line)\s+)?(.{1,500}?),?\s+(?:exactly\s+)?(${NUMBER})\s+times\b`,
  "is",
);

const MAX_CHARACTERS = 2_000_000;

export function separatorOf(text: string): string {
  if (
    /\b(?:(?:one|each) per line|on (?:a|its own|separate|new) lines?|(?:new)?line[- ]separated|newlines?)\b/i.test(
      text,
    )
  )
    return "\n";
  if (/\b(?:commas?)\b/i.test(text)) return ", ";
  return " ";
}
