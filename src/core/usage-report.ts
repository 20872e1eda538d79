/** Dimensions for grouping usage. Days and months are in UTC. */
export const USAGE_DIMENSIONS = [
  "hour",
  "day",
  "month",
  "key",
  "user",
  "model",
  "channel",
] as const;
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];

export interface UsageQuery {
  /**
   * Unix ms, both at the start of an hour; calls admitted from `from`
   * (inclusive) to `to` (exclusive).
   */
  readonly from: number;
  readonly to: number;
  readonly by: readonly UsageDimension[];
  readonly userId?: number;
  readonly keyId?: number;
  readonly model?: string;
  readonly channel?: string;
}

/** The totals of a group of calls. */
export interface UsageSum {
  readonly calls: number;
  readonly failedCalls: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly audioInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly audioOutputTokens: number;
  /** Nano-dollars. Above the maximum of an account the sum is rounded by a few nano-dollars. */
  readonly cost: number;
  readonly imageInputTokens: number;
  readonly imageOutputTokens: number;
  readonly images: number;
  /** Length of audio and video. */
  readonly durationMs: number;
  readonly characters: number;
  readonly searches: number;
  readonly referenceImages: number;
}

export interface UsageGroup {
  /**
   * For times the Unix ms of the start, for users and keys the id, for others
   * the name; null if unnamed.
   */
  readonly of: { readonly [D in UsageDimension]?: number | string | null };
  readonly sum: UsageSum;
}

export interface UsageReport {
  readonly groups: readonly UsageGroup[];
  readonly total: UsageSum;
  /** False if too many calls wait for aggregation to be included now. */
  readonly isComplete: boolean;
}

/** Reports usage from aggregated rows instead of single calls. */
export interface UsageReports {
  /**
   * Throws `invalid_request` for too many groups or too long a span,
   * `overloaded` if other reports are running.
   */
  report(query: UsageQuery): Promise<UsageReport>;
}

/** The hourly sums that reports are made from. */
export interface UsageSums {
  /** Adds at most `limit` calls to the sums; returns their number. */
  sum(limit: number): Promise<number>;
  /** Deletes the sums of one hour that ended before `before` (Unix ms); false if there are none. */
  prune(before: number): Promise<boolean>;
}
