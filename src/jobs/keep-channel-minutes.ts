import type { ChannelMinute, ChannelMinuteStore } from "#core/channel-minute.ts";
import type { Job } from "./scheduler.ts";

interface Counters {
  take(): readonly ChannelMinute[];
  putBack(minutes: readonly ChannelMinute[]): void;
}

/** Stores the attempts of the last minutes. */
export function keepChannelMinutes(
  counters: Counters,
  store: Pick<ChannelMinuteStore, "write">,
): Job {
  return {
    name: "keep-channel-minutes",
    everyMs: 5_000,
    async run() {
      const minutes = counters.take();
      try {
        await store.write(minutes);
      } catch (cause) {
        counters.putBack(minutes);
        throw cause;
      }
    },
  };
}
