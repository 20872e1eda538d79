import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { mergedVariants, modesOf, unsaidModes } from "./merged-variants.ts";
import { isSameRate, isZeroRate, ratesOf, UNIT_RATES } from "./written-rates.ts";

interface MergedPrice {
  /** Undefined if the old price stays. */
  readonly price?: JsonObject;
  /** The reasons why parts of the given price are not used. */
  readonly whys?: readonly string[];
}

/** Merges a file's price of a model into the known price. Both have the form of catalogue files. */
export function mergedPrice(old: JsonObject | undefined, given: JsonObject): MergedPrice {
  if (old === undefined) return { price: completePrice(given) };
  const said = Object.entries(ratesOf(given));
  const zero = said.find(([name, rate]) => isZeroRate(rate) && !isZeroRate(old[name] ?? "0"));
  if (zero !== undefined) {
    const [name] = zero;
    return stays(`'${name}' is 0 in the facts, but ${textOf(old[name]) ?? ""} now`);
  }
  const isChanged = said.some(([name, rate]) => !isSameRate(old[name], rate));
  const tiers = listOf(given["tiers"]);
  const oldTiers = listOf(old["tiers"]);
  if (isChanged && tiers.length === 0 && oldTiers.length > 0) {
    return stays("it has tiers now, but none in the facts");
  }
  if (old["grades"] !== undefined) return isChanged ? stays("it now has grades") : {};
  const oldVariants = listOf(old["variants"]).filter(isObject);
  const saidVariants = listOf(given["variants"]).filter(isObject);
  const isComplete = saidVariants.some(isConditional);
  if (!isComplete && oldVariants.some(dependsOnTime)) {
    return isChanged ? stays("it now depends on days or hours") : {};
  }

  const { searchOncePerCall, freeReferenceImages } = given;
  const base: JsonObject = {
    ...old,
    ...ratesOf(given),
    ...(searchOncePerCall !== undefined && { searchOncePerCall }),
    ...(freeReferenceImages !== undefined && { freeReferenceImages }),
  };
  const next: JsonObject =
    tiers.length === 0
      ? base
      : {
          ...base,
          tiers: tiers.filter(isObject).map((tier) => wholeTier(tier, base, oldTiers)),
        };
  // Only files in the catalogue's own format cover more than service
  // conditions, and they are complete.
  if (isComplete) return { price: { ...next, variants: saidVariants } };
  const { variants, whys } = mergedVariants(next, oldVariants, saidVariants);
  const unsaid = isChanged ? unsaidModes(oldVariants, saidVariants) : [];
  const kept = `its rates for ${unsaid.join(", ")} stay: the file has none`;
  if (!isChanged && tiers.length === 0 && variants === oldVariants) return { whys };
  return {
    price: { ...next, ...(variants.length > 0 && { variants }) },
    whys: unsaid.length > 0 ? [...whys, kept] : whys,
  };
}

/** Completes a new price: rates missing in its variants are filled in. */
export function completePrice(given: JsonObject): JsonObject {
  const { variants, ...price } = given;
  const said = listOf(variants).filter(isObject);
  if (said.length === 0 || said.some(isConditional)) return given;
  const merged = mergedVariants(price, [], said);
  return merged.variants.length === 0 ? price : { ...price, variants: merged.variants };
}

function isConditional(variant: JsonObject): boolean {
  return modesOf(variant).length === 0 || dependsOnTime(variant);
}

function stays(why: string): MergedPrice {
  return { whys: [`its price stays: ${why}`] };
}

function dependsOnTime({ when }: JsonObject): boolean {
  return ["from", "until", "hours"].some((name) => memberOf(when, name) !== undefined);
}

/** Completes a tier to the rates of the base: from the new tier, the old tier, or the base. */
function wholeTier(tier: JsonObject, base: JsonObject, oldTiers: readonly Json[]): JsonObject {
  const bound = tier["aboveInputTokens"];
  const old = oldTiers.find((each) => memberOf(each, "aboveInputTokens") === bound);
  const names = Object.keys(ratesOf(base)).filter((name) => !UNIT_RATES.includes(name));
  const rates = names.map((name) => [name, tier[name] ?? memberOf(old, name) ?? base[name]]);
  return { aboveInputTokens: bound, ...Object.fromEntries(rates) };
}
