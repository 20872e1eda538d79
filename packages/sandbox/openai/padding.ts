/** Hides the length of a token: with the padding, events come out at a multiple of sixteen characters. */
export function padding(length: number, count: number): string {
  const missing = (16 - (length % 16)) % 16;
  const from = (count * 7) % LETTERS.length;
  return (LETTERS + LETTERS).slice(from, from + missing);
}

const LETTERS = "aQ3xZ8mKp1RtY6wLc9Vb";
