import { PROMPT_TOKENS } from "./plan.ts";

/** What the vendor knows of a call. */
export interface CallRecord {
  readonly id: string;
  readonly startedAt: number;
  /** Tokens of the answer that were written so far. */
  written: number;
  isComplete: boolean;
  /** When the gateway closed the connection of an answer that was not complete. */
  abortedAt?: number;
}

/** Tokens that the vendor's bill of a call has. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** A call that ended before its first token costs nothing. */
export function billedTokens({ written, isComplete }: CallRecord): Tokens {
  if (written === 0 && !isComplete) return { input: 0, output: 0 };
  return { input: PROMPT_TOKENS, output: written };
}

/** US dollars for a million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
}

export function costOf({ input, output }: Tokens, prices: Prices): number {
  return (input * prices.input + output * prices.output) / 1e6;
}
