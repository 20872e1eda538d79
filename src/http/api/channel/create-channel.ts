import type { RoutingDeps } from "#http/deps/routing.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { descriptionIn, NEW_CHANNEL, reachFor } from "./channel-fields.ts";
import { CHANNEL } from "./channel-json.ts";
import { refuseOwnedName } from "./find-channel.ts";
import { showStored } from "./show-stored.ts";

export const createChannel = management({
  operationId: "createChannel",
  tag: "Channels",
  method: "POST",
  path: "/api/channel",
  access: "admin",
  scope: "channels:write",
  summary:
    "Creates a channel, which serves calls immediately. Its credentials are not shown again.",
  body: NEW_CHANNEL,
  data: CHANNEL,

  async handle(
    exchange,
    deps: Pick<
      RoutingDeps,
      "channelRegistry" | "channelStore" | "reachNeeded" | "readChannel" | "relay"
    >,
    { body },
  ) {
    const draft = deps.readChannel(descriptionIn(body), { isKeyOptional: false });
    const reach = reachFor(draft, requireUser(exchange), deps);
    refuseOwnedName(draft.name, deps.channelRegistry);

    const isEnabled = body.status !== 2;
    const { id } = await deps.channelStore.create({ ...draft, isEnabled, reach });
    await deps.channelRegistry.load();
    return succeed(exchange.id, "The channel was created.", showStored(id, deps));
  },
});
