import type { NanoUsd } from "#core/money.ts";

/** Calls of one block of the journal; 256 numbers in a row make a block. */
export const BLOCK_CALLS = 256;

/** Extremes of the calls of a block, so that a search can leave out the block. */
export interface CallBlocksTable {
  /** `seq` divided by the size of a block. */
  block: number;
  /** Unix ms: when the first and the last of its calls ended. */
  first_end: number;
  last_end: number;
  max_cost: NanoUsd;
  max_duration_ms: number;
}

/** The blocks that have a call of a property. */
export interface CallTermsTable {
  /** `channel=x`, and so on: a name of `TERMS` and a value. */
  term: string;
  block: number;
}
