import type { Job } from "./scheduler.ts";

/** A cache that reloads changed data. */
interface Refreshable {
  refresh(): Promise<void>;
}

/** Applies changes that other gateways on the same database made. */
export function refreshStored(settings: Refreshable, channelRegistry: Refreshable): Job {
  return {
    name: "refresh-stored",
    everyMs: 1_000,
    async run() {
      await settings.refresh();
      await channelRegistry.refresh();
    },
  };
}
