import type { FaultCode } from "./error.ts";
import { nanoUsd, type NanoUsd } from "./money.ts";

/** Attempts on a channel within one minute. */
export interface ChannelMinute extends ChannelSum {
  readonly channel: string;
  /** Start of the minute, Unix ms. */
  readonly minute: number;
}

/** Attempts on a channel. A failure that the client caused is neither a success nor a failure. */
export interface ChannelSum {
  readonly attempts: number;
  readonly failed: number;
  readonly cost: NanoUsd;
  /** Times to the first byte: counts by bucket. */
  readonly firstBytes: ReadonlyMap<number, number>;
  readonly faults: ReadonlyMap<FaultCode, number>;
}

/** The store of the minutes of all gateways. */
export interface ChannelMinuteStore {
  /** Replaces the earlier rows of this gateway for these minutes. */
  write(minutes: readonly ChannelMinute[]): Promise<void>;
  /** By minute, summed over gateways; `to` is exclusive. */
  read(channel: string, from: number, to: number): Promise<readonly ChannelMinute[]>;
  /** The sum since `from` of each name that has minutes, over gateways. */
  sums(from: number): Promise<ReadonlyMap<string, ChannelSum>>;
  /** Deletes minutes before this time; false if nothing was deleted. */
  prune(before: number): Promise<boolean>;
}

/** The name of the minutes of all calls; no channel has it. A call counts once, by its end. */
export const ALL_CALLS = "";

export const MINUTE_MS = 60_000;
/** Buckets in which a time doubles: the error is less than a tenth. */
const BUCKETS_PER_DOUBLING = 4;

export function bucketOf(ms: number): number {
  return Math.round(Math.log2(Math.max(1, ms)) * BUCKETS_PER_DOUBLING);
}

function timeOf(bucket: number): number {
  return Math.round(2 ** (bucket / BUCKETS_PER_DOUBLING));
}

export function sumMinutes(minutes: readonly ChannelSum[]): ChannelSum {
  const firstBytes = new Map<number, number>();
  const faults = new Map<FaultCode, number>();
  let [attempts, failed, cost] = [0, 0, 0];
  for (const each of minutes) {
    attempts += each.attempts;
    failed += each.failed;
    cost += each.cost;
    for (const [bucket, count] of each.firstBytes) {
      firstBytes.set(bucket, (firstBytes.get(bucket) ?? 0) + count);
    }
    for (const [fault, count] of each.faults) faults.set(fault, (faults.get(fault) ?? 0) + count);
  }
  return { attempts, failed, cost: nanoUsd(cost), firstBytes, faults };
}

/** The time to the first byte that this share of attempts did not exceed; undefined without any. */
export function firstByteAt({ firstBytes }: ChannelSum, share: number): number | undefined {
  const total = [...firstBytes.values()].reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [bucket, count] of [...firstBytes].toSorted(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= total * share) return timeOf(bucket);
  }
  return undefined;
}
