import { MINUTE_MS, type ChannelMinuteStore } from "#core/channel-minute.ts";
import type { Clock } from "#lib/clock.ts";
import { pruneJob } from "./prune-job.ts";
import type { Job } from "./scheduler.ts";

const KEPT_MS = 48 * 3_600_000;

/** Deletes the attempts of more than 48 hours ago, of which a minute at a time expires. */
export function pruneChannelMinutes(store: Pick<ChannelMinuteStore, "prune">, clock: Clock): Job {
  const prune = (before: number): Promise<boolean> => store.prune(before);
  return pruneJob("prune-channel-minutes", clock, () => KEPT_MS, prune, MINUTE_MS);
}
