import type { RoutingDeps } from "#http/deps/routing.ts";
import { succeed } from "../envelope.ts";
import { items, management } from "../management.ts";
import { CHANNEL, showChannel } from "./channel-json.ts";
import { findChannel } from "./find-channel.ts";

export const listChannels = management({
  operationId: "listChannels",
  tag: "Channels",
  method: "GET",
  path: "/api/channel",
  access: "auditor",
  summary: "All channels: of the file, variables, the simulator and the database.",
  data: items(CHANNEL),

  handle({ id }, { channelRegistry, relay }: Pick<RoutingDeps, "channelRegistry" | "relay">) {
    const shown = channelRegistry.channels.map((each) => showChannel(each, relay.attempts.health));
    return succeed(id, "", { items: shown });
  },
});

export const getChannel = management({
  operationId: "getChannel",
  tag: "Channels",
  method: "GET",
  path: "/api/channel/:id",
  summary: "One channel, by its id, or by its name if it has no id.",
  access: "auditor",
  data: CHANNEL,

  handle(exchange, { channelRegistry, relay }: Pick<RoutingDeps, "channelRegistry" | "relay">) {
    const found = findChannel(exchange, channelRegistry);
    return succeed(exchange.id, "", showChannel(found, relay.attempts.health));
  },
});
