/**
 * Byte-pair encoding is quadratic for repeated text, so texts are counted in pieces. The total per
 * text is limited to some tens of milliseconds, because others wait; longer texts are estimated
 * from an even sample.
 */
const PIECE_CHARS = 400;
const MAX_PIECES = 1_000;

export type Tokenizer = (text: string) => number;

/** Total tokens of several texts; a long one is not joined with its neighbours. */
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

/** At a space if possible, so that few tokens are split. */
function endOfPiece(text: string, start: number): number {
  const end = start + PIECE_CHARS;
  if (end >= text.length) return text.length;
  const space = text.slice(start, end).lastIndexOf(" ");
  if (space > PIECE_CHARS / 2) return start + space;
  // Never between the halves of a surrogate pair.
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff;
}
