import { formatDecimal, parseDecimal } from "#lib/decimal.ts";
import { defined } from "#lib/values.ts";
import {
  atAnyTime,
  dependsOnTime,
  isAt,
  isServedSo,
  type PriceCondition,
  type ServedAs,
} from "./price-condition.ts";
import { RATE_WORDS, UNIT_WORDS } from "./rate-words.ts";
import {
  addUsage,
  clampCount,
  fitUnits,
  hasUnits,
  isCount,
  NO_USAGE,
  type CountName,
  type Units,
  type Usage,
} from "./usage.ts";

/** A billionth of a US dollar, always a whole number. All money is stored in this unit. */
export type NanoUsd = number & { readonly __unit: "nano-usd" };

/** Whole pico-dollars for one token: $0.15 per million tokens is 150,000. */
type PicoUsdPerToken = number;

/** Whole pico-dollars for one unit other than a token: $0.04 per image is 40,000,000,000. */
type PicoUsdPerUnit = number;

export interface Rates {
  readonly input: PicoUsdPerToken;
  readonly output: PicoUsdPerToken;
  /** Input tokens that the vendor read from its cache. Defaults to the input rate. */
  readonly cachedInput?: PicoUsdPerToken;
  /** Input tokens that the vendor wrote to its cache. Defaults to the input rate. */
  readonly cacheWrite?: PicoUsdPerToken;
  /** Cache writes that the vendor keeps for one hour. Defaults to `cacheWrite`. */
  readonly longCacheWrite?: PicoUsdPerToken;
  readonly audioInput?: PicoUsdPerToken;
  readonly audioOutput?: PicoUsdPerToken;
  readonly imageInput?: PicoUsdPerToken;
  readonly imageOutput?: PicoUsdPerToken;
  /** Per generated image. */
  readonly image?: PicoUsdPerUnit;
  /** Per given image. */
  readonly referenceImage?: PicoUsdPerUnit;
  /** Per second of audio or video, generated or processed. */
  readonly second?: PicoUsdPerUnit;
  /** Per character of text for speech synthesis. */
  readonly character?: PicoUsdPerUnit;
  readonly search?: PicoUsdPerUnit;
}

export interface GradedRates extends Rates {
  /** Rates that differ by kind of result. The key is the name in `Usage.grade`. */
  readonly grades?: Readonly<Record<string, Partial<Rates>>>;
  /** Rates that differ under conditions. Every variant that matches applies. */
  readonly variants?: readonly PriceVariant[];
}

/**
 * Either other rates or a factor. First all matching `rates` replace the base
 * rates, then all factors multiply.
 */
export interface PriceVariant {
  readonly when: PriceCondition;
  readonly rates?: Partial<Rates>;
  /** Multiplies token rates only, not rates per image, second, character or search. */
  readonly factor?: Thousandths;
  /** Source of the rates and the day they were read, if they differ from the price's own. */
  readonly source?: string;
  readonly date?: string;
}

/**
 * The price of a model. A call keeps the price that it was planned with, even
 * if the price changes meanwhile.
 */
export interface Price extends GradedRates {
  /** Rates for the whole call if its input exceeds a bound; ascending. */
  readonly tiers?: readonly (Rates & { readonly aboveInputTokens: number })[];
  /** Searches cost once a call that searched, however many there were. */
  readonly searchOncePerCall?: true;
  /** Given images that a call may have without a charge. */
  readonly freeReferenceImages?: number;
  /** Where the rates were published, and the day they were read. */
  readonly source: string;
  readonly date: string;
}

export const FREE: Price = { input: 0, output: 0, source: "none", date: "1970-01-01" };

/**
 * True if no price is known. A task stores this price so that another channel's
 * price is not used.
 */
export function isUnknownPrice({ source }: Price): boolean {
  return source === FREE.source;
}

/**
 * True if the price has rates, but none for the units that the call used: a
 * price per token does not cover seconds. A price with all rates 0 is a price.
 */
export function pricesOnlyOtherUnits(usage: CallUnits, price: Price): boolean {
  const { tiers = [], grades = {}, variants = [] } = price;
  const varied = variants.flatMap(({ rates }) => rates ?? []);
  const all: readonly Partial<Rates>[] = [price, ...tiers, ...Object.values(grades), ...varied];
  const hasRate = all.some((rates) =>
    Object.values(RATE_WORDS).some(({ name }) => (rates[name] ?? 0) > 0),
  );
  return hasRate && estimateCost(usage, price) === 0;
}

