import type { RoutingDeps } from "#http/deps/routing.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { findStored, noSuchChannel } from "./find-channel.ts";

export const deleteChannel = management({
  operationId: "deleteChannel",
  tag: "Channels",
  method: "DELETE",
  path: "/api/channel/:id",
  access: "admin",
  summary: "Deletes a channel and its credentials permanently. Its running calls are completed.",

  async handle(exchange, deps: Pick<RoutingDeps, "channelRegistry" | "channelStore">) {
    const { id } = await findStored(exchange, deps);
    if (!(await deps.channelStore.delete(id))) throw noSuchChannel();
    await deps.channelRegistry.load();
    return succeed(exchange.id, "The channel was deleted.");
  },
});
