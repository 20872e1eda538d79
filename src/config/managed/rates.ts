import { RATE_WORDS, writeRate, type Rates } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import { numeral } from "./section.ts";

/** In US dollars per million tokens. */
export function rateFields(rates: Rates): JsonObject {
  return Object.fromEntries(
    Object.entries(RATE_WORDS).flatMap(([word, name]) => {
      const { [name]: rate } = rates;
      return rate === undefined ? [] : [[word, numeral(writeRate(rate))] as const];
    }),
  );
}
