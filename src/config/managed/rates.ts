import { writeThousandths, type GradedRates, type PriceVariant, type Rates } from "#core/money.ts";
import { showCondition } from "#core/price-condition.ts";
import { writeRates } from "#core/rate-words.ts";
import type { JsonObject } from "#lib/json.ts";
import { numeral, sorted } from "./section.ts";

/** Rates in US dollars, in the names and scales of the file. */
export function priceFields({ grades = {}, variants = [], ...rates }: GradedRates): JsonObject {
  const graded = sorted(new Map(Object.entries(grades))).map(
    ([grade, each]) => [grade, rateFields(each)] as const,
  );
  return {
    ...rateFields(rates),
    ...(graded.length === 0 ? {} : { grades: Object.fromEntries(graded) }),
    ...(variants.length === 0 ? {} : { variants: variants.map(variantFields) }),
  };
}

function variantFields({ when, rates = {}, factor }: PriceVariant): JsonObject {
  return {
    when: showCondition(when),
    ...(factor === undefined ? {} : { factor: numeral(writeThousandths(factor)) }),
    ...rateFields(rates),
  };
}

function rateFields(rates: Partial<Rates>): JsonObject {
  return Object.fromEntries(
    writeRates(rates).map(({ word, written }) => [word, numeral(written)] as const),
  );
}
