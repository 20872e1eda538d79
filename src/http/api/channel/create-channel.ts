import { schemaOf } from "#lib/rule-schema.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";
import { descriptionIn, NEW_CHANNEL, reachFor } from "./channel-fields.ts";
import { refuseOwnedName } from "./find-channel.ts";
import { showStored } from "./show-stored.ts";

export const createChannel: Route<HttpDeps> = {
  method: "POST",
  path: "/api/channel",
  access: "admin",
  summary: "Makes a channel, which takes calls at once. Its credentials are not shown again.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(NEW_CHANNEL),

  async handle(exchange, deps) {
    const body = await readFields(exchange, NEW_CHANNEL);
    const draft = deps.readChannel(descriptionIn(body), { isKeyOptional: false });
    const reach = reachFor(draft, requireUser(exchange), deps);
    refuseOwnedName(draft.name, deps.channelRegistry);

    const isEnabled = body["status"] !== 2;
    const { id } = await deps.channelStore.create({ ...draft, isEnabled, reach });
    await deps.channelRegistry.load();
    return succeed(exchange.id, "The channel was made.", showStored(id, deps));
  },
};
