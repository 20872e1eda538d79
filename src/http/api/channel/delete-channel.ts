import type { HttpDeps } from "#http/deps.ts";
import type { Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { findStored, noSuchChannel } from "./find-channel.ts";

export const deleteChannel: Route<HttpDeps> = {
  method: "DELETE",
  path: "/api/channel/:id",
  access: "admin",
  summary: "Deletes a channel and its credentials for good; calls under way on it end in peace.",
  renderError: renderFailure,

  async handle(exchange, deps) {
    const { id } = await findStored(exchange, deps);
    if (!(await deps.channelStore.delete(id))) throw noSuchChannel();
    await deps.channelRegistry.load();
    return succeed(exchange.id, "The channel was deleted.");
  },
};
