/** The tokens of a vocabulary as bytes: a tenth of the memory of as many strings, and transferable. */
export interface VocabularyTable {
  /** The bytes of all tokens, in the order of their ranks. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of each token in `bytes`, by rank. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** A hash table with linear probing: 1 + the rank, or 0 for a free slot. */
  readonly slots: Int32Array<ArrayBuffer>;
}

/** A token's text, or its bytes if they are not valid UTF-8 by themselves. */
type TokenText = string | readonly number[];

/** Any rank is lower than that of a text that is no token. */
export const NO_RANK = 0x7f_ff_ff_ff;

/** `tokens` by rank. */
export function buildVocabulary(tokens: readonly TokenText[]): VocabularyTable {
  const { bytes, ends } = concatTokens(tokens);
  // At most half of the slots are taken, so that probes stay short.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(tokens.length * 2 + 1)));
  let start = 0;
  for (const [rank, end] of ends.entries()) {
    let slot = hashOf(bytes, start, end) & (slots.length - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = rank + 1;
    start = end;
  }
  return { bytes, ends, slots };
}

function concatTokens(tokens: readonly TokenText[]): Pick<VocabularyTable, "bytes" | "ends"> {
  const encoder = new TextEncoder();
  const pieces = tokens.map((token) =>
    typeof token === "string" ? encoder.encode(token) : Uint8Array.from(token),
  );
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  const ends = new Uint32Array(tokens.length);
  let end = 0;
  for (const [rank, piece] of pieces.entries()) {
    bytes.set(piece, end);
    end += piece.length;
    ends[rank] = end;
  }
  return { bytes, ends };
}

/** Finds the rank of a text in a vocabulary. */
export class Vocabulary {
  readonly #table: VocabularyTable;

  constructor(table: VocabularyTable) {
    this.#table = table;
  }

  /** `NO_RANK` if these bytes are no token. */
  rankOf(text: Uint8Array, start: number, end: number): number {
    const { slots } = this.#table;
    let slot = hashOf(text, start, end) & (slots.length - 1);
    for (;;) {
      const rank = (slots[slot] ?? 0) - 1;
      if (rank < 0) return NO_RANK;
      if (this.#isToken(rank, text, start, end)) return rank;
      slot = (slot + 1) & (slots.length - 1);
    }
  }

  #isToken(rank: number, text: Uint8Array, start: number, end: number): boolean {
    const { bytes, ends } = this.#table;
    const from = rank === 0 ? 0 : (ends[rank - 1] ?? 0);
    if ((ends[rank] ?? 0) - from !== end - start) return false;
    for (let index = start; index < end; index++) {
      if (bytes[from + index - start] !== text[index]) return false;
    }
    return true;
  }
}

/** FNV-1a, with its high bits mixed into the low ones, which select the slot. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = start; index < end; index++) {
    hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01_00_01_93);
  }
  return hash ^ (hash >>> 15);
}
