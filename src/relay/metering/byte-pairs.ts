import { Heap } from "#lib/heap.ts";
import type { Tokenizer } from "./sample-tokens.ts";
import { NO_RANK, type Vocabulary } from "./vocabulary.ts";

/**
 * Counts tokens by byte-pair encoding: `split` cuts a text into words; of a word that is no token,
 * the neighbours that form the token of the lowest rank are joined until none form a token.
 */
export function bytePairCounter(vocabulary: Vocabulary, split: RegExp): Tokenizer {
  const words = new WordCounter(vocabulary);
  return (text) => {
    let tokens = 0;
    for (const [word] of text.matchAll(split)) tokens += words.count(word);
    return tokens;
  };
}

const encoder = new TextEncoder();
const MAX_BYTES_PER_CHAR = 3;

/** Above the number of bytes of a word, so that a pair's rank and place fit into one number. */
const MAX_PLACES = 2 ** 20;
/** The right half of a joined pair. */
const JOINED = -1;

/**
 * A word's parts are a linked list over its bytes: the part that starts at byte `at` ends where its
 * right neighbour starts. A heap has the pairs by rank. Arrays are reused for all words.
 */
class WordCounter {
  readonly #vocabulary: Vocabulary;
  readonly #pairs = new Heap<number>((pair) => pair);
  #bytes = new Uint8Array(0);
  /** Where the right neighbour of each part starts. */
  #next = new Int32Array(0);
  /** Where the left neighbour of each part starts; -1 for the first part. */
  #previous = new Int32Array(0);
  /** The rank of each part joined with its right neighbour. */
  #ranks = new Int32Array(0);
  #sizeBytes = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  count(word: string): number {
    this.#reserve(word.length * MAX_BYTES_PER_CHAR);
    const { written } = encoder.encodeInto(word, this.#bytes);
    if (this.#vocabulary.rankOf(this.#bytes, 0, written) !== NO_RANK) return 1;
    this.#cut(written);
    let parts = written;
    for (let pair = this.#pairs.pop(); pair !== undefined; pair = this.#pairs.pop()) {
      const at = pair % MAX_PLACES;
      // Its parts were joined with others since it was added.
      if (this.#ranks[at] !== Math.floor(pair / MAX_PLACES)) continue;
      this.#join(at);
      parts--;
    }
    return parts;
  }

  #reserve(sizeBytes: number): void {
    if (sizeBytes <= this.#bytes.length) return;
    this.#bytes = new Uint8Array(sizeBytes);
    this.#next = new Int32Array(sizeBytes);
    this.#previous = new Int32Array(sizeBytes + 1);
    this.#ranks = new Int32Array(sizeBytes);
  }

  /** Each byte is a part. */
  #cut(sizeBytes: number): void {
    this.#sizeBytes = sizeBytes;
    for (let at = 0; at < sizeBytes; at++) {
      this.#next[at] = at + 1;
      this.#previous[at] = at - 1;
    }
    for (let at = 0; at < sizeBytes; at++) this.#rank(at);
  }

  #join(at: number): void {
    const right = this.#next[at] ?? 0;
    const end = this.#next[right] ?? 0;
    this.#next[at] = end;
    this.#previous[end] = at;
    this.#ranks[right] = JOINED;
    this.#rank(at);
    const left = this.#previous[at] ?? -1;
    if (left >= 0) this.#rank(left);
  }

  #rank(at: number): void {
    const right = this.#next[at] ?? 0;
    const isLast = right === this.#sizeBytes;
    const end = this.#next[right] ?? 0;
    const rank = isLast ? NO_RANK : this.#vocabulary.rankOf(this.#bytes, at, end);
    this.#ranks[at] = rank;
    if (rank !== NO_RANK) this.#pairs.push(rank * MAX_PLACES + at);
  }
}
