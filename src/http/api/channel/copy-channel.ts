import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import { defined } from "#lib/values.ts";
import type { ChannelEntry } from "#core/stored-routing.ts";
import type { User } from "#core/user.ts";
import type { ListedChannel } from "#relay/routing/channel-registry.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { management } from "../management.ts";
import { reachFor } from "./channel-fields.ts";
import { CHANNEL, describe } from "./channel-json.ts";
import { findChannel, refuseOwnedName } from "./find-channel.ts";
import { showStored } from "./show-stored.ts";

const COPY = z.strictObject({
  name: optional(z.string().describe("`-copy` is added to the channel's name by default.")),
  status: optional(z.int().min(1).max(2).describe("1 enabled, 2 disabled; 2 by default.")),
});

export const copyChannel = management({
  operationId: "copyChannel",
  tag: "Channels",
  method: "POST",
  path: "/api/channel/:id/copy",
  access: "admin",
  scope: "channels:write",
  summary:
    "Stores a copy of a channel with its credentials, which are not shown. The copy is disabled, " +
    "unless `status` is 1.",
  body: COPY,
  data: CHANNEL,

  async handle(
    exchange,
    deps: Pick<
      RoutingDeps,
      "channelRegistry" | "channelStore" | "reachNeeded" | "readChannel" | "relay"
    >,
    { body: { name, status } },
  ) {
    const found = findChannel(exchange, deps.channelRegistry);
    const entry = copyOf(found, name, requireUser(exchange), deps);
    refuseOwnedName(entry.name, deps.channelRegistry);
    const { id } = await deps.channelStore.create({ ...entry, isEnabled: status === 1 });
    await deps.channelRegistry.load();
    return succeed(exchange.id, "The channel was copied.", showStored(id, deps));
  },
});

function copyOf(
  { channel, stored, source, issue }: ListedChannel,
  name = `${channel.name}-copy`,
  actor: User,
  deps: Pick<RoutingDeps, "reachNeeded" | "readChannel">,
): Omit<ChannelEntry, "isEnabled"> {
  if (source === "simulated") {
    throw new GatewayError("invalid_request", "A channel of the simulator cannot be copied.");
  }
  if (issue === "credential_unreadable") {
    throw new GatewayError(
      "invalid_request",
      `The credentials of the channel '${channel.name}' do not open, so they cannot be copied. ` +
        "Give the channel new ones first.",
    );
  }
  const description = { ...describe(stored ?? channel), name };
  const draft = deps.readChannel(description, { isKeyOptional: true });
  const reach = stored?.reach ?? reachFor(draft, actor, deps);
  const { proxy } = channel;
  return { ...draft, ...defined({ proxy }), credentials: channel.credentials, reach };
}
