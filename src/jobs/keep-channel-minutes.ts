import type { ChannelMinute, ChannelMinuteStore } from "#core/channel-minute.ts";
import type { Clock } from "#lib/clock.ts";
import type { Job } from "./scheduler.ts";

const KEPT_MS = 48 * 3_600_000;

interface Counters {
  take(): readonly ChannelMinute[];
  putBack(minutes: readonly ChannelMinute[]): void;
}

/** Stores the attempts of the last minutes, and deletes those of more than 48 hours ago. */
export function keepChannelMinutes(
  counters: Counters,
  store: ChannelMinuteStore,
  clock: Clock,
): Job {
  return {
    name: "keep-channel-minutes",
    everyMs: 5_000,
    async run(signal) {
      const minutes = counters.take();
      try {
        await store.write(minutes);
      } catch (cause) {
        counters.putBack(minutes);
        throw cause;
      }
      while (!signal.aborted && (await store.prune(clock.now() - KEPT_MS)));
    },
  };
}
