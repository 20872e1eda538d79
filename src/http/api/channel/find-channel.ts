import { GatewayError } from "#core/error.ts";
import type { StoredChannel } from "#core/stored-routing.ts";
import type { ChannelRegistry, ListedChannel } from "#relay/routing/channel-registry.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import type { Exchange } from "#http/routes.ts";
import { readId } from "../read-id.ts";

/** The channel in the path: by id if it is stored in the database, or by name. */
export function findChannel(exchange: Exchange, { channels }: ChannelRegistry): ListedChannel {
  const given = exchange.param("id");
  const id = readId(given);
  const named = channels.filter(({ channel }) => channel.name === given);
  const found =
    (id === undefined ? undefined : channels.find(({ stored }) => stored?.id === id)) ??
    named.find(({ stored }) => stored === undefined) ??
    named[0];
  if (found === undefined) throw noSuchChannel();
  return found;
}

/** The channels with all of the labels, separated by commas; all channels without labels. */
export function channelsWith(
  labels: string | undefined,
  { channels }: Pick<ChannelRegistry, "channels">,
): readonly ListedChannel[] {
  const tags = labels?.split(",").map((each) => each.trim()) ?? [];
  return channels.filter(({ channel }) => tags.every((tag) => channel.tags?.includes(tag)));
}

/** A stored channel, which can be changed here, with its current database values. */
export async function findStored(
  exchange: Exchange,
  { channelRegistry, channelStore }: Pick<RoutingDeps, "channelRegistry" | "channelStore">,
): Promise<StoredChannel> {
  const id = readId(exchange.param("id"));
  const stored = id === undefined ? undefined : await channelStore.find(id);
  if (stored !== undefined) return stored;
  const { channel, owner, stored: known } = findChannel(exchange, channelRegistry);
  const named = known === undefined ? undefined : await channelStore.find(known.id);
  if (named !== undefined) return named;
  if (owner === undefined) throw noSuchChannel();
  throw new GatewayError(
    "invalid_request",
    `The channel '${channel.name}' is defined in ${owner}. Change it there.`,
  );
}

/** Channel names are unique and stay reserved: journal rows and other records refer to them. */
export function refuseOwnedName(name: string, { channels }: ChannelRegistry): void {
  const owner = channels.find(
    (each) =>
      each.channel.name === name && each.stored === undefined && each.source !== "simulated",
  )?.owner;
  if (owner === undefined) return;
  throw new GatewayError(
    "invalid_request",
    `The name '${name}' is used by a channel in ${owner}.`,
    {
      param: "name",
    },
  );
}

export function noSuchChannel(): GatewayError {
  return new GatewayError("not_found", "Channel not found.");
}
