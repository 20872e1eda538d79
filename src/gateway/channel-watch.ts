import type { ChannelState, ChannelStateObserver } from "#core/channel-state.ts";
import type { Channel } from "#core/channel.ts";
import { FAULTS } from "#core/error.ts";
import { ulid } from "#lib/ids.ts";
import { hasBalanceEndpoint, type ChannelBalances } from "#relay/channel-balances.ts";
import { hasBalance } from "#relay/failover/disable-rules.ts";
import { ChannelWatch } from "#relay/failover/channel-watch.ts";
import { canListModels, probe, type Probe } from "#relay/probe.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import { findModelToTry } from "./model-to-try.ts";
import type { Relay } from "./relay.ts";
import type { Routing } from "./routing.ts";

type Needs = Pick<Infrastructure, "log" | "clock" | "settings"> &
  Pick<Routing, "channels" | "channelRegistry" | "health"> &
  Pick<Relay, "relay"> & { readonly channelBalances: ChannelBalances } & Stores<
    "channelStates" | "channelBalances" | "channelMinutes" | "audit"
  >;

/** `observers`: told of each change besides the log and the audit log, such as alerts. */
export function openChannelWatch(
  needs: Needs,
  observers: readonly ChannelStateObserver[] = [],
): ChannelWatch {
  const { storage, channelRegistry, health, settings, clock } = needs;
  return new ChannelWatch({
    registry: channelRegistry,
    health,
    minutes: storage.channelMinutes,
    states: storage.channelStates,
    balances: storage.channelBalances,
    settings,
    clock,
    probe: (channel, { cause }, signal) =>
      cause === "no_balance" && hasBalanceEndpoint(channel)
        ? isFilled(channel, needs, signal)
        : worksAgain(channel, needs, signal),
    observers: [notice(needs), ...observers],
  });
}

async function isFilled(
  channel: Channel,
  { channelBalances }: Needs,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return hasBalance(await channelBalances.read(channel, signal));
  } catch {
    return false;
  }
}

/** One token of a model is the best evidence. A channel that cannot be tested returns by time. */
async function worksAgain(
  channel: Channel,
  { channels, relay }: Needs,
  signal: AbortSignal,
): Promise<boolean> {
  const model = findModelToTry({ all: [channel], models: channels.models });
  if (model === undefined && !canListModels(channel)) return true;
  return (await probe(channel, model, channels, relay, signal)).some(isAnswered);
}

/** A refusal of the test itself shows that the vendor takes calls. */
function isAnswered({ fault }: Probe): boolean {
  return fault === undefined || FAULTS[fault].blame === "client";
}

function notice({
  log,
  clock,
  storage: { audit },
}: Pick<Needs, "log" | "clock"> & Stores<"audit">): ChannelStateObserver {
  const write = (action: string, channel: string, details: Record<string, string>): void => {
    const at = clock.now();
    const entry = {
      at,
      actorId: null,
      actor: null,
      role: null,
      proof: "none",
      address: null,
      userAgent: null,
      requestId: ulid(at),
      action,
      object: { channel },
      details,
      outcome: "done",
      status: null,
    } as const;
    audit
      .write(entry)
      .catch((cause: unknown) => log.error({ err: cause }, "audit log write failed"));
  };
  return {
    onDisabled({ channel, cause, reason }: Omit<ChannelState, "isDisabled" | "returnedAt">) {
      log.warn({ channel, cause }, "channel disabled by the gateway");
      write("(channel disabled)", channel, { cause, reason });
    },
    onEnabled(channel, by) {
      log.info({ channel }, "channel enabled again");
      // The route of a user has rows of its own.
      if (by === undefined) write("(channel enabled)", channel, {});
    },
  };
}
