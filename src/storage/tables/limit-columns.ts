import type { RateLimits, RateLimitsChange } from "#core/limits.ts";

/** `null` means unlimited. */
export interface LimitColumns {
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrency: number | null;
}

export function limitsOf(row: LimitColumns): RateLimits | undefined {
  const limits = {
    ...(row.requests_per_minute === null ? {} : { requestsPerMinute: row.requests_per_minute }),
    ...(row.tokens_per_minute === null ? {} : { tokensPerMinute: row.tokens_per_minute }),
    ...(row.concurrency === null ? {} : { concurrency: row.concurrency }),
  };
  return Object.keys(limits).length === 0 ? undefined : Object.freeze(limits);
}

/** The columns that a change sets. */
export function limitColumns({
  requestsPerMinute,
  tokensPerMinute,
  concurrency,
}: RateLimitsChange): Partial<LimitColumns> {
  return {
    ...(requestsPerMinute === undefined ? {} : { requests_per_minute: requestsPerMinute }),
    ...(tokensPerMinute === undefined ? {} : { tokens_per_minute: tokensPerMinute }),
    ...(concurrency === undefined ? {} : { concurrency }),
  };
}
