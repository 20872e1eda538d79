import type { Json, JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";

/** The rates of a price or a tier, as catalogue files write them. */
export function ratesOf(price: JsonObject): Readonly<Record<string, string>> {
  const rates = Object.entries(price).flatMap(([name, rate]) => {
    const text = textOf(rate);
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(rates);
}

export function isZeroRate(rate: Json): boolean {
  return Number(rate) === 0;
}

export function isSameRate(one: Json | undefined, other: Json | undefined): boolean {
  return one !== undefined && other !== undefined && Number(one) === Number(other);
}

/** Names of rates that do not depend on the input length. */
export const UNIT_RATES: readonly string[] = [
  "image",
  "referenceImage",
  "second",
  "character",
  "search",
];
