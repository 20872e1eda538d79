import type { Channel } from "#core/channel.ts";
import type { Job } from "./scheduler.ts";

interface Balances {
  refresh(
    channels: readonly Channel[],
    intervalMs: number,
    onError: (channel: Channel, cause: unknown) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Reads balances at vendors, if an interval is set. */
export function refreshBalances(
  balances: Balances,
  channels: () => readonly Channel[],
  settings: { readonly balanceRefreshMs: number },
  onError: (channel: Channel, cause: unknown) => void,
): Job {
  return {
    name: "refresh-balances",
    everyMs: 30_000,
    async run(signal) {
      const { balanceRefreshMs } = settings;
      if (balanceRefreshMs > 0)
        await balances.refresh(channels(), balanceRefreshMs, onError, signal);
    },
  };
}
