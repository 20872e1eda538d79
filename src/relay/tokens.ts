/**
 * Byte-pair encoding is quadratic on repeats, so texts are counted in pieces;
 * and no more of these than take some tens of milliseconds, since nothing else
 * happens meanwhile. What is longer is counted by an even sample of it.
 */
const PIECE_CHARS = 400;
const MAX_PIECES = 1_000;

export type Tokenizer = (text: string) => number;

let loading: Promise<Tokenizer> | undefined;

/** Tokens of a text by the tokenizer of the newest OpenAI models. */
export async function countTokens(text: string): Promise<number> {
  return await countTexts([text]);
}

/** Tokens of texts taken together; a long one is not joined to its neighbours. */
export async function countTexts(texts: readonly string[]): Promise<number> {
  if (texts.every((text) => text === "")) return 0;
  return sampleTokens(texts, await tokenizer());
}

/** The work of it: at most `MAX_PIECES` calls of the tokenizer and a few, of `PIECE_CHARS` characters each. */
export function sampleTokens(texts: readonly string[], count: Tokenizer): number {
  const pieces = texts.reduce((sum, { length }) => sum + Math.ceil(length / PIECE_CHARS), 0);
  const stride = Math.max(1, Math.ceil(pieces / MAX_PIECES));
  let tokens = 0;
  let countedChars = 0;
  let chars = 0;
  let index = 0;
  for (const text of texts) {
    chars += text.length;
    for (let start = 0; start < text.length; index++) {
      const end = endOfPiece(text, start);
      if (index % stride === 0) {
        tokens += count(text.slice(start, end));
        countedChars += end - start;
      }
      start = end;
    }
  }
  return stride === 1 ? tokens : Math.round((tokens * chars) / countedChars);
}

/** It takes a while and some memory to load, so it is loaded when first needed. */
async function tokenizer(): Promise<Tokenizer> {
  loading ??= import("gpt-tokenizer/encoding/o200k_base").then(({ countTokens: count }) => {
    // What looks like a mark of the model's own is a caller's text like any other.
    const options = { disallowedSpecial: new Set<string>() };
    return (text) => count(text, options);
  });
  return await loading;
}

/** At a space where there is one, so that few tokens fall across a cut. */
function endOfPiece(text: string, start: number): number {
  const end = start + PIECE_CHARS;
  if (end >= text.length) return text.length;
  const space = text.slice(start, end).lastIndexOf(" ");
  if (space > PIECE_CHARS / 2) return start + space;
  // Never between the halves of one character.
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff;
}
