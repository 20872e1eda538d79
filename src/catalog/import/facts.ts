import type { LeftOut } from "#core/catalog-update.ts";
import { UNIT_WORDS, type RATE_WORDS } from "#core/rate-words.ts";
import { formatDecimal, parseDecimal } from "#lib/decimal.ts";
import type { Json, JsonObject } from "#lib/json.ts";

/** Names of rates as catalogue files write them. */
export type RateName = (typeof RATE_WORDS)[keyof typeof RATE_WORDS]["name"];
export type WrittenRates = Partial<Record<RateName, string>>;

/** What one file of facts says of one model, in the words of catalogue files. */
export interface Fact {
  readonly provider: string;
  /** Its members, `id` first; undefined ones are left out. */
  readonly row: Readonly<Record<string, Json | undefined>> & { readonly id: string };
}

export interface Imported {
  readonly facts: readonly Fact[];
  readonly leftOut: readonly LeftOut[];
  /** Models of providers that no channel can have, by those providers. */
  readonly otherProviders: ReadonlyMap<string, number>;
}

/** What every reader of a public file is told. */
export interface ImportTerms {
  /** The day on which the file was read from its source. */
  readonly date: string;
}

/** A million of what costs so much for one. */
const PICO_DECIMALS = 12;
const MICRO_DECIMALS = 6;
const EXACT_DIGITS = 15;

/** Dollars for one token, as dollars for a million; undefined for what is no price. */
export function perMillion(dollars: Json | undefined): string | undefined {
  const pico = parseDecimal(decimalText(dollars), PICO_DECIMALS);
  return pico === undefined ? undefined : formatDecimal(pico, MICRO_DECIMALS);
}

/** Dollars for a million tokens. */
export function asMillion(dollars: Json | undefined): string | undefined {
  const micro = parseDecimal(decimalText(dollars), MICRO_DECIMALS);
  return micro === undefined ? undefined : formatDecimal(micro, MICRO_DECIMALS);
}

/** Dollars for one picture, second or search. */
export function perOne(dollars: Json | undefined): string | undefined {
  const pico = parseDecimal(decimalText(dollars), PICO_DECIMALS);
  return pico === undefined ? undefined : formatDecimal(pico, PICO_DECIMALS);
}

/**
 * A number as its author wrote it. What has more than 15 digits is the result
 * of a calculation in binary fractions, whose error is in the digits beyond.
 */
function decimalText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (typeof value !== "number" || !Number.isFinite(value)) return "";
  const text = String(value);
  const digits = text.replace(/e.*$/, "").replaceAll(/\D/g, "").replace(/^0+/, "");
  return digits.length > EXACT_DIGITS ? String(Number(value.toPrecision(EXACT_DIGITS))) : text;
}

export interface TierRates {
  readonly aboveInputTokens: number;
  readonly rates: WrittenRates;
}

/** Rates under one condition, in the words of catalogue files. */
export function variant(when: JsonObject, rates: WrittenRates): JsonObject {
  return { when, rates: { ...rates } };
}

/** Rates that a tier does not name are those of the base, as the public files mean it. */
export function writePrice(base: WrittenRates, tiers: readonly TierRates[]): JsonObject {
  const tokens = tokenRatesOf(base);
  const written = tiers
    .toSorted((one, other) => one.aboveInputTokens - other.aboveInputTokens)
    .map(({ aboveInputTokens, rates }) => ({
      aboveInputTokens,
      ...tokens,
      ...Object.fromEntries(Object.entries(rates).filter(([name]) => name in tokens)),
    }));
  const [first] = written;
  return first === undefined ? { ...base } : { ...base, tiers: written };
}

/** Without what costs the same however long the input is. */
export function tokenRatesOf(rates: WrittenRates): WrittenRates {
  const names: readonly string[] = UNIT_WORDS;
  return Object.fromEntries(Object.entries(rates).filter(([name]) => !names.includes(name)));
}

export function isZero(rate: string | undefined): boolean {
  return rate === undefined || Number(rate) === 0;
}

/** `2026-09-24`; nothing for another text. */
export function dayIn(value: Json | undefined): string | undefined {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;
}

export function tokensIn(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
