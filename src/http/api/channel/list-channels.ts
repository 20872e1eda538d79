import type { HttpDeps } from "#http/deps.ts";
import type { Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { showChannel } from "./channel-json.ts";
import { findChannel } from "./find-channel.ts";

export const listChannels: Route<HttpDeps> = {
  method: "GET",
  path: "/api/channel",
  access: "auditor",
  summary: "Every channel, whether the file, a variable, the simulator or the database has it.",
  renderError: renderFailure,

  handle({ id }, { channelRegistry, relay }) {
    const items = channelRegistry.channels.map((each) => showChannel(each, relay.health));
    return succeed(id, "", { items });
  },
};

export const getChannel: Route<HttpDeps> = {
  ...listChannels,
  path: "/api/channel/:id",
  summary: "One channel: by its id, or by its name where it has none.",

  handle(exchange, { channelRegistry, relay }) {
    const found = findChannel(exchange, channelRegistry);
    return succeed(exchange.id, "", showChannel(found, relay.health));
  },
};
