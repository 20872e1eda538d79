/**
 * The sandbox's own token count, for every vendor: a word counts one token per
 * six characters, punctuation and blanks one per four, an ideograph one each;
 * a single blank belongs to the word after it. English comes out at about four
 * characters a token. The tokens of a text, joined, are the text.
 */
export function* splitTokens(text: string): Generator<string> {
  for (const [token] of text.matchAll(TOKEN)) yield token;
}

export function countTokens(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(TOKEN)) count++;
  return count;
}

const IDEOGRAPH = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}`;
const WORD = String.raw` ?(?:(?![${IDEOGRAPH}])[\p{L}\p{M}\p{N}_]){1,6}`;
const PUNCTUATION = String.raw` ?[^\s\p{L}\p{M}\p{N}_]{1,4}`;

const TOKEN = new RegExp(String.raw`[${IDEOGRAPH}]|${WORD}|${PUNCTUATION}|\s{1,4}`, "gu");
