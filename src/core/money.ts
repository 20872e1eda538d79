import { formatDecimal, parseDecimal } from "#lib/decimal.ts";
import { RATE_WORDS } from "./rate-words.ts";
import { fitsIn, fitUnits, type Units, type Usage } from "./usage.ts";

/** A billionth of a US dollar, always a whole number. The only unit in which money is kept. */
export type NanoUsd = number & { readonly __unit: "nano-usd" };

/** Whole pico-dollars for one token: $0.15 per million tokens is 150,000. */
export type PicoUsdPerToken = number;

/** Whole pico-dollars for one of what is no token: $0.04 a picture is 40,000,000,000. */
export type PicoUsdPerUnit = number;

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
}

/** What a model costs. A call keeps the price it was planned with, whatever changes meanwhile. */
export interface Price extends GradedRates {
  /** Rates for the whole call when its input is above a bound; ascending. */
  readonly tiers?: readonly (Rates & { readonly aboveInputTokens: number })[];
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
  const { tiers = [], grades = {} } = price;
  const all: readonly Partial<Rates>[] = [price, ...tiers, ...Object.values(grades)];
  const hasRate = all.some((rates) =>
    Object.values(RATE_WORDS).some(({ name }) => (rates[name] ?? 0) > 0),
  );
  return hasRate && estimateCost(usage, price) === 0;
}

/** A factor in whole thousandths: 1,500 is one and a half. */
export type Thousandths = number;

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

/** Each rate times the factor, rounded up to the next whole pico-dollar. */
export function scalePrice(price: Price, factor: Thousandths): Price {
  const { tiers, grades } = price;
  const scaled = Object.entries(grades ?? {}).map(
    ([grade, rates]) => [grade, scaleRates(rates, factor)] as const,
  );
  return {
    ...price,
    ...scaleRates(price, factor),
    ...(tiers && { tiers: tiers.map((tier) => ({ ...tier, ...scaleRates(tier, factor) })) }),
    ...(grades && { grades: Object.fromEntries(scaled) }),
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

/** What `usage` costs at `price`, rounded up to the next nano-dollar. */
export function costOf(usage: Usage, price: Price): NanoUsd {
  return sumOf(partsOf(usage, ratesFor(usage, price)));
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

/** Those of the tier that so much input falls into, and of the grade of the result. */
export function ratesFor(
  { inputTokens, grade = "", durationMs = 0 }: Pick<Usage, "inputTokens" | "grade" | "durationMs">,
  price: Price,
): Rates {
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
  const scaled = Object.values(RATE_WORDS).flatMap(({ name }) => {
    const { [name]: rate } = rates;
    if (rate === undefined) return [];
    return [[name, Number((BigInt(rate) * BigInt(factor) + 999n) / 1_000n)] as const];
  });
  return Object.fromEntries(scaled);
}

function isNanoUsd(amount: number): amount is NanoUsd {
  return Number.isSafeInteger(amount);
}

/**
 * What a hold reserves: the dearest that a call could cost, but for writes to
 * a cache that are kept long, since few calls make them.
 */
export function estimateCost(size: CallUnits, price: Price): NanoUsd {
  const rates = ratesFor(size, price);
  const { input, cacheWrite = 0, audioInput = 0, imageInput = 0 } = rates;
  const { output, audioOutput = 0, imageOutput = 0 } = rates;
  return sumOf([
    {
      kind: "input",
      count: fitsIn(size.inputTokens),
      rate: Math.max(input, cacheWrite, audioInput, imageInput),
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
export type CallUnits = Pick<Usage, "inputTokens" | "outputTokens"> & Units;
