/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** A whole number, both bounds included. */
  between(low: number, high: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
}

/** Mulberry32 over a hash of the seed. */
export function seededRandom(seed: string): Random {
  let state = hash(seed);

  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return { next, between, pick: (list) => list[between(0, list.length - 1)] ?? list[0] };
}

/** 32 bits of FNV-1a; a long text can be hashed in parts, each from the hash before. */
export function hash(text: string, before = 0x811c9dc5): number {
  let value = before;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
