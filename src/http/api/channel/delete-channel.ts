import { z } from "zod";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { checkRevision, expectedRevision } from "./check-revision.ts";
import { findStored, noSuchChannel } from "./find-channel.ts";

export const deleteChannel = management({
  operationId: "deleteChannel",
  tag: "Channels",
  method: "DELETE",
  path: "/api/channel/:id",
  access: "admin",
  scope: "channels:write",
  summary:
    "Deletes a channel and its credentials permanently. Its running calls are completed. " +
    "With `revision` or `If-Match`, a channel that changed since is refused with 409.",

  query: z.object({
    revision: z
      .string()
      .regex(/^[1-9]\d{0,14}$/)
      .transform(Number)
      .describe("The expected revision; `If-Match` says the same.")
      .optional(),
  }),

  async handle(exchange, deps: Pick<RoutingDeps, "channelRegistry" | "channelStore">, { query }) {
    const { id } = await findStored(exchange, deps);
    const expected = expectedRevision(exchange, query.revision);
    const isDeleted = await deps.channelStore.delete(id, (stored) => {
      checkRevision(stored, expected);
    });
    if (!isDeleted) throw noSuchChannel();
    await deps.channelRegistry.load();
    return succeed(exchange.id, "The channel was deleted.");
  },
});
