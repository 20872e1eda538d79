import {
  sumMinutes,
  type ChannelMinute,
  type ChannelMinuteStore,
  type ChannelSum,
} from "#core/channel-minute.ts";
import type { Clock } from "#lib/clock.ts";

const RECENT_MS = 5 * 60_000;
const DAY_MS = 24 * 3_600_000;
/** A day has up to 1,440 rows for each channel and gateway, so it is not summed for each request. */
const DAY_KEPT_MS = 5_000;

/** The attempts on a channel in the last 5 minutes, the last 24 hours, and since midnight in UTC. */
interface ChannelReport {
  readonly recent: ChannelSum;
  readonly day: ChannelSum;
  readonly today: ChannelSum;
}

/** Sums the stored minutes of channels. */
export class ChannelReports {
  readonly #store: Pick<ChannelMinuteStore, "read">;
  readonly #clock: Clock;
  readonly #days = new Map<string, { readonly until: number; readonly day: DaySums }>();

  constructor(store: Pick<ChannelMinuteStore, "read">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async of(channel: string): Promise<ChannelReport> {
    const now = this.#clock.now();
    const recent = await this.#store.read(channel, now - RECENT_MS, END_OF_TIME);
    return { recent: sumMinutes(recent), ...(await this.#dayOf(channel, now)) };
  }

  history(channel: string, from: number, to: number): Promise<readonly ChannelMinute[]> {
    return this.#store.read(channel, from, to);
  }

  async #dayOf(channel: string, now: number): Promise<DaySums> {
    const kept = this.#days.get(channel);
    if (kept !== undefined && kept.until > now) return kept.day;
    const minutes = await this.#store.read(channel, now - DAY_MS, END_OF_TIME);
    const midnight = now - (now % DAY_MS);
    const day = {
      day: sumMinutes(minutes),
      today: sumMinutes(minutes.filter(({ minute }) => minute >= midnight)),
    };
    if (this.#days.size > MAX_CHANNELS) this.#days.clear();
    this.#days.set(channel, { until: now + DAY_KEPT_MS, day });
    return day;
  }
}

type DaySums = Pick<ChannelReport, "day" | "today">;
const MAX_CHANNELS = 1_000;
/** Later than every minute. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER;
