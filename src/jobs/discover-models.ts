import type { Channel } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { workOff } from "#lib/work-off.ts";
import type { Channels } from "#relay/routing/channels.ts";
import { askForModels } from "#relay/routing/discover.ts";
import { poolOf } from "#relay/failover/pools.ts";
import type { Job } from "./scheduler.ts";

const ASK_AGAIN_MS = 600_000;
/** One that is not there yet, or has nothing yet, may be soon; each time that it has not, less soon. */
const UNKNOWN_MS = 30_000;
const LONGEST_MS = 30_000;
const AT_ONCE = 1_000;

/**
 * Asks the upstreams of channels that list no models which they have: a new
 * channel's at once, each again after a while, and sooner at first, until it named some.
 * What was known before stays when one does not answer, and nobody waits for it.
 */
export function discoverModels(
  channels: Channels,
  egress: Parameters<typeof askForModels>[1],
  clock: Pick<Clock, "monotonic">,
  onError: (channel: Channel, cause: unknown) => void,
): Job {
  /** By pool: with another address or credential it is asked anew. */
  let askedAt = new Map<string, number>();
  /** Until each is asked the next time. */
  const pauses = new Map<string, number>();
  return {
    name: "discover-models",
    everyMs: 1_000,
    run: (signal) =>
      workOff<Channel>(
        {
          lease: async (room, underWay) => leaseDue(room, underWay),
          act: (channel) => ask(channel, signal),
          batch: AT_ONCE,
          most: AT_ONCE,
        },
        signal,
      ),
  };

  function leaseDue(room: number, underWay: readonly Channel[]): readonly Channel[] {
    const now = clock.monotonic();
    const asked = new Map<string, number>();
    const due: Channel[] = [];
    for (const channel of channels.all) {
      if (channel.models.kind !== "discover") continue;
      const pool = poolOf(channel, channel.credentials[0]);
      const last = askedAt.get(pool) ?? -Infinity;
      const isTime = now - last >= (pauses.get(pool) ?? UNKNOWN_MS);
      const isDue = isTime && due.length < room && !underWay.includes(channel);
      asked.set(pool, isDue ? now : last);
      if (isDue) due.push(channel);
    }
    askedAt = asked;
    for (const pool of pauses.keys()) if (!asked.has(pool)) pauses.delete(pool);
    return due;
  }

  async function ask(channel: Channel, signal: AbortSignal): Promise<void> {
    const pool = poolOf(channel, channel.credentials[0]);
    const before = pauses.get(pool) ?? UNKNOWN_MS / 2;
    pauses.set(pool, Math.min(2 * before, ASK_AGAIN_MS));
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooLate()), LONGEST_MS);
    try {
      const models = await askForModels(channel, egress, AbortSignal.any([signal, late.signal]));
      if (models.length === 0) return;
      channels.discovered(channel, models);
      pauses.set(pool, ASK_AGAIN_MS);
    } catch (cause) {
      if (!signal.aborted) onError(channel, cause);
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooLate(): GatewayError {
  return new GatewayError("upstream_timeout", "The upstream did not list its models in time.");
}
