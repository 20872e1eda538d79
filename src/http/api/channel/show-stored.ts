import type { JsonObject } from "#lib/json.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { showChannel } from "./channel-json.ts";
import { noSuchChannel } from "./find-channel.ts";

/** A stored channel, after the change is in effect. */
export function showStored(
  id: number,
  { channelRegistry, relay }: Pick<RoutingDeps, "channelRegistry" | "relay">,
): JsonObject {
  const found = channelRegistry.channels.find(({ stored }) => stored?.id === id);
  // Another admin may have deleted it in the meantime.
  if (found === undefined) throw noSuchChannel();
  return showChannel(found, relay.attempts.health);
}
