import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { ModelOverride } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import type { ChannelRegistry, ListedOverride } from "#relay/routing/channel-registry.ts";
import type { LearnedRefusal } from "#relay/failover/learned-refusals.ts";
import { isUnpriced, type Candidate } from "#relay/routing/route.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import type { Exchange } from "#http/routes.ts";
import { showLimits, SHOWN_LIMITS } from "../channel/channel-json.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { PRICE, showPrice } from "../price-json.ts";

const WORDS = z.array(z.string());

export const MODEL_ENTRY = z
  .object({
    name: z.string(),
    served_by: z.array(
      z.object({
        channel: z.string(),
        provider: z.string(),
        model: z.string(),
        price: PRICE.nullable(),
        unpriced: z.boolean(),
        limits: SHOWN_LIMITS,
        kind: z.string().nullable(),
        context: z.int().nullable(),
        max_output: z.int().nullable(),
        input: WORDS.nullable(),
        output: WORDS.nullable(),
        tools: z.boolean().nullable(),
        reasoning: z.boolean().nullable(),
        overridden_by: z.string().nullable(),
      }),
    ),
    override: z
      .object({
        source: z.enum(["file", "stored"]),
        owner: z.string().nullable(),
        price: PRICE.nullable(),
        context: z.int().nullable(),
        max_output: z.int().nullable(),
        like: z.string().nullable(),
        limits: SHOWN_LIMITS,
      })
      .nullable(),
  })
  .meta({ id: "ModelEntry" });

const LIST = z.object({
  items: z.array(MODEL_ENTRY),
  retired: z.array(z.object({ name: z.string(), channel: z.string(), since: z.string() })),
  refused_members: z.array(
    z.object({
      channel: z.string(),
      model: z.string(),
      style: z.string(),
      member: z.string(),
      until: z.string(),
    }),
  ),
});

const QUERY = z.object({
  unpriced: z
    .string()
    .optional()
    .transform((given) => given === "true")
    .meta({ type: "boolean", default: false, description: "Only models without a price." }),
});

export const listModelEntries = management({
  operationId: "listModelEntries",
  tag: "Model settings",
  method: "GET",
  path: "/api/model",
  access: "auditor",
  scope: "models:read",
  summary:
    "All models by the name that clients use: channels, price, catalogue facts and " +
    "overrides. `unpriced=true` selects models that " +
    "a channel serves without a price. `refused_members`: fields that a vendor refused, " +
    "which are left out of requests for a day. `retired`: models that a channel's vendor stopped serving.",

  query: QUERY,
  data: LIST,

  handle(
    { id },
    {
      channels,
      channelRegistry,
      relay,
    }: Pick<RoutingDeps, "channels" | "channelRegistry" | "relay">,
    { query: { unpriced } },
  ) {
    const names = new Set([...channels.models.keys(), ...channelRegistry.overrides.keys()]);
    const isAsked = (name: string): boolean =>
      !unpriced || (channels.models.get(name) ?? []).some(isUnpriced);
    const items = [...names]
      .filter(isAsked)
      .sort()
      .map((name) => showModel(name, channels.models.get(name), channelRegistry));
    const retired = unpriced
      ? []
      : channels.retired.filter(({ name }) => !channels.models.has(name));
    const refused = relay.learned.all.map(showLearned);
    return succeed(id, "", { items, retired, refused_members: refused });
  },
});

export function showModel(
  name: string,
  candidates: readonly Candidate[] = [],
  { overrides }: ChannelRegistry,
): JsonObject {
  const override = overrides.get(name);
  return {
    name,
    served_by: candidates.map((each) => ({
      ...showCandidate(each),
      // All names of a model share one override.
      overridden_by: namesOf(name, each).find((entry) => overrides.has(entry)) ?? null,
    })),
    override: override === undefined ? null : showOverride(override),
  };
}

function showLearned({ channel, model, style, member, until }: LearnedRefusal): JsonObject {
  return { channel, model, style, member, until: new Date(until).toISOString() };
}

function namesOf(name: string, { upstreamModel, aliasOf }: Candidate): readonly string[] {
  return [name, upstreamModel, ...(aliasOf === undefined ? [] : [aliasOf])];
}

/** The model in the path; slashes in its name may be literal or percent-encoded. */
export function modelIn(exchange: Exchange): string {
  const name = exchange.param("name").replace(/\/$/, "");
  if (name === "") throw new GatewayError("not_found", "Model not found.");
  return name;
}

function showCandidate(candidate: Candidate): JsonObject {
  const { channel, upstreamModel, price, traits, limited } = candidate;
  const { kind, contextTokens, maxOutputTokens, input, output, tools, reasoningControls } = traits;
  return {
    channel: channel.name,
    provider: channel.provider,
    model: upstreamModel,
    price: price === undefined ? null : showPrice(price),
    unpriced: isUnpriced(candidate),
    limits: showLimits(limited?.limits),
    kind: kind ?? null,
    context: contextTokens ?? null,
    max_output: maxOutputTokens ?? null,
    input: input ?? null,
    output: output ?? null,
    tools: tools ?? null,
    // Unknown for a model that is neither in the catalog nor configured.
    reasoning: kind === undefined ? null : reasoningControls !== undefined,
  };
}

function showOverride({ source, owner, override }: ListedOverride): JsonObject {
  return { source, owner: owner ?? null, ...showSaid(override) };
}

function showSaid(override: ModelOverride): JsonObject {
  const { price, contextTokens, maxOutputTokens, like, limits } = override;
  return {
    price: price === undefined ? null : showPrice(price),
    context: contextTokens ?? null,
    max_output: maxOutputTokens ?? null,
    like: like ?? null,
    limits: showLimits(limits),
  };
}
