import type { Usage } from "#core/usage.ts";

/** An answer that came in one piece, ready for the caller. */
export interface WholeReading {
  readonly body: Uint8Array | string;
  readonly usage: Usage | undefined;
  takeOutputText(): string;
  readonly lost: readonly string[];
}
