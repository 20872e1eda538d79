import type { NanoUsd } from "#core/money.ts";

/** Attempts on a channel within one minute, as one gateway counted them. */
export interface ChannelMinutesTable {
  channel: string;
  /** Start of the minute, Unix ms. */
  minute: number;
  /** The process that counted. */
  instance: string;
  attempts: number;
  failed: number;
  cost: NanoUsd;
  /** JSON array of `[bucket, count]`: the first byte of attempts that succeeded. */
  first_bytes: string;
  /** JSON array of `[fault, count]`. */
  faults: string;
}
