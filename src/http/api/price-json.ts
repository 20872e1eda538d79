import {
  writeThousandths,
  type GradedRates,
  type Price,
  type PriceVariant,
  type Rates,
} from "#core/money.ts";
import { showCondition } from "#core/price-condition.ts";
import { writeRates } from "#core/rate-words.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

/** Rates in US dollars, in the words and scales of `sluice.yaml`. */
export function showPrice(price: Price): JsonObject {
  const { source, date, tiers = [] } = price;
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

function showRates(rates: Partial<Rates>): JsonObject {
  return Object.fromEntries(
    writeRates(rates).map(({ word, written }) => [word, Number(written)] as const),
  );
}
