/** What usage can be told apart by. Days and months are those of UTC. */
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
  /** Unix ms, both at the beginning of an hour; calls admitted from `from` on and before `to`. */
  readonly from: number;
  readonly to: number;
  readonly by: readonly UsageDimension[];
  readonly userId?: number;
  readonly keyId?: number;
  readonly model?: string;
  readonly channel?: string;
}

/** What some calls add up to. */
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
  /** Nano-dollars. Beyond what an account can count it is rounded, to a few of them. */
  readonly cost: number;
  readonly imageInputTokens: number;
  readonly imageOutputTokens: number;
  readonly images: number;
  /** Of audio and video. */
  readonly durationMs: number;
  readonly characters: number;
  readonly searches: number;
}

export interface UsageGroup {
  /** Unix ms of its beginning for times, ids for users and keys, names for the others; null for no name. */
  readonly of: { readonly [D in UsageDimension]?: number | string | null };
  readonly sum: UsageSum;
}

export interface UsageReport {
  readonly groups: readonly UsageGroup[];
  readonly total: UsageSum;
  /** False where more calls wait to be added up than can be looked at now. */
  readonly isComplete: boolean;
}

/** Answers how much was used, without a look at every call. */
export interface UsageReports {
  /**
   * Throws `invalid_request` for more groups or a longer span than can be
   * answered at once, `overloaded` while others ask.
   */
  report(query: UsageQuery): Promise<UsageReport>;
}