/** A factor in whole thousandths: 1,500 is one and a half. */
export type Thousandths = number;

/** A price that tells service tiers apart, and says nothing of this one. */
export function isTierUnpriced(
  { variants = [] }: GradedRates,
  { serviceTier = USUAL_TIER }: ServedAs,
): boolean {
  if (serviceTier === USUAL_TIER || serviceTier === ANY_TIER) return false;
  const known = variants.flatMap(({ when }) => when.serviceTiers ?? []);
  return known.length > 0 && !known.includes(serviceTier);
}

const MS_PER_SECOND = 1_000n;
const FEMTO_PER_NANO = 1_000_000n;
const FACTOR_DECIMALS = 3;
const MAX_FACTOR: Thousandths = 100_000;
const NANO_DECIMALS = 9;
const FEMTO_DECIMALS = 15;
/** Nine million dollars: the maximum of an account balance and of a call's cost. */
export const MAX_NANO_USD = Number.MAX_SAFE_INTEGER;
const LARGEST = BigInt(MAX_NANO_USD);

/** Parses "12.5" dollars. Undefined for an invalid amount or more than nine decimals. */
export function parseUsd(text: string): NanoUsd | undefined {
  const amount = parseDecimal(text, NANO_DECIMALS);
  return amount === undefined ? undefined : nanoUsd(amount);
}

/** Formats an amount for `parseUsd`. Also accepts sums above the maximum of an account. */
export function writeUsd(amount: number): string {
  return formatDecimal(amount, NANO_DECIMALS);
}

/** Parses "1.5". Undefined above 100 and for more than three decimals. */
export function parseThousandths(text: string): Thousandths | undefined {
  return parseDecimal(text, FACTOR_DECIMALS, MAX_FACTOR);
}

export function writeThousandths(factor: Thousandths): string {
  return formatDecimal(factor, FACTOR_DECIMALS);
}

/**
 * Multiplies each rate by the factor and rounds down to a whole pico-dollar.
 * Rounding up would overcharge a hundred million tokens by up to 100
 * micro-dollars.
 */
export function scalePrice(price: Price, factor: Thousandths): Price {
  const { tiers, grades, variants } = price;
  const scaled = Object.entries(grades ?? {}).map(
    ([grade, rates]) => [grade, scaleRates(rates, factor)] as const,
  );
  return {
    ...price,
    ...scaleRates(price, factor),
    ...(tiers && { tiers: tiers.map((tier) => ({ ...tier, ...scaleRates(tier, factor) })) }),
    ...(grades && { grades: Object.fromEntries(scaled) }),
    ...(variants && { variants: variants.map((each) => scaleVariant(each, factor)) }),
  };
}

function scaleVariant(variant: PriceVariant, factor: Thousandths): PriceVariant {
  const { rates } = variant;
  return rates === undefined ? variant : { ...variant, rates: scaleRates(rates, factor) };
}

/**
 * The price for calls that begin at this moment (Unix ms), with conditions on
 * days and hours resolved.
 */
export function priceAt(price: Price, at: number): Price {
  const { variants } = price;
  if (variants?.some(({ when }) => dependsOnTime(when)) !== true) return price;
  return {
    ...price,
    variants: variants.flatMap((each) => {
      if (!dependsOnTime(each.when)) return [each];
      return isAt(each.when, at) ? [{ ...each, when: atAnyTime(each.when) }] : [];
    }),
  };
}

export function nanoUsd(amount: number): NanoUsd {
  if (!isNanoUsd(amount)) throw new RangeError(`${amount} is not a whole number of nano-dollars.`);
  return amount;
}

/** Adds a cost to the amount spent. The sum stops at the maximum and the account stays usable. */
export function addCost(spent: NanoUsd, cost: number): NanoUsd {
  return nanoUsd(Math.min(spent + cost, MAX_NANO_USD));
}

/** Looks up the price of another model that did a part of the work. */
export type PriceOf = (model: string) => Price | undefined;

/** The cost of `usage` at `price`, rounded up to the next nano-dollar. */
export function costOf(usage: Usage, price: Price, priceOf?: PriceOf): NanoUsd {
  if (usage.steps === undefined && usage.servedBy === undefined) {
    return costAt(usage, ratesFor(usage, price));
  }
  return costOfSteps(usage, price, priceOf);
}

