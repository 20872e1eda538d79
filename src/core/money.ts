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
import { addUsage, fitsIn, fitUnits, NO_USAGE, type Units, type Usage } from "./usage.ts";

/** A billionth of a US dollar, always a whole number. The only unit in which money is kept. */
export type NanoUsd = number & { readonly __unit: "nano-usd" };

/** Whole pico-dollars for one token: $0.15 per million tokens is 150,000. */
type PicoUsdPerToken = number;

/** Whole pico-dollars for one of what is no token: $0.04 a picture is 40,000,000,000. */
type PicoUsdPerUnit = number;

export interface Rates {
  readonly input: PicoUsdPerToken;
  readonly output: PicoUsdPerToken;
  /** Input the vendor read from its cache; the input rate where absent. */
  readonly cachedInput?: PicoUsdPerToken;
  /** Input the vendor wrote to its cache; the input rate where absent. */
  readonly cacheWrite?: PicoUsdPerToken;
  /** The same, to be kept for an hour; the rate of any other write where absent. */
  readonly longCacheWrite?: PicoUsdPerToken;
  readonly audioInput?: PicoUsdPerToken;
  readonly audioOutput?: PicoUsdPerToken;
  readonly imageInput?: PicoUsdPerToken;
  readonly imageOutput?: PicoUsdPerToken;
  /** A picture made. */
  readonly image?: PicoUsdPerUnit;
  /** Of audio or video, made or heard. */
  readonly second?: PicoUsdPerUnit;
  /** Of text spoken. */
  readonly character?: PicoUsdPerUnit;
  readonly search?: PicoUsdPerUnit;
}

export interface GradedRates extends Rates {
  /** What differs for one kind of result, by its name in `Usage.grade`. */
  readonly grades?: Readonly<Record<string, Partial<Rates>>>;
  /** What differs under conditions. All whose condition is met apply. */
  readonly variants?: readonly PriceVariant[];
}

/** Either other rates or a factor. Of all that apply, `rates` replace first, then the factors multiply. */
export interface PriceVariant {
  readonly when: PriceCondition;
  readonly rates?: Partial<Rates>;
  /** Of every rate of tokens. Rates of pictures, seconds, characters and searches stay. */
  readonly factor?: Thousandths;
  /** Where it stands and the day it was read, if not where its price does. */
  readonly source?: string;
  readonly date?: string;
}

/** What a model costs. A call keeps the price it was planned with, whatever changes meanwhile. */
export interface Price extends GradedRates {
  /** Rates for the whole call when its input is above a bound; ascending. */
  readonly tiers?: readonly (Rates & { readonly aboveInputTokens: number })[];
  /** Searches cost once a call that searched, however many there were. */
  readonly searchOncePerCall?: true;
  /** Where the figures stand, and the day they were read. */
  readonly source: string;
  readonly date: string;
}

export const FREE: Price = { input: 0, output: 0, source: "none", date: "1970-01-01" };

/** No price is known; written down for a task so that no other channel's price stands there. */
export function isNone({ source }: Price): boolean {
  return source === FREE.source;
}

/**
 * It has rates, and none of them is for anything that was used: a price of
 * tokens says nothing about seconds. A price whose rates are all 0 is a price.
 */
