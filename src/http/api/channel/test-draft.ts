import { z } from "zod";
import type { Channel } from "#core/channel.ts";
import type { ChannelDraft } from "#core/stored-routing.ts";
import type { User } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { requireUser } from "#http/require-user.ts";
import { findProvider } from "#providers/index.ts";
import { poolsOf } from "#relay/failover/pools.ts";
import { canListModels, probe } from "#relay/probe.ts";
import { askForModels } from "#relay/routing/discover.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { management } from "../management.ts";
import { PRICE, showPrice } from "../price-json.ts";
import { descriptionIn, NEW_CHANNEL, reachFor } from "./channel-fields.ts";
import { PROBES, showProbe } from "./test-channel.ts";

const MAX_SHOWN = 1_000;
/** No channel can have this name, so that the test touches the state of none. */
const NAME = "(draft)";

const REQUEST = NEW_CHANNEL.extend({
  name: optional(z.string()),
  test_model: optional(
    z.string().min(1).max(200).describe("Also requests one token of this model."),
  ),
});

const RESULT = z.object({
  ...PROBES,
  models_total: z.int(),
  models: z
    .array(
      z.object({
        id: z.string(),
        kind: z.string().nullable(),
        context_tokens: z.int().nullable(),
        max_output_tokens: z.int().nullable(),
        price: PRICE.nullable().describe("With its source and date; null if it is unknown."),
      }),
    )
    .describe(`The vendor's models, at most ${MAX_SHOWN}.`),
});

type Deps = Pick<RoutingDeps, "channels" | "readChannel" | "reachNeeded" | "relay">;

export const testDraft = management({
  operationId: "testDraftChannel",
  tag: "Channels",
  method: "POST",
  path: "/api/channel/draft-test",
  access: "admin",
  scope: "channels:write",
  summary:
    "Tests a channel before it is created: each credential, and the vendor's models with their " +
    "prices. Nothing is stored.",
  body: REQUEST,
  data: RESULT,

  async handle(exchange, deps: Deps, { body: { test_model: model, ...body } }) {
    const description = descriptionIn({ ...body, name: "draft" });
    const draft = deps.readChannel(description, { isKeyOptional: false });
    const channel = channelOf(draft, requireUser(exchange), deps);
    const { egress } = deps.relay.attempts;
    using _pause = exchange.suspendIdleTimeout();
    try {
      const result = await test(channel, model, deps, exchange.signal);
      return succeed(exchange.id, "The channel was tested.", result);
    } finally {
      for (const pool of poolsOf(channel)) egress.closePool(pool);
    }
  },
});

function channelOf(draft: ChannelDraft, actor: User, deps: Deps): Channel {
  return {
    ...draft,
    name: NAME,
    baseUrl: draft.baseUrl ?? findProvider(draft.provider)?.baseUrl ?? "",
    maxConcurrent: draft.maxConcurrent ?? draft.credentials.length + 1,
    isSimulated: false,
    ...defined({ reach: reachFor(draft, actor, deps) }),
  };
}

async function test(
  channel: Channel,
  model: string | undefined,
  { channels, relay }: Deps,
  signal: AbortSignal,
): Promise<JsonObject> {
  const isListable = canListModels(channel);
  const probes = isListable ? await probe(channel, undefined, channels, relay, signal) : [];
  const called = model === undefined ? [] : await probe(channel, model, channels, relay, signal);
  const all = [...probes, ...called];
  const ok = all.every(({ fault }) => fault === undefined);
  const mayList = !isListable || probes.some(({ fault }) => fault === undefined);
  const found = mayList ? await askForModels(channel, relay.attempts.egress, signal) : [];
  const shown = found.slice(0, MAX_SHOWN).map(({ id }) => showModel(channel, id, channels));
  return {
    ok,
    trouble: all.length === 0 ? "not_tested" : null,
    probes: all.map(showProbe),
    models_total: found.length,
    models: shown,
  };
}

function showModel(channel: Channel, id: string, channels: Deps["channels"]): JsonObject {
  const { traits, price } = channels.candidateOn(channel, id);
  return {
    id,
    kind: traits.kind ?? null,
    context_tokens: traits.contextTokens ?? null,
    max_output_tokens: traits.maxOutputTokens ?? null,
    price: price === undefined ? null : showPrice(price),
  };
}
