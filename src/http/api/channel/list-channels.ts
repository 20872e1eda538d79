import { z } from "zod";
import { MINUTE_MS } from "#core/channel-minute.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { mapAtMost } from "#lib/map-at-most.ts";
import { succeed } from "../envelope.ts";
import { items, management } from "../management.ts";
import { instantField } from "../query-fields.ts";
import { seconds } from "../seconds.ts";
import { showUsd } from "../usd.ts";
import { CHANNEL_WITH_HEALTH, MINUTE, showSum, showWithHealth } from "./channel-health.ts";
import { etagOf } from "./check-revision.ts";
import { channelsWith, findChannel } from "./find-channel.ts";

type HealthDeps = Pick<RoutingDeps, "channelRegistry" | "relay" | "channelCare" | "audit">;

export const listChannels = management({
  operationId: "listChannels",
  tag: "Channels",
  method: "GET",
  path: "/api/channel",
  access: "auditor",
  scope: "channels:read",
  summary:
    "All channels with their health: of the file, variables, the simulator and the database.",
  query: z.object({
    tag: z
      .string()
      .min(1)
      .max(1_000)
      .describe("Only channels with this label; of several, separated by commas, with all.")
      .optional(),
  }),
  data: items(CHANNEL_WITH_HEALTH),

  async handle({ id }, deps: HealthDeps, { query }) {
    const listed = channelsWith(query.tag, deps.channelRegistry);
    const shown = await mapAtMost(listed, AT_ONCE, (each) => showWithHealth(each, deps));
    return succeed(id, "", { items: shown });
  },
});

const AT_ONCE = 4;

export const getChannel = management({
  operationId: "getChannel",
  tag: "Channels",
  method: "GET",
  path: "/api/channel/:id",
  summary: "One channel with its health, by id or by name.",
  access: "auditor",
  scope: "channels:read",
  data: CHANNEL_WITH_HEALTH,

  async handle(exchange, deps: HealthDeps) {
    const found = findChannel(exchange, deps.channelRegistry);
    if (found.stored !== undefined) exchange.announce({ etag: etagOf(found.stored) });
    return succeed(exchange.id, "", await showWithHealth(found, deps));
  },
});

const HISTORY_MS = 48 * 60 * MINUTE_MS;

export const getChannelHistory = management({
  operationId: "getChannelHistory",
  tag: "Channels",
  method: "GET",
  path: "/api/channel/:id/history",
  access: "auditor",
  scope: "channels:read",
  summary: "Attempts on a channel by the minute, for 48 hours; minutes without any are omitted.",
  query: z.object({
    from: instantField("The first minute; 48 hours ago by default."),
    to: instantField("The end, exclusive; now by default."),
  }),
  data: items(MINUTE),

  async handle(
    exchange,
    {
      channelRegistry,
      channelCare,
      clock,
    }: Pick<RoutingDeps, "channelRegistry" | "channelCare" | "clock">,
    { query },
  ) {
    const { name } = findChannel(exchange, channelRegistry).channel;
    const to = query.to ?? clock.now() + MINUTE_MS;
    const from = query.from ?? to - HISTORY_MS;
    const minutes = await channelCare.reports.history(name, from, to);
    return succeed(exchange.id, "", {
      items: minutes.map((each) => ({
        minute: seconds(each.minute),
        ...showSum(each),
        cost_usd: showUsd(each.cost),
      })),
    });
  },
});