function costOfSteps(usage: Usage, price: Price, priceOf: PriceOf | undefined): NanoUsd {
  const charges = chargesOf(usage, price, priceOf);
  return sumOf(charges.flatMap(({ usage: of, rates }) => partsOf(of, rates)));
}

/** The usage without the given images that are free. */
export function withoutFreeImages(usage: Usage, { freeReferenceImages = 0 }: Price): Usage {
  const { referenceImages = 0, ...rest } = usage;
  if (referenceImages === 0 || freeReferenceImages === 0) return usage;
  const charged = referenceImages - freeReferenceImages;
  return charged > 0 ? { ...rest, referenceImages: charged } : rest;
}

/** A part of a usage and the rates that apply to it. */
export interface Charge {
  readonly usage: Usage;
  readonly rates: Rates;
  /** The model that did this part, if it is not the model that was called. */
  readonly model?: string;
}

/**
 * Charges each step of a call separately, with its own model's price and the
 * rates for its own input length. Units that are only reported for the whole
 * call form one more charge.
 */
function chargesOf(usage: Usage, price: Price, priceOf?: PriceOf): readonly Charge[] {
  const { steps, servedBy, served, grade } = usage;
  const main = chargeOf(usage, servedBy, price, priceOf);
  if (steps === undefined) return [main];
  const charges = steps.map((step) => {
    const whole = { ...step.usage, ...(served && { served }), ...(grade && { grade }) };
    return chargeOf(whole, step.model ?? servedBy, price, priceOf);
  });
  const { images, referenceImages, durationMs, characters, searches } = usage;
  const units = defined({ images, referenceImages, durationMs, characters, searches });
  if (Object.keys(units).length === 0) return charges;
  return [...charges, { ...main, usage: { ...NO_USAGE, ...units, ...(grade && { grade }) } }];
}

/** The rates that a usage was charged by, for the journal. Parts with equal rates are merged. */
export function rateUsage(
  usage: Usage,
  price: Price,
  priceOf?: PriceOf,
): { readonly rates: Rates; readonly charges?: readonly Charge[] } {
  const isOne = usage.steps === undefined && usage.servedBy === undefined;
  if (isOne) return { rates: ratesFor(usage, price) };
  const byRates = new Map<string, Charge>();
  for (const charge of chargesOf(usage, price, priceOf)) {
    const key = JSON.stringify([charge.model, charge.rates]);
    const same = byRates.get(key);
    const sum = same && addUsage(same.usage, charge.usage);
    byRates.set(key, sum === undefined ? charge : { ...charge, usage: sum });
  }
  const charges = [...byRates.values()];
  const rates = charges[0]?.rates ?? ratesFor(usage, price);
  return charges.length > 1 ? { rates, charges } : { rates };
}

function chargeOf(
  usage: Usage,
  model: string | undefined,
  price: Price,
  priceOf: PriceOf | undefined,
): Charge {
  const own = model === undefined ? undefined : priceOf?.(model);
  const rates = ratesFor(usage, own ?? price);
  return { usage, rates, ...(own !== undefined && model !== undefined ? { model } : {}) };
}

/** One part of a call's cost: a number of units of one kind at one rate. */
export interface CostPart {
  readonly kind: keyof Rates | "reasoning";
  /** Seconds are counted in thousandths. */
  readonly count: number;
  readonly rate: number;
}

/**
 * Splits the usage so that every token is in exactly one part. Reasoning is
 * charged like other output.
 */
