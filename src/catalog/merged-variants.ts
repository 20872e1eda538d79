import { type Price, type Rates, ratesFor } from "#core/money.ts";
import type { ServedAs } from "#core/price-condition.ts";
import { RATE_WORDS, writeRate } from "#core/rate-words.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { parseCatalogFile } from "./catalog-file.ts";
import { isSameRate, isZeroRate, ratesOf, UNIT_RATES } from "./written-rates.ts";

/** A service condition with its own price: `{ member: "serviceTier", word: "flex" }`. */
interface Mode {
  readonly member: keyof ServedAs;
  readonly word: string;
}

const MEMBERS = ["serviceTier", "speed", "region"] as const;

/** Names of the tiers, speeds and regions that have known rates, but none in the file. */
export function unsaidModes(
  old: readonly JsonObject[],
  said: readonly JsonObject[],
): readonly string[] {
  const known = new Set(said.flatMap(modesOf).map(nameOf));
  // A factor applies to any base price.
  const ofRates = old.filter(({ rates }) => rates !== undefined).flatMap(modesOf);
  return [...new Set(ofRates.map(nameOf))].filter((name) => !known.has(name));
}

/**
 * Merges a file's variants into the known ones. A service condition keeps its
 * variants if its rates are unchanged. Otherwise it gets the file's rates, and
 * rates that the file omits stay.
 */
export function mergedVariants(
  price: JsonObject,
  old: readonly JsonObject[],
  said: readonly JsonObject[],
): { readonly variants: readonly JsonObject[]; readonly whys: readonly string[] } {
  const whys: string[] = [];
  const saidModes = uniqueModes(said.flatMap(modesOf));
  let variants = old;
  for (const mode of saidModes) {
    const given = said.filter((each) => modesOf(each).some((one) => isSame(one, mode)));
    const zero = given.flatMap(({ rates }) =>
      Object.entries(ratesOf(objectOf(rates) ?? {})).flatMap(([name, rate]) =>
        isZeroRate(rate) && !isZeroRate(price[name] ?? "0") ? [name] : [],
      ),
    )[0];
    if (zero !== undefined) {
      whys.push(`its price for ${nameOf(mode)} stays: '${zero}' is 0 there`);
      continue;
    }
    const before = readPrice({ ...price, ...variantsIf(old) });
    if (before === undefined) continue;
    if (isAlike(before, price, given, mode)) continue;
    variants = [...without(variants, mode), ...completed(given, before, price, mode)];
  }
  return { variants, whys };
}

function variantsIf(variants: readonly JsonObject[]): JsonObject {
  return variants.length === 0 ? {} : { variants };
}

/**
 * True if the known price charges a service condition like the file, at every
 * input length that the file names.
 */
function isAlike(
  before: Price,
  price: JsonObject,
  given: readonly JsonObject[],
  mode: Mode,
): boolean {
  const after = readPrice({ ...price, variants: given });
  if (after === undefined) return false;
  return given.every(({ when, rates }) => {
    const inputTokens = boundOf(when) + 1;
    const [one, other] = [before, after].map((each) => writtenRates(each, mode, inputTokens));
    const names = Object.keys(objectOf(rates) ?? { input: true, output: true });
    return names.every((name) => isSameRate(one?.[name], other?.[name]));
  });
}

/** The file's variants; rates and tiers that it omits stay. */
function completed(
  given: readonly JsonObject[],
  before: Price,
  price: JsonObject,
  mode: Mode,
): readonly JsonObject[] {
  const factors = given.filter(({ rates }) => rates === undefined);
  const ofRates = given.filter(({ rates }) => rates !== undefined);
  const bounds = ofRates.length === 0 ? [] : boundsOf(before, ofRates);
  const names = Object.keys(ratesOf(price)).filter((name) => !UNIT_RATES.includes(name));
  const steps = bounds.map((bound) => {
    const said = ofRates.find(({ when }) => boundOf(when) === bound) ?? {};
    const was = writtenRates(before, mode, bound + 1);
    const kept = names.flatMap((name) => {
      const { [name]: rate } = was;
      return rate === undefined ? [] : [[name, rate] as const];
    });
    const when = { [mode.member]: mode.word, ...(bound > 0 && { aboveInputTokens: bound }) };
    return { ...said, when, rates: { ...Object.fromEntries(kept), ...objectOf(said["rates"]) } };
  });
  return [
    ...steps,
    ...factors.map((each) => ({
      ...each,
      when: { ...objectOf(each["when"]), [mode.member]: mode.word },
    })),
  ];
}

/** 0 and the input lengths at which rates change, ascending. */
function boundsOf({ tiers = [], variants = [] }: Price, given: readonly JsonObject[]) {
  const bounds = new Set([
    0,
    ...tiers.map(({ aboveInputTokens }) => aboveInputTokens),
    ...variants.map(({ when }) => when.aboveInputTokens ?? 0),
    ...given.map(({ when }) => boundOf(when)),
  ]);
  return [...bounds].toSorted((one, other) => one - other);
}

function boundOf(when: Json | undefined): number {
  return numberOf(memberOf(when, "aboveInputTokens")) ?? 0;
}

/** Further values of a variant's condition keep it. */
function without(variants: readonly JsonObject[], { member, word }: Mode): readonly JsonObject[] {
  return variants.flatMap((each) => {
    const named = wordsIn(each, member);
    if (!named.includes(word)) return [each];
    const rest = named.filter((other) => other !== word);
    if (rest.length === 0) return [];
    return [{ ...each, when: { ...objectOf(each["when"]), [member]: rest } }];
  });
}

function writtenRates(
  price: Price,
  { member, word }: Mode,
  inputTokens: number,
): Readonly<Record<string, string>> {
  const rates: Rates = ratesFor({ inputTokens, served: { [member]: word } }, price);
  const written = Object.values(RATE_WORDS).flatMap(({ name, scale }) => {
    const { [name]: rate } = rates;
    return rate === undefined ? [] : [[name, writeRate(rate, scale)] as const];
  });
  return Object.fromEntries(written);
}

function readPrice(price: JsonObject): Price | undefined {
  const row = { id: "model", source: "https://prices.example", price };
  try {
    const file = { provider: "vendor", date: "2026-01-01", models: [row] };
    return parseCatalogFile(file).models[0]?.price;
  } catch {
    return undefined;
  }
}

/** All conditions of a variant: any value of a field matches. */
export function modesOf(variant: JsonObject): readonly Mode[] {
  return MEMBERS.flatMap((member) => wordsIn(variant, member).map((word) => ({ member, word })));
}

function wordsIn({ when }: JsonObject, member: Mode["member"]): readonly string[] {
  const said = memberOf(when, member);
  return (isArray(said) ? said : listOf([said ?? null])).flatMap((each) => textOf(each) ?? []);
}

function uniqueModes(modes: readonly Mode[]): readonly Mode[] {
  return [...new Map(modes.map((each) => [nameOf(each), each])).values()];
}

function isSame(one: Mode, other: Mode): boolean {
  return one.member === other.member && one.word === other.word;
}

function nameOf({ member, word }: Mode): string {
  return member === "serviceTier" ? word : `${member} ${word}`;
}
