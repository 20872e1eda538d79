import type { CallRecord } from "#core/call.ts";
import { ALL_CALLS, bucketOf, MINUTE_MS, type ChannelMinute } from "#core/channel-minute.ts";
import { FAULTS, type FaultCode } from "#core/error.ts";
import { nanoUsd } from "#core/money.ts";
import type { Clock } from "#lib/clock.ts";

/** Minutes in memory: the current one, and the one before until it is written. */
const KEPT_MINUTES = 3;

interface Counted {
  readonly channel: string;
  readonly minute: number;
  attempts: number;
  failed: number;
  cost: number;
  readonly firstBytes: Map<number, number>;
  readonly faults: Map<FaultCode, number>;
  isWritten: boolean;
}

/** Counts the attempts of this gateway by channel and minute, for a job that stores them. */
export class ChannelMinutes {
  readonly #clock: Clock;
  /** By channel and minute. */
  readonly #counted = new Map<string, Map<number, Counted>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  observe(record: CallRecord): void {
    const { attempts, channel, cost } = record;
    this.#observeCall(record);
    for (const { channel: name, fault, durationMs } of attempts) {
      const counted = this.#of(name);
      if (fault === null) {
        counted.attempts++;
        add(counted.firstBytes, bucketOf(durationMs));
      } else if (isFailure(fault)) {
        counted.attempts++;
        counted.failed++;
        add(counted.faults, fault);
      }
    }
    if (channel !== null && cost > 0) this.#of(channel).cost += cost;
  }

  #observeCall({ fault, firstByteMs, cost }: CallRecord): void {
    const isFailed = fault !== null && isFailure(fault, true);
    if (fault !== null && !isFailed) return;
    const counted = this.#of(ALL_CALLS);
    counted.attempts++;
    counted.cost += cost;
    if (isFailed) {
      counted.failed++;
      add(counted.faults, fault);
    } else if (firstByteMs !== null) add(counted.firstBytes, bucketOf(firstByteMs));
  }

  /** Minutes that changed since they were taken. Older ones are deleted from memory. */
  take(): readonly ChannelMinute[] {
    const oldest = this.#minute() - KEPT_MINUTES * MINUTE_MS;
    const all = [...this.#counted.values()].flatMap((ofChannel) => [...ofChannel.values()]);
    const changed = all.filter(({ isWritten }) => !isWritten);
    for (const counted of all) {
      counted.isWritten = true;
      if (counted.minute < oldest) this.#forget(counted);
    }
    return changed.map((each) => ({
      channel: each.channel,
      minute: each.minute,
      attempts: each.attempts,
      failed: each.failed,
      cost: nanoUsd(each.cost),
      firstBytes: new Map(each.firstBytes),
      faults: new Map(each.faults),
    }));
  }

  /** They could not be stored. */
  putBack(minutes: readonly ChannelMinute[]): void {
    for (const { channel, minute } of minutes) {
      const counted = this.#counted.get(channel)?.get(minute);
      if (counted !== undefined) counted.isWritten = false;
    }
  }

  #minute(): number {
    return Math.floor(this.#clock.now() / MINUTE_MS) * MINUTE_MS;
  }

  #of(channel: string): Counted {
    const minute = this.#minute();
    const counted = this.#counted.get(channel)?.get(minute) ?? this.#begin(channel, minute);
    counted.isWritten = false;
    return counted;
  }

  #begin(channel: string, minute: number): Counted {
    const counted = {
      channel,
      minute,
      attempts: 0,
      failed: 0,
      cost: 0,
      firstBytes: new Map(),
      faults: new Map(),
      isWritten: false,
    };
    const ofChannel = this.#counted.get(channel);
    if (ofChannel === undefined) this.#counted.set(channel, new Map([[minute, counted]]));
    else ofChannel.set(minute, counted);
    return counted;
  }

  #forget({ channel, minute }: Counted): void {
    const ofChannel = this.#counted.get(channel);
    ofChannel?.delete(minute);
    if (ofChannel?.size === 0) this.#counted.delete(channel);
  }
}

/** A client's mistake or disconnect says nothing about the channel. */
function isFailure(fault: FaultCode, isOfGateway = false): boolean {
  const { blame } = FAULTS[fault];
  return blame === "upstream" || blame === "operator" || (isOfGateway && blame === "gateway");
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