export function isPriceOfOther(usage: CallUnits, price: Price): boolean {
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
/** Nine million dollars: no account, and no call, counts further. */
export const MOST_USD = Number.MAX_SAFE_INTEGER;
const LARGEST = BigInt(MOST_USD);

/** "12.5" dollars; undefined for what is no amount, or has more than nine decimals. */
export function parseUsd(text: string): NanoUsd | undefined {
  const amount = parseDecimal(text, NANO_DECIMALS);
  return amount === undefined ? undefined : nanoUsd(amount);
}

/** The way back, also for sums of more than an account can count. */
export function writeUsd(amount: number): string {
  return formatDecimal(amount, NANO_DECIMALS);
}

/** "1.5"; undefined above 100 and for more than three decimals. */
export function parseThousandths(text: string): Thousandths | undefined {
  return parseDecimal(text, FACTOR_DECIMALS, MAX_FACTOR);
}

export function writeThousandths(factor: Thousandths): string {
  return formatDecimal(factor, FACTOR_DECIMALS);
}

/**
 * Each rate times the factor, rounded down to a whole pico-dollar: rounded up,
 * a hundred million tokens would cost up to 100 micro-dollars too much.
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

/** The price for calls that begin at this moment (Unix ms): what depends on days and hours is decided. */
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

/** What was spent, and some more: an account that can count no further stays there, and goes on. */
export function spendMore(spent: NanoUsd, cost: number): NanoUsd {
  return nanoUsd(Math.min(spent + cost, MOST_USD));
}

/** The price of another model than the one that was called, which did a part of the work. */
export type PriceOf = (model: string) => Price | undefined;

/** What `usage` costs at `price`, rounded up to the next nano-dollar. */
export function costOf(usage: Usage, price: Price, priceOf?: PriceOf): NanoUsd {
  if (usage.steps === undefined && usage.servedBy === undefined) {
    return sumOf(partsOf(usage, ratesFor(usage, price)));
  }
  const charges = chargesOf(usage, price, priceOf);
  return sumOf(charges.flatMap(({ usage: of, rates }) => partsOf(of, rates)));
}

/** A part of a usage, and what it is charged by. */
export interface Charge {
  readonly usage: Usage;
  readonly rates: Rates;
  /** If another model than the one that was called did it. */
  readonly model?: string;
}

/**
 * Each step of a call by itself: its own model's price, and the rates for the
 * length of its own input. What is counted for the whole call only is one more.
 */
function chargesOf(usage: Usage, price: Price, priceOf?: PriceOf): readonly Charge[] {
  const { steps, servedBy, served, grade } = usage;
  const main = chargeOf(usage, servedBy, price, priceOf);
  if (steps === undefined) return [main];
  const charges = steps.map((step) => {
    const whole = { ...step.usage, ...(served && { served }), ...(grade && { grade }) };
    return chargeOf(whole, step.model ?? servedBy, price, priceOf);
  });
  const { images, durationMs, characters, searches } = usage;
  const units = defined({ images, durationMs, characters, searches });
  if (Object.keys(units).length === 0) return charges;
  return [...charges, { ...main, usage: { ...NO_USAGE, ...units, ...(grade && { grade }) } }];
}

/** What a usage was charged by, as the journal keeps it: parts of equal rates are one. */
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

/** A part of what a call costs: so many units of one kind, at one rate. */
export interface CostPart {
  readonly kind: keyof Rates | "reasoning";
  /** Of seconds, their thousandths. */
  readonly count: number;
  readonly rate: number;
}

/** Every token of a call in exactly one part. Reasoning costs what other output does. */
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
    { kind: "second", count: units.durationMs ?? 0, rate: rates.second ?? 0 },
    { kind: "character", count: units.characters ?? 0, rate: rates.character ?? 0 },
    { kind: "search", count: units.searches ?? 0, rate: rates.search ?? 0 },
  ];
}

/** In dollars, as an exact decimal. */
export function writePartCost(part: CostPart): string {
  return formatDecimal(femtoOf(part), FEMTO_DECIMALS);
}

/** "$0.0123", for people; never parsed back. */
export function formatUsd(amount: NanoUsd): string {
  const digits = (Math.abs(amount) / 1e9).toFixed(9).replace(/0{1,7}$/, "");
  return `${amount < 0 ? "-" : ""}$${digits}`;
}

