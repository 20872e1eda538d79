import { invalid } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { object, text } from "#lib/rules.ts";
import { textOf } from "#lib/values.ts";
import { canListModels, probe, type Probe } from "#relay/probe.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";
import { findChannel } from "./find-channel.ts";

const REQUEST = object({
  model: {
    ...text({ minLength: 1, maxLength: 200 }),
    doc: "Asked for one token; without it the upstream is asked which models it has.",
  },
});

export const testChannel: Route<HttpDeps> = {
  method: "POST",
  path: "/api/channel/:id/test",
  access: "admin",
  summary:
    "Asks a channel's upstream with each of its credentials, for its models or one token of " +
    "one of them. What that costs at the vendor is charged to nobody here.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(REQUEST),

  async handle(exchange, { channelRegistry, channels, relay }) {
    const body = await readFields(exchange, REQUEST);
    const { channel, issue } = findChannel(exchange, channelRegistry);
    if (issue !== undefined) {
      return succeed(exchange.id, "The channel was not asked.", {
        ok: false,
        trouble: issue,
        probes: [],
      });
    }
    const model = textOf(body["model"]);
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
};

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
