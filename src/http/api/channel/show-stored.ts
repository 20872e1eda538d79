import type { JsonObject } from "#lib/json.ts";
import type { HttpDeps } from "#http/deps.ts";
import { showChannel } from "./channel-json.ts";
import { noSuchChannel } from "./find-channel.ts";

/** A stored channel as it took effect. */
export function showStored(id: number, { channelRegistry, relay }: HttpDeps): JsonObject {
  const found = channelRegistry.channels.find(({ stored }) => stored?.id === id);
  // Somebody else may have deleted it meanwhile.
  if (found === undefined) throw noSuchChannel();
  return showChannel(found, relay.health);
}
