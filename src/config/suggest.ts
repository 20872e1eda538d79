const MAX_LENGTH = 64;

/** The known word that is closest to a misspelt one, if any is close enough. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const lower = word.toLowerCase();

  let nearest: string | undefined;
  // Limited, so that a short word is not replaced completely.
  let least = Math.min(word.length, Math.max(1, Math.floor(word.length / 3)) + 1);
  for (const candidate of known) {
    const edits = countEdits(lower, candidate.toLowerCase());
    if (edits < least) {
      nearest = candidate;
      least = edits;
    }
  }
  return nearest;
}

/** The end of an error message: a suggestion, or the list of known words. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = suggest(word, known);
  if (meant !== undefined) return `did you mean "${meant}"?`;
  return known.length === 0 ? "no values are known." : `known values: ${known.join(", ")}.`;
}

/** Edit distance with insertions, deletions, changes and swaps of neighbours. */
export function countEdits(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);

  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const changed = a[row - 1] === b[column - 1] ? 0 : 1;
      let edits = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + changed,
      );
      const isSwap =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) edits = Math.min(edits, at(beforeLast, column - 2) + 1);
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
