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

/** Pieces of a text at even distances. */
export function evenSample(text: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const start = Math.floor((index * text.length) / count);
    // A half of a surrogate pair is no character.
    const from = isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start;
    return text.slice(from, endOfPiece(text, from));
  });
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

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc_00 && unit <= 0xdf_ff;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff;
}
