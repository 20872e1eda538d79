/**
 * A vector of length one out of the three-letter pieces of a text: texts that
 * share many pieces are near each other, and the same text is always the same.
 */
export function vectorOf(text: string, size: number): Float32Array {
  const vector = new Float32Array(size);
  const padded = `  ${text.toLowerCase()} `;
  for (let at = 0; at + 3 <= padded.length; at++) {
    let hash = hashOf(padded.slice(at, at + 3));
    for (let each = 0; each < PLACES; each++) {
      hash = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d) >>> 0;
      const place = hash % size;
      vector[place] = (vector[place] ?? 0) + (hash & 0x10_00 ? 1 : -1);
    }
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  // Pieces can cancel each other out where there are few places for them.
  if (length === 0) return vector.fill(1 / Math.sqrt(size));
  return vector.map((value) => value / length);
}

/** In how many places each piece is seen. */
const PLACES = 8;

function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  }
  return hash >>> 0;
}
