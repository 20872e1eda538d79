import type { RoutingDeps } from "#http/deps/routing.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { CHANNEL, showChannel } from "./channel-json.ts";
import { findChannel } from "./find-channel.ts";

export const enableChannel = management({
  operationId: "enableChannel",
  tag: "Channels",
  method: "POST",
  path: "/api/channel/:id/enable",
  access: "admin",
  scope: "channels:write",
  summary:
    "Enables a channel that a user or the gateway disabled. If the gateway did, it does not wait " +
    "for a successful test, and earlier failures do not count any more.",
  data: CHANNEL,

  async handle(
    exchange,
    deps: Pick<RoutingDeps, "channelRegistry" | "channelStore" | "channelCare" | "relay">,
  ) {
    const { channel, stored } = findChannel(exchange, deps.channelRegistry);
    if (stored?.isEnabled === false) {
      await deps.channelStore.update(stored.id, (before) => {
        const { credentials: _, ...entry } = before;
        return { ...entry, isEnabled: true };
      });
      await deps.channelRegistry.load();
    }
    await deps.channelCare.watch.enable(channel.name, requireUser(exchange).name);
    const enabled = findChannel(exchange, deps.channelRegistry);
    return succeed(
      exchange.id,
      "The channel was enabled.",
      showChannel(enabled, deps.relay.attempts.health),
    );
  },
});
