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
      .describe(
        "Model to request one token from. If absent, the upstream's model list is requested.",
      ),
  ),
});

export const PROBES = {
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
};

export const testChannel = management({
  operationId: "testChannel",
  tag: "Channels",
  method: "POST",
  path: "/api/channel/:id/test",
  access: "admin",
  scope: "channels:write",
  summary:
    "Tests each credential of a channel with a request for its model list, or for one token of " +
    "one model. The vendor's cost of the test is not charged to any user.",
  body: REQUEST,
  data: z.object(PROBES),

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
      return succeed(exchange.id, "The channel was not tested.", {
        ok: false,
        trouble: issue,
        probes: [],
      });
    }
    if (model === undefined && !canListModels(channel)) {
      throw invalid("model", "This provider cannot list its models. Name a 'model' to test.");
    }
    using _pause = exchange.suspendIdleTimeout();
    const probes = await probe(channel, model, channels, relay, exchange.signal);
    return succeed(exchange.id, "The channel was tested.", {
      ok: probes.every(({ fault }) => fault === undefined),
      trouble: null,
      probes: probes.map(showProbe),
    });
  },
});

export function showProbe({ label, latencyMs, models, fault, message }: Probe): JsonObject {
  return {
    credential: label,
    ok: fault === undefined,
    latency_ms: latencyMs,
    models: models ?? null,
    fault: fault ?? null,
    message: message ?? null,
  };
}
