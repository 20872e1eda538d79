import type { Channel } from "#core/channel.ts";
import { needsVendorList } from "#core/model-pattern.ts";
import { GatewayError } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { processDue } from "#lib/process-due.ts";
import type { Channels } from "#relay/routing/channels.ts";
import { askForModels } from "#relay/routing/discover.ts";
import type { Health } from "#relay/failover/health.ts";
import { poolOf } from "#relay/failover/pools.ts";
import type { Job } from "./scheduler.ts";

const ASK_AGAIN_MS = 600_000;
/** First retry interval for a channel without known models; it doubles with each retry. */
const UNKNOWN_MS = 30_000;
const LONGEST_MS = 30_000;
const AT_ONCE = 1_000;

/**
 * Requests the model lists of channels without listed models: for a new channel
 * at once, then at intervals that start short and grow until the list is not
 * empty. If an upstream does not answer, its last list stays. Channels do not
 * wait for each other.
 */
export function discoverModels(
  channels: Channels,
  egress: Parameters<typeof askForModels>[1],
  health: Pick<Health, "witness">,
  clock: Pick<Clock, "monotonic">,
  onError: (channel: Channel, cause: unknown) => void,
): Job {
  /** By pool, so that a new address or credential triggers a new request. */
  let askedAt = new Map<string, number>();
  /** Interval until the next request, by pool. */
  const pauses = new Map<string, number>();
  return {
    name: "discover-models",
    everyMs: 1_000,
    run: (signal) =>
      processDue<Channel>(
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
      if (!needsVendorList(channel.models)) continue;
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
      const limited = AbortSignal.any([signal, late.signal]);
      const models = await health.witness(channel, channel.credentials[0], "models", () =>
        askForModels(channel, egress, limited),
      );
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
