import type { Job } from "./scheduler.ts";

interface Watch {
  run(signal: AbortSignal): Promise<void>;
}

/** Disables channels by the rules of their owners, and tests those that are disabled. */
export function watchChannels(watch: Watch): Job {
  return { name: "watch-channels", everyMs: 2_000, run: (signal) => watch.run(signal) };
}
