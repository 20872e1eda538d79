import { z } from "zod";
import { invalid } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { canListModels, probe, type Probe } from "#relay/probe.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { management } from "../management.ts";
import { findChannel } from "./find-channel.ts";

const REQUEST = z.strictObject({
  model: optional(
    z
      .string()
      .min(1)
      .max(200)
      .describe("Asked for one token; without it the upstream is asked which models it has."),
  ),
});

const RESULT = z.object({
  ok: z.boolean(),
  trouble: z.string().nullable(),
  probes: z.array(
    z.object({
      credential: z.string(),
      ok: z.boolean(),
      latency_ms: z.number(),
      models: z.int().nullable(),
      fault: z.string().nullable(),
      message: z.string().nullable(),
    }),
  ),
});

export const testChannel = management({
  operationId: "testChannel",
  tag: "Channels",
  method: "POST",
  path: "/api/channel/:id/test",
  access: "admin",
  summary:
    "Asks a channel's upstream with each of its credentials, for its models or one token of " +
    "one of them. What that costs at the vendor is charged to nobody here.",
  body: REQUEST,
  data: RESULT,

  async handle(
    exchange,
    {
      channelRegistry,
      channels,
      relay,
    }: Pick<RoutingDeps, "channelRegistry" | "channels" | "relay">,
    { body: { model } },
  ) {
    const { channel, issue } = findChannel(exchange, channelRegistry);
    if (issue !== undefined) {
      return succeed(exchange.id, "The channel was not asked.", {
        ok: false,
        trouble: issue,
        probes: [],
      });
    }
    if (model === undefined && !canListModels(channel)) {
      throw invalid("model", "This provider has no list of models: name a 'model' to ask.");
    }
    using _pause = exchange.suspendIdleTimeout();
    const probes = await probe(channel, model, channels, relay, exchange.signal);
    return succeed(exchange.id, "The channel was asked.", {
      ok: probes.every(({ fault }) => fault === undefined),
      trouble: null,
      probes: probes.map(showProbe),
    });
  },
});

function showProbe({ label, latencyMs, models, fault, message }: Probe): JsonObject {
  return {
    credential: label,
    ok: fault === undefined,
    latency_ms: latencyMs,
    models: models ?? null,
    fault: fault ?? null,
    message: message ?? null,
  };
}
