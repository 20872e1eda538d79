/** How fast somebody may call; no bound where a member is absent. */
export interface RateLimits {
  readonly requestsPerMinute?: number;
  /** Input and output; reserved on admission by the estimate, corrected by what was used. */
  readonly tokensPerMinute?: number;
  /** Calls at once. */
  readonly concurrency?: number;
}
