import type { GradedRates, Rates } from "#core/money.ts";
import { writeRates } from "#core/rate-words.ts";
import type { JsonObject } from "#lib/json.ts";
import { numeral, sorted } from "./section.ts";

/** In US dollars, in the words and scales of the file. */
export function priceFields({ grades = {}, ...rates }: GradedRates): JsonObject {
  const graded = sorted(new Map(Object.entries(grades))).map(
    ([grade, each]) => [grade, rateFields(each)] as const,
  );
  return {
    ...rateFields(rates),
    ...(graded.length === 0 ? {} : { grades: Object.fromEntries(graded) }),
  };
}

function rateFields(rates: Partial<Rates>): JsonObject {
  return Object.fromEntries(
    writeRates(rates).map(({ word, written }) => [word, numeral(written)] as const),
  );
}
