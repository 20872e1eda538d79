import { z } from "zod";
import { suggestPrice } from "#core/suggest-price.ts";
import type { UsageGroup } from "#core/usage-report.ts";
import type { JsonObject } from "#lib/json.ts";
import { isUnpriced, type Candidate } from "#relay/routing/route.ts";
import type { PriceDeps } from "#http/deps/prices.ts";
import { succeed } from "../envelope.ts";
import { items, management } from "../management.ts";
import { PRICE, showPrice } from "../price-json.ts";

const HOUR_MS = 3_600_000;
const DAYS = 30;
const MAX_MODELS = 1_000;

const UNPRICED = z.object({
  model: z.string(),
  channel: z.string(),
  provider: z.string(),
  upstream_model: z.string(),
  calls: z.int().describe(`In the last ${DAYS} days.`),
  input_tokens: z.int(),
  output_tokens: z.int(),
  suggestion: z
    .object({
      provider: z.string(),
      model: z.string(),
      likeness: z.number().describe("Of the names, from 0 to 1."),
      price: PRICE,
    })
    .nullable()
    .describe("The nearest model of the catalogue that has a price."),
});

const QUERY = z.object({
  all: z
    .string()
    .optional()
    .transform((given) => given === "true")
    .meta({ type: "boolean", default: false, description: "Also models without calls." }),
});

export const listUnpricedModels = management({
  operationId: "listUnpricedModels",
  tag: "Model settings",
  method: "GET",
  path: "/api/price/unpriced",
  access: "auditor",
  scope: "models:read",
  summary:
    "Models that channels serve without a price, the most used first, each with the price of the " +
    "nearest model of the catalogue. Without `all=true` only those with calls in the last 30 days.",
  query: QUERY,
  data: items(UNPRICED),

  async handle({ id }, deps: PriceDeps, { query: { all } }) {
    const used = await usedModels(deps);
    const rows = [...deps.channels.models]
      .flatMap(([model, candidates]) => candidates.map((candidate) => ({ model, candidate })))
      .filter(({ candidate }) => isUnpriced(candidate))
      .map(({ model, candidate }) => {
        const sum = used.get(nameOf(model, candidate.channel.name))?.sum;
        return { model, candidate, sum };
      })
      .filter(({ sum }) => all || sum !== undefined)
      .sort((a, b) => (b.sum?.calls ?? 0) - (a.sum?.calls ?? 0) || (a.model < b.model ? -1 : 1))
      .slice(0, MAX_MODELS);
    return succeed(id, "", { items: rows.map((row) => showRow(row, deps)) });
  },
});

async function usedModels({ usage, clock }: PriceDeps): Promise<ReadonlyMap<string, UsageGroup>> {
  const to = Math.ceil(clock.now() / HOUR_MS) * HOUR_MS;
  const from = to - DAYS * 24 * HOUR_MS;
  const { groups } = await usage.report({ from, to, by: ["model", "channel"], limit: 50_000 });
  return new Map(groups.map((each) => [nameOf(each.of.model, each.of.channel), each]));
}

function nameOf(...names: readonly unknown[]): string {
  return JSON.stringify(names);
}

interface Row {
  readonly model: string;
  readonly candidate: Candidate;
  readonly sum: UsageGroup["sum"] | undefined;
}

function showRow({ model, candidate, sum }: Row, { catalogUpdates }: PriceDeps): JsonObject {
  const { channel, provider, upstreamModel } = candidate;
  const found = suggestPrice(upstreamModel, provider.id, catalogUpdates.models());
  return {
    model,
    channel: channel.name,
    provider: channel.provider,
    upstream_model: upstreamModel,
    calls: sum?.calls ?? 0,
    input_tokens: sum?.inputTokens ?? 0,
    output_tokens: sum?.outputTokens ?? 0,
    suggestion:
      found === undefined
        ? null
        : {
            provider: found.model.owner,
            model: found.model.id,
            likeness: Math.round(found.likeness * 100) / 100,
            price: showPrice(found.model.price),
          },
  };
}
