import { AUTHORS } from "../knowledge/books.ts";
import { CAPITALS } from "../knowledge/capitals.ts";
import { ELEMENTS } from "../knowledge/elements.ts";
import type { Prompt } from "../prompt.ts";

/** Capitals, chemical symbols and authors: "The capital of Norway is Oslo.", or "Oslo" alone if asked for that. */
export function answerKnowledge({ gist: text }: Pick<Prompt, "gist">): string | undefined {
  for (const { question, facts, tell } of SUBJECTS) {
    const asked = text.match(question)?.[1]?.trim();
    const fact = asked === undefined ? undefined : facts.get(asked.toLowerCase());
    if (asked === undefined || fact === undefined) continue;
    if (/\b(?:surname|last name|family name)\b/i.test(text)) return fact.split(" ").at(-1);
    return isBare(text) ? fact : tell(asked, fact);
  }
  return undefined;
}

interface Subject {
  /** Its group is what is asked about. */
  readonly question: RegExp;
  readonly facts: ReadonlyMap<string, string>;
  tell(asked: string, fact: string): string;
}

const END = String.raw`(?=\s*[?.!\n]|$)`;

const SUBJECTS: readonly Subject[] = [
  {
    question: new RegExp(
      String.raw`\bcapital(?:\s+city)?\s+of\s+(?:the\s+)?([\p{L}' -]{3,40}?)${END}`,
      "iu",
    ),
    facts: CAPITALS,
    tell: (country, capital) => `The capital of ${country} is ${capital}.`,
  },
  {
    question: new RegExp(
      String.raw`\b(?:chemical\s+)?symbol\s+(?:for|of)\s+(?:the\s+element\s+)?([a-z]{3,20})${END}`,
      "i",
    ),
    facts: ELEMENTS,
    tell: (element, symbol) => `The chemical symbol for ${element} is ${symbol}.`,
  },
  {
    question: new RegExp(
      String.raw`\b(?:who\s+(?:wrote|is the author of)|author\s+of)\s+["“'*]?([^?"”*\n]{3,60}?)["”'*]?${END}`,
      "iu",
    ),
    facts: AUTHORS,
    tell: (title, author) => `${author} wrote ${title}.`,
  },
];

/** "Reply with just the city", "Answer in exactly one word", "the symbol only" */
function isBare(text: string): boolean {
  return /\b(?:reply|respond|answer)\b[^.?!\n]{0,40}\b(?:just|only|one word|single word|nothing else)\b/i.test(
    text,
  );
}
