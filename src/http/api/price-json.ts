import { z } from "zod";
import {
  writeThousandths,
  type GradedRates,
  type Price,
  type PriceVariant,
  type Rates,
} from "#core/money.ts";
import { showCondition } from "#core/price-condition.ts";
import { RATE_WORDS, writeRates } from "#core/rate-words.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

export const SHOWN_RATES = Object.fromEntries(
  Object.keys(RATE_WORDS).map((word) => [word, z.number().optional()]),
);

const gradedRates = {
  ...SHOWN_RATES,
  grades: z.record(z.string(), z.object(SHOWN_RATES)).optional(),
  variants: z
    .array(
      z.object({
        when: z.object({
          service_tier: z.array(z.string()).optional(),
          speed: z.array(z.string()).optional(),
          region: z.array(z.string()).optional(),
          above_input_tokens: z.int().optional(),
          from: z.string().optional(),
          until: z.string().optional(),
          hours: z.array(z.string()).optional(),
        }),
        factor: z.number().optional(),
        ...SHOWN_RATES,
        source: z.string().optional(),
        date: z.string().optional(),
      }),
    )
    .optional(),
};

export const GRADED_RATES = z.object(gradedRates).meta({ id: "Rates" });

export const PRICE = z
  .object({
    ...gradedRates,
    tiers: z.array(z.object({ above_input_tokens: z.int(), ...SHOWN_RATES })).optional(),
    free_reference_images: z.int().optional(),
    source: z.string(),
    date: z.string(),
  })
  .meta({ id: "Price", description: "US dollars, with the names and scales of `sluice.yaml`." });

/** Rates in US dollars, in the words and scales of `sluice.yaml`. */
export function showPrice(price: Price): JsonObject {
  const { source, date, tiers = [], freeReferenceImages } = price;
  return {
    ...showGradedRates(price),
    ...(tiers.length === 0
      ? {}
      : {
          tiers: tiers.map((tier) => ({
            above_input_tokens: tier.aboveInputTokens,
            ...showRates(tier),
          })),
        }),
    ...defined({ free_reference_images: freeReferenceImages }),
    source,
    date,
  };
}

function showVariant({ when, rates = {}, factor, source, date }: PriceVariant): JsonObject {
  return {
    when: showCondition(when),
    ...(factor === undefined ? {} : { factor: Number(writeThousandths(factor)) }),
    ...showRates(rates),
    ...defined({ source, date }),
  };
}

export function showGradedRates({ grades = {}, variants = [], ...rates }: GradedRates): JsonObject {
  const graded = Object.entries(grades).map(([grade, each]) => [grade, showRates(each)] as const);
  return {
    ...showRates(rates),
    ...(graded.length === 0 ? {} : { grades: Object.fromEntries(graded) }),
    ...(variants.length === 0 ? {} : { variants: variants.map(showVariant) }),
  };
}

export function showRates(rates: Partial<Rates>): JsonObject {
  return Object.fromEntries(
    writeRates(rates).map(({ word, written }) => [word, Number(written)] as const),
  );
}
