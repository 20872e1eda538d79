import type { Job } from "./scheduler.ts";

/** Loads again what was changed since it was loaded. */
interface Refreshable {
  refresh(): Promise<void>;
}

/** Takes up what another gateway on the same database changed. */
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
