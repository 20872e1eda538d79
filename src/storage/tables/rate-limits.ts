import type { RateLimits } from "#core/limits.ts";
import { defined } from "#lib/values.ts";

interface PaceColumns {
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
}

export function toLimits(row: PaceColumns): RateLimits | undefined {
  const { requests_per_minute: requests, tokens_per_minute: tokens } = row;
  if (requests === null && tokens === null) return undefined;
  return defined({
    requestsPerMinute: requests ?? undefined,
    tokensPerMinute: tokens ?? undefined,
  });
}
