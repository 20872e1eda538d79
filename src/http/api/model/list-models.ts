import { GatewayError } from "#core/error.ts";
import type { ModelOverride } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import type { ChannelRegistry, ListedOverride } from "#relay/routing/channel-registry.ts";
import type { LearnedRefusal } from "#relay/failover/learned-refusals.ts";
import { isUnpriced, type Candidate } from "#relay/routing/route.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Exchange, Route } from "#http/routes.ts";
import { showLimits } from "../channel/channel-json.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { showPrice } from "../price-json.ts";

export const listModelEntries: Route<HttpDeps> = {
  method: "GET",
  path: "/api/model",
  access: "auditor",
  summary:
    "Every model by the name that callers use: who serves it at which price, what is known of " +
    "it, and what is said of it in place of the catalogue. `unpriced=true` chooses those that " +
    "some channel serves without a price. `refused_members`: what vendors were found to refuse, " +
    "and is left out of requests for a day. `retired`: what a channel's vendor stopped serving.",
  renderError: renderFailure,

  handle({ id, query }, { channels, channelRegistry, relay }) {
    const names = new Set([...channels.models.keys(), ...channelRegistry.overrides.keys()]);
    const isAsked = (name: string): boolean =>
      query.get("unpriced") !== "true" || (channels.models.get(name) ?? []).some(isUnpriced);
    const items = [...names]
      .filter(isAsked)
      .sort()
      .map((name) => showModel(name, channels.models.get(name), channelRegistry));
    const isUnpricedAsked = query.get("unpriced") === "true";
    const retired = isUnpricedAsked
      ? []
      : channels.retired.filter(({ name }) => !channels.models.has(name));
    const refused = relay.learned.all.map(showLearned);
    return succeed(id, "", { items, retired, refused_members: refused });
  },
};

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
  if (name === "") throw new GatewayError("not_found", "There is no such model.");
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