/** Of the tier that so much input falls into, the grade of the result, and the variants whose conditions are met. */
export function ratesFor(usage: RatedBy, price: Price): Rates {
  const { inputTokens, served = {} } = usage;
  const rates = gradedRatesFor(usage, price);
  if (price.variants === undefined) return rates;
  const met = price.variants.filter(
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

/** Under which a price may have the rates of a result, the most exact name first. */
function gradeNames(grade: string, durationMs: number): readonly string[] {
  const silent = grade.replace(/ audio$/, "");
  const length = `${Math.round(durationMs / 1_000)}s`;
  return [`${grade} ${length}`, grade, `${silent} ${length}`, silent, withoutQuality(grade)];
}

/** Of several ways to write a kind of result, all of which vendors take, one: `4k` is `4K`, `16*9` is `16x9`. */
function plain(grade: string): string {
  return grade
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .replaceAll(/(?<=\d)[*×](?=\d)/g, "x");
}

/** A picture's size, which has one price where its quality makes no difference. */
function withoutQuality(grade: string): string {
  return grade.slice(grade.lastIndexOf(" ") + 1);
}

/**
 * Rounded up to the next nano-dollar. Absurd rates times absurd counts stop at
 * what can be kept: a call must be closed whatever it costs.
 */
function sumOf(parts: readonly CostPart[]): NanoUsd {
  return exactSumOf(parts) ?? largeSumOf(parts);
}

/** The same where nine dollars are not exceeded: plain numbers are exact that far, and cost less. */
function exactSumOf(parts: readonly CostPart[]): NanoUsd | undefined {
  let femto = 0;
  for (const { kind, count, rate } of parts) {
    if (count > 0) femto += count * rate * (kind === "second" ? 1 : 1_000);
  }
  if (femto > Number.MAX_SAFE_INTEGER) return undefined;
  const rest = femto % 1_000_000;
  return nanoUsd((femto - rest) / 1_000_000 + (rest > 0 ? 1 : 0));
}

function largeSumOf(parts: readonly CostPart[]): NanoUsd {
  let femto = 0n;
  for (const part of parts) femto += femtoOf(part);
  const nano = (femto + FEMTO_PER_NANO - 1n) / FEMTO_PER_NANO;
  return nanoUsd(Number(nano > LARGEST ? LARGEST : nano));
}

/** Parts of a usage may overlap in a vendor's count: a negative rest costs nothing. */
function femtoOf({ kind, count, rate }: CostPart): bigint {
  if (count <= 0) return 0n;
  const product = BigInt(count) * BigInt(rate);
  return kind === "second" ? product : product * MS_PER_SECOND;
}

function scaleRates(rates: Partial<Rates>, factor: Thousandths): Partial<Rates> {
  return { ...timesFactors(rates, [factor]), ...timesFactors(rates, [factor], UNIT_RATES) };
}

/** Rounded down once, after all factors; what could not be kept stops there. */
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

/** What a request asks for that its price may depend on. */
export interface AskedFor extends ServedAs {
  /** Its cache writes are to be kept for long. */
  readonly keepsLong?: true;
  /** Other models that it lets answer. */
  readonly models?: readonly string[];
}

/** `auto`: whichever of its tiers the vendor takes. */
export const ANY_TIER = "auto";
const USUAL_TIER = "standard";

/**
 * What a hold reserves: the dearest that a call could cost. It may be served as
 * it asks, or as any other call. Its input is counted roughly: near a bound of
 * the price, the rates above it may be due.
 */
export function estimateCost(size: CallUnits, price: Price, asked: AskedFor = {}): NanoUsd {
  const { inputTokens } = size;
  const lengths = dependsOnLength(price)
    ? [inputTokens, fitsIn(inputTokens * COUNTED_SHORT)]
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

/** By how much a vendor may count more input than we do. */
const COUNTED_SHORT = 1.25;

const AS_USUAL: readonly ServedAs[] = [{}];

function waysToServe(
  variants: readonly PriceVariant[],
  { serviceTier, speed, region }: AskedFor,
): readonly ServedAs[] {
  if (serviceTier === undefined && speed === undefined && region === undefined) return AS_USUAL;
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
  return sumOf([
    {
      kind: "input",
      count: fitsIn(size.inputTokens),
      rate: Math.max(input, cacheWrite, written, audioInput, imageInput, rates.cachedInput ?? 0),
    },
    {
      kind: "output",
      count: fitsIn(size.outputTokens),
      rate: Math.max(output, audioOutput, imageOutput),
    },
    ...unitParts(fitUnits(size), rates),
  ]);
}

/** What a call may come to. */
type CallUnits = Pick<Usage, "inputTokens" | "outputTokens"> & Units;
