import type { LeftOut } from "#core/catalog-update.ts";
import { UNIT_WORDS, type RATE_WORDS } from "#core/rate-words.ts";
import { formatDecimal, parseDecimal } from "#lib/decimal.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";

/** Names of rates in catalogue files. */
export type RateName = (typeof RATE_WORDS)[keyof typeof RATE_WORDS]["name"];
export type WrittenRates = Partial<Record<RateName, string>>;

/** The facts of one file about one model, in the notation of catalogue files. */
export interface Fact {
  readonly provider: string;
  /** The row's fields, `id` first; undefined ones are omitted. */
  readonly row: Readonly<Record<string, Json | undefined>> & { readonly id: string };
}

export interface Imported {
  readonly facts: readonly Fact[];
  readonly leftOut: readonly LeftOut[];
  /** Number of models per provider that no channel can have. */
  readonly otherProviders: ReadonlyMap<string, number>;
}

/** Input of every reader of a public file. */
export interface ImportTerms {
  /** The day on which the file was downloaded. */
  readonly date: string;
}

/** One provider of a public file. */
interface ListedProvider {
  /** The file's id of the provider. */
  readonly id: string;
  readonly models: readonly (readonly [id: string, model: Json | undefined])[];
  /** The facts of one model; `why` its price is left out. */
  read(
    id: string,
    model: JsonObject,
  ): { readonly row: Omit<Fact["row"], "id">; readonly why?: string | undefined };
}

/** Reads the providers of a public file that channels can have. `known`: their ids by the file's. */
export function importProviders(
  listed: Iterable<ListedProvider>,
  known: ReadonlyMap<string, string>,
): Imported {
  const facts: Fact[] = [];
  const leftOut: LeftOut[] = [];
  const otherProviders = new Map<string, number>();
  for (const { id: theirs, models, read } of listed) {
    const provider = known.get(theirs);
    if (provider === undefined) {
      otherProviders.set(theirs, models.length);
      continue;
    }
    for (const [id, model] of models) {
      if (id === "" || !isObject(model)) continue;
      const { row, why } = read(id, model);
      if (why !== undefined) leftOut.push({ provider, id, why });
      facts.push({ provider, row: { id, ...row } });
    }
  }
  return { facts, leftOut, otherProviders };
}

/** Decimals of a price per unit. */
const PICO_DECIMALS = 12;
const MICRO_DECIMALS = 6;
const EXACT_DIGITS = 15;

/** Converts dollars per token to dollars per million; undefined if it is not a price. */
export function perMillion(dollars: Json | undefined): string | undefined {
  const pico = parseDecimal(decimalText(dollars), PICO_DECIMALS);
  return pico === undefined ? undefined : formatDecimal(pico, MICRO_DECIMALS);
}

/** Dollars per million tokens. */
export function asMillion(dollars: Json | undefined): string | undefined {
  const micro = parseDecimal(decimalText(dollars), MICRO_DECIMALS);
  return micro === undefined ? undefined : formatDecimal(micro, MICRO_DECIMALS);
}

/** Dollars per image, second or search. */
export function perOne(dollars: Json | undefined): string | undefined {
  const pico = parseDecimal(decimalText(dollars), PICO_DECIMALS);
  return pico === undefined ? undefined : formatDecimal(pico, PICO_DECIMALS);
}

/**
 * A number as its author wrote it. More than 15 digits are the result of binary
 * floating point, with an error in the further digits.
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

/** A tier's missing rates are those of the base, as in the public files. */
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

/** Without rates that do not depend on the input length. */
export function tokenRatesOf(rates: WrittenRates): WrittenRates {
  const names: readonly string[] = UNIT_WORDS;
  return Object.fromEntries(Object.entries(rates).filter(([name]) => !names.includes(name)));
}

export function isZero(rate: string | undefined): boolean {
  return rate === undefined || Number(rate) === 0;
}

/** `2026-09-24`; undefined for another text. */
export function dayIn(value: Json | undefined): string | undefined {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;
}

export function tokensIn(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
