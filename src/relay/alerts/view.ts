import type { GatewayFacts } from "#core/alert.ts";
import { MINUTE_MS, type ChannelMinuteStore, type ChannelSum } from "#core/channel-minute.ts";
import { joinTroubles, type ChannelTroubles } from "#core/channel-troubles.ts";
import { nanoUsd } from "#core/money.ts";
import { conditionOf, type ChannelCondition } from "../failover/channel-condition.ts";
import { isServing, type ListedChannel } from "../routing/channel-registry.ts";
import type { Channels } from "../routing/channels.ts";

export interface ViewSources {
  readonly minutes: Pick<ChannelMinuteStore, "sums">;
  /** All channels, also those that serve nothing. */
  channels(): readonly ListedChannel[];
  readonly table: Pick<Channels, "models">;
}

/** The facts of all gateways at one moment. */
export interface AlertView {
  readonly now: number;
  readonly facts: readonly GatewayFacts[];
  /** Enabled channels by name. */
  readonly channels: ReadonlyMap<string, ListedChannel>;
  /** The names of the channels of each model. */
  models(): ReadonlyMap<string, readonly string[]>;
  isPriced(model: string): boolean;
  /** Attempts on each channel in the last minutes, and all calls. */
  sums(minutes: number): Promise<ReadonlyMap<string, ChannelSum>>;
  troublesOf(channel: string): ChannelTroubles;
  /** In the same words as the channel itself. */
  conditionOf(channel: string, recent: ChannelSum): ChannelCondition;
}

export const EMPTY_SUM: ChannelSum = {
  attempts: 0,
  failed: 0,
  cost: nanoUsd(0),
  firstBytes: new Map(),
  faults: new Map(),
};

export function viewOf(
  { minutes, channels, table }: ViewSources,
  facts: readonly GatewayFacts[],
  now: number,
): AlertView {
  const listed = new Map(
    channels()
      .filter(({ stored }) => stored?.isEnabled !== false)
      .map((each) => [each.channel.name, each]),
  );
  const sums = new Map<number, Promise<ReadonlyMap<string, ChannelSum>>>();
  const troublesOf = (channel: string): ChannelTroubles =>
    joinTroubles(facts.flatMap(({ troubles }) => troubles[channel] ?? []));
  return {
    now,
    facts,
    channels: listed,
    models: () =>
      new Map(
        [...table.models].map(([name, candidates]) => [
          name,
          [...new Set(candidates.map(({ channel }) => channel.name))],
        ]),
      ),
    isPriced: (model) => table.models.get(model)?.some(({ price }) => price !== undefined) === true,
    sums(span) {
      const known = sums.get(span) ?? minutes.sums(now - span * MINUTE_MS);
      sums.set(span, known);
      return known;
    },
    troublesOf,
    conditionOf(channel, recent) {
      const issue = listed.get(channel)?.issue;
      return conditionOf({ isEnabled: true, issue, troubles: troublesOf(channel), recent });
    },
  };
}

/** Whether the channel takes calls, apart from its health. */
export function serves(view: AlertView, channel: string): boolean {
  const listed = view.channels.get(channel);
  return listed !== undefined && isServing(listed);
}
