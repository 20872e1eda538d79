import { formatDecimal, parseDecimal } from "#lib/decimal.ts";
import type { Rates } from "./money.ts";

/** Rates are written per million units or per unit. */
export type Scale = "million" | "one";

/** The names and scales of rates in `sluice.yaml` and elsewhere, in US dollars. */
export const RATE_WORDS = {
  input: { name: "input", scale: "million" },
  output: { name: "output", scale: "million" },
  cached_input: { name: "cachedInput", scale: "million" },
  cache_write: { name: "cacheWrite", scale: "million" },
  long_cache_write: { name: "longCacheWrite", scale: "million" },
  audio_input: { name: "audioInput", scale: "million" },
  audio_output: { name: "audioOutput", scale: "million" },
  image_input: { name: "imageInput", scale: "million" },
  image_output: { name: "imageOutput", scale: "million" },
  character: { name: "character", scale: "million" },
  image: { name: "image", scale: "one" },
  reference_image: { name: "referenceImage", scale: "one" },
  second: { name: "second", scale: "one" },
  search: { name: "search", scale: "one" },
} as const satisfies Readonly<Record<string, RateWord>>;

interface RateWord {
  readonly name: keyof Rates;
  readonly scale: Scale;
}

/** A dollar is 10^12 pico-dollars. The largest rate stays exact after any factor. */
const SCALES: Readonly<Record<Scale, { readonly decimals: number; readonly most: number }>> = {
  million: { decimals: 6, most: 100_000 },
  one: { decimals: 12, most: 50 },
};

/** Parses "0.15" dollars. Undefined above the scale's maximum or with too many decimals. */
export function parseRate(text: string, scale: Scale): number | undefined {
  const { decimals, most } = SCALES[scale];
  return parseDecimal(text, decimals, most * 10 ** decimals);
}

export function writeRate(rate: number, scale: Scale): string {
  return formatDecimal(rate, SCALES[scale].decimals);
}

/** Describes the values that `parseRate` accepts. */
export function describeScale(scale: Scale): string {
  const { decimals, most } = SCALES[scale];
  const units = scale === "million" ? " per million" : "";
  return `US dollars${units}, such as 0.15, with at most ${decimals} decimals and at most ${most}`;
}

interface Word extends RateWord {
  readonly word: string;
}

/** In the order of the table. */
const WORDS: readonly Word[] = Object.entries(RATE_WORDS).map(([word, each]) => ({
  word,
  ...each,
}));

export function wordOf(rate: keyof Rates): Word {
  return WORDS.find(({ name }) => name === rate) ?? { word: rate, name: rate, scale: "million" };
}

/** Rates formatted for people, each with its name and scale. */
export function writeRates(rates: Partial<Rates>): readonly (Word & { written: string })[] {
  return WORDS.flatMap((each) => {
    const { [each.name]: rate } = rates;
    return rate === undefined ? [] : [{ ...each, written: writeRate(rate, each.scale) }];
  });
}

/** Reads all rates by their names. */
export function readRates(
  read: (word: string, scale: Scale) => number | undefined,
): Partial<Rates> {
  const found = WORDS.flatMap(({ word, name, scale }) => {
    const rate = read(word, scale);
    return rate === undefined ? [] : [[name, rate] as const];
  });
  return Object.fromEntries(found);
}

/**
 * Undefined for half a price, which would make the other half free: a price
 * with tokens must have both rates. For other units the token rates default to
 * 0.
 */
export function wholeRates({ input, output, ...more }: Partial<Rates>): Rates | undefined {
  if (input !== undefined && output !== undefined) return { input, output, ...more };
  if (UNIT_WORDS.every((name) => more[name] === undefined)) return undefined;
  return { input: input ?? 0, output: output ?? 0, ...more };
}

/** The names of rates for units other than tokens. */
export const UNIT_WORDS = ["image", "referenceImage", "second", "character", "search"] as const;