export function partsOf(usage: Usage, rates: Rates): readonly CostPart[] {
  const { audioInputTokens, imageInputTokens = 0, longCacheWriteTokens: longWrite = 0 } = usage;
  const { audioOutputTokens, imageOutputTokens = 0 } = usage;
  const plainInput =
    usage.inputTokens -
    usage.cachedInputTokens -
    usage.cacheWriteTokens -
    audioInputTokens -
    imageInputTokens;
  const writeRate = rates.cacheWrite ?? rates.input;
  const textOutput = usage.outputTokens - audioOutputTokens - imageOutputTokens;
  const reasoning = Math.max(0, Math.min(usage.reasoningTokens, textOutput));

  return [
    { kind: "input", count: plainInput, rate: rates.input },
    {
      kind: "cachedInput",
      count: usage.cachedInputTokens,
      rate: rates.cachedInput ?? rates.input,
    },
    { kind: "cacheWrite", count: usage.cacheWriteTokens - longWrite, rate: writeRate },
    { kind: "longCacheWrite", count: longWrite, rate: rates.longCacheWrite ?? writeRate },
    { kind: "audioInput", count: audioInputTokens, rate: rates.audioInput ?? rates.input },
    { kind: "imageInput", count: imageInputTokens, rate: rates.imageInput ?? rates.input },
    { kind: "output", count: textOutput - reasoning, rate: rates.output },
    { kind: "reasoning", count: reasoning, rate: rates.output },
    { kind: "audioOutput", count: audioOutputTokens, rate: rates.audioOutput ?? rates.output },
    { kind: "imageOutput", count: imageOutputTokens, rate: rates.imageOutput ?? rates.output },
    ...unitParts(usage, rates),
  ];
}

function unitParts(units: Units, rates: Rates): readonly CostPart[] {
  return [
    { kind: "image", count: units.images ?? 0, rate: rates.image ?? 0 },
    { kind: "referenceImage", count: units.referenceImages ?? 0, rate: rates.referenceImage ?? 0 },
    { kind: "second", count: units.durationMs ?? 0, rate: rates.second ?? 0 },
    { kind: "character", count: units.characters ?? 0, rate: rates.character ?? 0 },
    { kind: "search", count: units.searches ?? 0, rate: rates.search ?? 0 },
  ];
}

/** The cost of one part in dollars, as an exact decimal. */
export function writePartCost(part: CostPart): string {
  return formatDecimal(femtoOf(part), FEMTO_DECIMALS);
}

/** Formats "$0.0123" for people. Never parsed back. */
export function formatUsd(amount: NanoUsd): string {
  const digits = (Math.abs(amount) / 1e9).toFixed(9).replace(/0{1,7}$/, "");
  return `${amount < 0 ? "-" : ""}$${digits}`;
}

/**
 * The rates for this input length (tier), this kind of result (grade) and all
 * variants with matching conditions.
 */
export function ratesFor(usage: RatedBy, price: Price): Rates {
  const rates =
    price.tiers === undefined && price.grades === undefined ? price : gradedRatesFor(usage, price);
  return price.variants === undefined ? rates : variedRatesFor(usage, rates, price.variants);
}

function variedRatesFor(
  { inputTokens, served = {} }: RatedBy,
  rates: Rates,
  variants: readonly PriceVariant[],
): Rates {
  const met = variants.filter(
    ({ when }) => !dependsOnTime(when) && isServedSo(when, served, inputTokens),
  );
  return met.length === 0 ? rates : varied(rates, met);
}

type RatedBy = Pick<Usage, "inputTokens" | "grade" | "durationMs" | "served">;

function varied(rates: Rates, variants: readonly PriceVariant[]): Rates {
  const replaced = variants.reduce((all, each) => ({ ...all, ...each.rates }), rates);
  const factors = variants.flatMap(({ factor }) => (factor === undefined ? [] : [factor]));
  return factors.length === 0 ? replaced : { ...replaced, ...timesFactors(replaced, factors) };
}

function gradedRatesFor({ inputTokens, grade = "", durationMs = 0 }: RatedBy, price: Price): Rates {
  const rates = price.tiers?.findLast((tier) => inputTokens > tier.aboveInputTokens) ?? price;
  if (price.grades === undefined) return rates;
  const grades = new Map(Object.entries(price.grades).map(([name, each]) => [plain(name), each]));
  const name = gradeNames(plain(grade), durationMs).find((each) => grades.has(each));
  return name === undefined ? rates : { ...rates, ...grades.get(name) };
}

/** Names under which a price may list the rates of this result, the most specific first. */
function gradeNames(grade: string, durationMs: number): readonly string[] {
  const silent = grade.replace(/ audio$/, "");
  const length = `${Math.round(durationMs / 1_000)}s`;
  return [`${grade} ${length}`, grade, `${silent} ${length}`, silent, withoutQuality(grade)];
}

/**
 * Normalises a grade, because vendors accept several notations: `4k` becomes
 * `4K`, `16*9` becomes `16x9`.
 */
