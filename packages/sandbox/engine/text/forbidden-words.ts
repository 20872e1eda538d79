import { contentWords } from "../words.ts";

/** "Do not mention bananas", "without using the word rain": what an answer must not say. */
export function forbiddenWords(text: string): ReadonlySet<string> {
  const found = [...text.matchAll(FORBIDDEN)].flatMap(([, words = ""]) => contentWords(words));
  return new Set(found);
}

const FORBIDDEN =
  /\b(?:do not|don['’]t|never|without|avoid)\s+(?:mention(?:ing)?|say(?:ing)?|us(?:e|ing)|includ(?:e|ing)|nam(?:e|ing)|writ(?:e|ing))\s+(?:the\s+words?\s+)?([^.!?\n]{1,200})/gi;
