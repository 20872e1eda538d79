import type { Family } from "./family.ts";
import type { QuotaOwner } from "./quota.ts";

/**
 * Dimensions for grouping usage. A call with several tags counts for each of them. Days
 * and months are in UTC.
 */
export const USAGE_DIMENSIONS = [
  "hour",
  "day",
  "month",
  "key",
  "user",
  "team",
  "group",
  "model",
  "channel",
  "endpoint",
  "tag",
  "session",
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
  readonly teamId?: number;
  readonly groupId?: number;
  readonly model?: string;
  readonly channel?: string;
  readonly endpoint?: Family;
  /** Only calls with this tag, such as `project=x`, or of this session. */
  readonly tag?: string;
  readonly session?: string;
  /** The dearest groups; the rest is `others`. Without it, too many groups are refused. */
  readonly limit?: number;
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
  /** The sum of the groups above the limit. */
  readonly others?: UsageSum;
  /** Of all calls, also those without a tag. */
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
  /** Names of the users, keys, teams and groups of these groups, as they are now. */
  namesOf(groups: readonly UsageGroup[]): Promise<UsageNames>;
  /** Calls and tasks admitted before `before` (Unix ms) that the owner is not charged for yet. */
  countOpen(owner: QuotaOwner, before: number): Promise<number>;
}

export interface UsageNames {
  readonly user: ReadonlyMap<number, string>;
  readonly key: ReadonlyMap<number, string>;
  readonly team: ReadonlyMap<number, string>;
  readonly group: ReadonlyMap<number, string>;
}

/** The hourly sums that reports are made from. */
export interface UsageSums {
  /** Adds at most `limit` calls to the sums; returns their number. */
  sum(limit: number): Promise<number>;
  /** Deletes the sums of one hour that ended before `before` (Unix ms); false if there are none. */
  prune(before: number): Promise<boolean>;
}
