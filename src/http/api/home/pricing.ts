import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { Price } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import type { HomeDeps } from "#http/deps/home.ts";
import type { ShownModel } from "#relay/alerts/model-health.ts";
import type { Candidate } from "#relay/routing/route.ts";
import { succeed } from "../envelope.ts";
import { items, management } from "../management.ts";
import { SHOWN_RATES, showRates } from "../price-json.ts";

const WORDS = z.array(z.string());

const PRICED_MODEL = z
  .object({
    name: z.string(),
    kind: z.string().nullable(),
    price: z
      .object({ ...SHOWN_RATES, has_variants: z.boolean() })
      .nullable()
      .describe("Usual rates in US dollars, with the names and scales of `sluice.yaml`."),
    context: z.int().nullable(),
    max_output: z.int().nullable(),
    input: WORDS.nullable(),
    output: WORDS.nullable(),
    tools: z.boolean().nullable(),
    state: z.enum(["up", "degraded", "down", "unknown"]),
    available: z.number().nullable().describe("Share of the last 24 hours, from 0 to 1."),
    hours: z.array(z.number().nullable()),
  })
  .meta({ id: "PricedModel" });

/** For visitors without a login: the models and their usual prices. */
export const getPricing = management({
  operationId: "getPricing",
  tag: "Gateway",
  method: "GET",
  path: "/api/pricing",
  access: "public",
  summary: "Models with usual prices and health, for everyone. 404 unless `model_page` is `on`.",
  data: items(PRICED_MODEL),

  async handle({ id }, deps: Pick<HomeDeps, "modelHealth" | "channels" | "isPricingPublic">) {
    if (!deps.isPricingPublic) throw new GatewayError("not_found", "There is no model page here.");
    const models = await deps.modelHealth.list();
    const shown = models.flatMap((model) => {
      // Calls without a preference go there first.
      const first = deps.channels.models.get(model.model)?.[0];
      return first === undefined ? [] : [showModel(model, first)];
    });
    return succeed(id, "", { items: shown });
  },
});

function showModel(
  { model, state, available, hours }: ShownModel,
  { price, traits }: Candidate,
): JsonObject {
  const { kind, contextTokens, maxOutputTokens, input, output, tools } = traits;
  return {
    name: model,
    kind: kind ?? null,
    price: price === undefined ? null : showUsual(price),
    context: contextTokens ?? null,
    max_output: maxOutputTokens ?? null,
    input: input ?? null,
    output: output ?? null,
    tools: tools ?? null,
    state,
    available: available ?? null,
    hours: hours.map((share) => share ?? null),
  };
}

function showUsual(price: Price): JsonObject {
  const others = [price.tiers, price.variants, Object.keys(price.grades ?? {})];
  return {
    ...showRates(price),
    has_variants: others.some((each) => each !== undefined && each.length > 0),
  };
}
