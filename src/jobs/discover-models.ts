import type { Channel } from "#core/channel.ts";
import type { Channels } from "#relay/channels.ts";
import { askForModels } from "#relay/discover.ts";
import type { Job } from "./scheduler.ts";

/**
 * Asks the upstreams of channels that list no models which they have. What
 * was known before stays when one does not answer.
 */
export function discoverModels(
  channels: Channels,
  egress: Parameters<typeof askForModels>[1],
  onTrouble: (channel: Channel, cause: unknown) => void,
): Job {
  return {
    name: "discover-models",
    everyMs: 600_000,
    async run(signal) {
      const asked = channels.all.filter((each) => each.models.kind === "discover");
      await Promise.all(
        asked.map(async (channel) => {
          try {
            const models = await askForModels(channel, egress, signal);
            if (models.length > 0) channels.discovered(channel, models);
          } catch (cause) {
            if (!signal.aborted) onTrouble(channel, cause);
          }
        }),
      );
    },
  };
}