function plain(grade: string): string {
  return grade
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .replaceAll(/(?<=\d)[*×](?=\d)/g, "x");
}

/** The image size without the quality, for prices that do not depend on quality. */
function withoutQuality(grade: string): string {
  return grade.slice(grade.lastIndexOf(" ") + 1);
}

/**
 * Rounded up to the next nano-dollar and limited to the maximum amount, so that
 * a call can be closed even with absurd rates and counts.
 */
function sumOf(parts: readonly CostPart[]): NanoUsd {
  return exactSumOf(parts) ?? largeSumOf(parts);
}

/**
 * The same sum with plain numbers, which are faster and exact up to nine
 * dollars. Undefined above that.
 */
function exactSumOf(parts: readonly CostPart[]): NanoUsd | undefined {
  let femto = 0;
  for (const { kind, count, rate } of parts) {
    if (count > 0) femto += count * rate * (kind === "second" ? 1 : 1_000);
  }
  return exactNano(femto);
}

function exactNano(femto: number): NanoUsd | undefined {
  if (femto > Number.MAX_SAFE_INTEGER) return undefined;
  const rest = femto % 1_000_000;
  return nanoUsd((femto - rest) / 1_000_000 + (rest > 0 ? 1 : 0));
}

function costAt(usage: Usage, rates: Rates): NanoUsd {
  return plainCost(usage, rates) ?? sumOf(partsOf(usage, rates));
}

/** A record, so that the compiler finds a count that has a part of its own. */
const SPECIAL = {
  longCacheWriteTokens: true,
  audioInputTokens: true,
  imageInputTokens: true,
  audioOutputTokens: true,
  imageOutputTokens: true,
  images: true,
  referenceImages: true,
  durationMs: true,
  characters: true,
  searches: true,
} satisfies Readonly<Record<Exclude<CountName, PlainCount>, true>>;

/** Reasoning costs as much as other output. */
type PlainCount =
  | "inputTokens"
  | "cachedInputTokens"
  | "cacheWriteTokens"
  | "outputTokens"
  | "reasoningTokens";

const SPECIAL_COUNTS = Object.keys(SPECIAL).filter(isCount);

/**
 * The same sum for text alone, which most calls are, without an object for each part. Undefined for
 * others, and above nine dollars.
 */
function plainCost(usage: Usage, rates: Rates): NanoUsd | undefined {
  for (const name of SPECIAL_COUNTS) if ((usage[name] ?? 0) > 0) return undefined;
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = usage;
  const { input, cachedInput = input, cacheWrite = input, output } = rates;
  const plainInput = inputTokens - cachedInputTokens - cacheWriteTokens;
  const pico =
    Math.max(0, plainInput) * input +
    Math.max(0, cachedInputTokens) * cachedInput +
    Math.max(0, cacheWriteTokens) * cacheWrite +
    Math.max(0, outputTokens) * output;
  return exactNano(pico * 1_000);
}

function largeSumOf(parts: readonly CostPart[]): NanoUsd {
  let femto = 0n;
  for (const part of parts) femto += femtoOf(part);
  const nano = (femto + FEMTO_PER_NANO - 1n) / FEMTO_PER_NANO;
  return nanoUsd(Number(nano > LARGEST ? LARGEST : nano));
}

/** Parts of a usage may overlap in a vendor's count: a negative count costs nothing. */
function femtoOf({ kind, count, rate }: CostPart): bigint {
  if (count <= 0) return 0n;
  const product = BigInt(count) * BigInt(rate);
  return kind === "second" ? product : product * MS_PER_SECOND;
}

function scaleRates(rates: Partial<Rates>, factor: Thousandths): Partial<Rates> {
  return { ...timesFactors(rates, [factor]), ...timesFactors(rates, [factor], UNIT_RATES) };
}

/** Rounded down once, after all factors, and limited to the largest storable rate. */
function timesFactors(
  rates: Partial<Rates>,
  factors: readonly Thousandths[],
  names: readonly (keyof Rates)[] = TOKEN_RATES,
): Partial<Rates> {
  let times = 1n;
  for (const factor of factors) times *= BigInt(factor);
  const divisor = 1_000n ** BigInt(factors.length);
  const scaled = names.flatMap((name) => {
    const { [name]: rate } = rates;
    if (rate === undefined) return [];
    const exact = (BigInt(rate) * times) / divisor;
    return [[name, Number(exact > LARGEST ? LARGEST : exact)] as const];
  });
  return Object.fromEntries(scaled);
}

