import { z } from "zod";
import type { ChannelBalance } from "#core/channel-balance.ts";
import type { Channel } from "#core/channel.ts";
import type { JsonObject } from "#lib/json.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { FRESH_MS, isLow } from "#relay/channel-balances.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { seconds } from "../seconds.ts";
import { findChannel } from "./find-channel.ts";

export const BALANCE = z.object({
  amount: z.number().describe("Of several credentials, the lowest."),
  currency: z.string(),
  usable: z.boolean().describe("The vendor still takes calls."),
  low: z.boolean().describe("Below `low_balance` of the channel, or used up."),
  at: z.int(),
});

export const getChannelBalance = management({
  operationId: "getChannelBalance",
  tag: "Channels",
  method: "GET",
  path: "/api/channel/:id/balance",
  access: "admin",
  scope: "channels:read",
  summary:
    "The balance of a channel's account at its vendor. It is asked for with each credential, if " +
    "it was not read in the last 30 seconds. Refused for vendors that do not show balances.",
  data: BALANCE,

  async handle(
    exchange,
    {
      channelRegistry,
      channelCare,
      clock,
    }: Pick<RoutingDeps, "channelRegistry" | "channelCare" | "clock">,
  ) {
    const { channel } = findChannel(exchange, channelRegistry);
    const latest = await channelCare.balances.latest(channel.name);
    const isFresh = latest !== undefined && clock.now() - latest.at < FRESH_MS;
    using _pause = exchange.suspendIdleTimeout();
    const balance = isFresh ? latest : await channelCare.balances.read(channel, exchange.signal);
    return succeed(exchange.id, "", showBalance(balance, channel));
  },
});

export function showBalance(balance: ChannelBalance, channel: Channel): JsonObject {
  const { amount, currency, isUsable, at } = balance;
  return { amount, currency, usable: isUsable, low: isLow(balance, channel), at: seconds(at) };
}