const UNIT_RATES: readonly (keyof Rates)[] = UNIT_WORDS;
const TOKEN_RATES: readonly (keyof Rates)[] = Object.values(RATE_WORDS)
  .map(({ name }) => name)
  .filter((name) => !UNIT_RATES.includes(name));

function isNanoUsd(amount: number): amount is NanoUsd {
  return Number.isSafeInteger(amount);
}

/** The request options that a price may depend on. */
export interface AskedFor extends ServedAs {
  /** The request asks for long-lived cache writes. */
  readonly keepsLong?: true;
  /** Other models that the request allows to answer. */
  readonly models?: readonly string[];
}

/** `auto`: the vendor chooses one of its tiers. */
export const ANY_TIER = "auto";
const USUAL_TIER = "standard";

/**
 * The amount that a hold reserves: the highest possible cost of the call. The
 * vendor may serve the call as requested or in its standard way. Our input
 * count is approximate, so the rates above a nearby tier bound count too.
 */
export function estimateCost(
  size: CallUnits,
  price: Price,
  asked: AskedFor = NOTHING_ASKED,
): NanoUsd {
  if (price.tiers === undefined && price.variants === undefined) {
    return estimateAt(size, ratesFor(size, price), asked);
  }
  return estimateWays(size, price, asked);
}

const NOTHING_ASKED: AskedFor = {};

/** The most that any way to serve the call may cost. */
function estimateWays(size: CallUnits, price: Price, asked: AskedFor): NanoUsd {
  const { inputTokens } = size;
  const lengths = dependsOnLength(price)
    ? [inputTokens, clampCount(inputTokens * INPUT_MARGIN)]
    : [inputTokens];
  const estimates = waysToServe(price.variants ?? [], asked).flatMap((served) =>
    lengths.map((length) =>
      estimateAt(size, ratesFor({ ...size, served, inputTokens: length }, price), asked),
    ),
  );
  return estimates.reduce((most, each) => (each > most ? each : most));
}

function dependsOnLength({ tiers, variants = [] }: Price): boolean {
  return tiers !== undefined || variants.some(({ when }) => when.aboveInputTokens !== undefined);
}

/** The factor by which a vendor's input count may exceed ours. */
const INPUT_MARGIN = 1.25;

const STANDARD_SERVICE: readonly ServedAs[] = [{}];

function waysToServe(
  variants: readonly PriceVariant[],
  { serviceTier, speed, region }: AskedFor,
): readonly ServedAs[] {
  if (serviceTier === undefined && speed === undefined && region === undefined)
    return STANDARD_SERVICE;
  const tiers =
    serviceTier === ANY_TIER
      ? variants.flatMap(({ when }) => when.serviceTiers ?? [])
      : [serviceTier];
  return unique([undefined, ...tiers]).flatMap((tier) =>
    unique([undefined, speed]).flatMap((each) =>
      unique([undefined, region]).map((at) =>
        defined({ serviceTier: tier, speed: each, region: at }),
      ),
    ),
  );
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}

function estimateAt(size: CallUnits, rates: Rates, { keepsLong }: AskedFor): NanoUsd {
  const { input, cacheWrite = 0, longCacheWrite = 0, audioInput = 0, imageInput = 0 } = rates;
  const { output, audioOutput = 0, imageOutput = 0 } = rates;
  const written = keepsLong === true ? longCacheWrite : 0;
  const cached = rates.cachedInput ?? 0;
  const inputRate = Math.max(input, cacheWrite, written, audioInput, imageInput, cached);
  const outputRate = Math.max(output, audioOutput, imageOutput);
  const inputTokens = clampCount(size.inputTokens);
  const outputTokens = clampCount(size.outputTokens);
  const ofText = exactNano((inputTokens * inputRate + outputTokens * outputRate) * 1_000);
  if (ofText !== undefined && !hasUnits(size)) return ofText;
  return sumOf([
    { kind: "input", count: inputTokens, rate: inputRate },
    { kind: "output", count: outputTokens, rate: outputRate },
    ...unitParts(fitUnits(size), rates),
  ]);
}

/** The largest usage that a call may have. */
type CallUnits = Pick<Usage, "inputTokens" | "outputTokens"> & Units;
