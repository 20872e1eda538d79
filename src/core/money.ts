import { formatDecimal, parseDecimal } from "#lib/decimal.ts";
import { fitsIn, type Usage } from "./usage.ts";

/** A billionth of a US dollar, always a whole number. The only unit in which money is kept. */
export type NanoUsd = number & { readonly __unit: "nano-usd" };

/** Whole pico-dollars for one token: $0.15 per million tokens is 150,000. */
export type PicoUsdPerToken = number;

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
}

/** What a model costs. A call keeps the price it was planned with, whatever changes meanwhile. */
export interface Price extends Rates {
  /** Rates for the whole call when its input is above a bound; ascending. */
  readonly tiers?: readonly (Rates & { readonly aboveInputTokens: number })[];
  /** Where the figures stand, and the day they were read. */
  readonly source: string;
  readonly date: string;
}

export const FREE: Price = { input: 0, output: 0, source: "none", date: "1970-01-01" };

/** A factor in whole thousandths: 1,500 is one and a half. */
export type Thousandths = number;

/** How people write rates, here as in `sluice.yaml`. */
export const RATE_WORDS = {
  input: "input",
  output: "output",
  cached_input: "cachedInput",
  cache_write: "cacheWrite",
  audio_input: "audioInput",
  audio_output: "audioOutput",
} as const satisfies Readonly<Record<string, keyof Rates>>;

const PICO_PER_NANO = 1_000n;
/** A dollar per million tokens is 10^6 pico-dollars per token. */
const RATE_DECIMALS = 6;
const MAX_RATE: PicoUsdPerToken = 100_000 * 10 ** RATE_DECIMALS;
const FACTOR_DECIMALS = 3;
const MAX_FACTOR: Thousandths = 100_000;
const NANO_DECIMALS = 9;
const PICO_DECIMALS = 12;

/** "12.5" dollars; undefined for what is no amount, or has more than nine decimals. */
export function parseUsd(text: string): NanoUsd | undefined {
  const amount = parseDecimal(text, NANO_DECIMALS);
  return amount === undefined ? undefined : nanoUsd(amount);
}

/** The way back. */
export function writeUsd(amount: NanoUsd): string {
  return formatDecimal(amount, NANO_DECIMALS);
}

/** "0.15" dollars per million tokens; undefined above 100,000 and for more than six decimals. */
export function parseRate(text: string): PicoUsdPerToken | undefined {
  return parseUpTo(text, RATE_DECIMALS, MAX_RATE);
}

export function writeRate(rate: PicoUsdPerToken): string {
  return formatDecimal(rate, RATE_DECIMALS);
}

/** "1.5"; undefined above 100 and for more than three decimals. */
export function parseThousandths(text: string): Thousandths | undefined {
  return parseUpTo(text, FACTOR_DECIMALS, MAX_FACTOR);
}

export function writeThousandths(factor: Thousandths): string {
  return formatDecimal(factor, FACTOR_DECIMALS);
}

/** Each rate times the factor, rounded up to the next whole pico-dollar. */
export function scalePrice(price: Price, factor: Thousandths): Price {
  const { tiers } = price;
  return {
    ...price,
    ...scaleRates(price, factor),
    ...(tiers && { tiers: tiers.map((tier) => ({ ...tier, ...scaleRates(tier, factor) })) }),
  };
}

export function nanoUsd(amount: number): NanoUsd {
  if (!isNanoUsd(amount)) throw new RangeError(`${amount} is not a whole number of nano-dollars.`);
  return amount;
}

/** What `usage` costs at `price`, rounded up to the next nano-dollar. */
export function costOf(usage: Usage, price: Price): NanoUsd {
  let pico = 0n;
  for (const { tokens, rate } of partsOf(usage, ratesFor(usage.inputTokens, price))) {
    pico += times(tokens, rate);
  }
  return nanoUsd(Number((pico + PICO_PER_NANO - 1n) / PICO_PER_NANO));
}

/** A part of what a call costs: so many tokens of one kind, at one rate. */
export interface CostPart {
  readonly kind: keyof Rates | "reasoning";
  readonly tokens: number;
  readonly rate: PicoUsdPerToken;
}

/** Every token of a call in exactly one part. Reasoning costs what other output does. */
export function partsOf(usage: Usage, rates: Rates): readonly CostPart[] {
  const plainInput =
    usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteTokens - usage.audioInputTokens;
  const longWrite = usage.longCacheWriteTokens ?? 0;
  const writeRate = rates.cacheWrite ?? rates.input;
  const textOutput = usage.outputTokens - usage.audioOutputTokens;
  const reasoning = Math.max(0, Math.min(usage.reasoningTokens, textOutput));

  return [
    { kind: "input", tokens: plainInput, rate: rates.input },
    {
      kind: "cachedInput",
      tokens: usage.cachedInputTokens,
      rate: rates.cachedInput ?? rates.input,
    },
    { kind: "cacheWrite", tokens: usage.cacheWriteTokens - longWrite, rate: writeRate },
    { kind: "longCacheWrite", tokens: longWrite, rate: rates.longCacheWrite ?? writeRate },
    { kind: "audioInput", tokens: usage.audioInputTokens, rate: rates.audioInput ?? rates.input },
    { kind: "output", tokens: textOutput - reasoning, rate: rates.output },
    { kind: "reasoning", tokens: reasoning, rate: rates.output },
    {
      kind: "audioOutput",
      tokens: usage.audioOutputTokens,
      rate: rates.audioOutput ?? rates.output,
    },
  ];
}

/** In dollars, as an exact decimal. */
export function writePartCost({ tokens, rate }: CostPart): string {
  return formatDecimal(times(tokens, rate), PICO_DECIMALS);
}

/** "$0.0123", for people; never parsed back. */
export function formatUsd(amount: NanoUsd): string {
  const digits = (Math.abs(amount) / 1e9).toFixed(9).replace(/0{1,7}$/, "");
  return `${amount < 0 ? "-" : ""}$${digits}`;
}

/** Those of the tier that so much input falls into. */
export function ratesFor(inputTokens: number, price: Price): Rates {
  return price.tiers?.findLast((tier) => inputTokens > tier.aboveInputTokens) ?? price;
}

/** Parts of a usage may overlap in a vendor's count: a negative rest costs nothing. */
function times(tokens: number, rate: PicoUsdPerToken): bigint {
  return tokens <= 0 ? 0n : BigInt(tokens) * BigInt(rate);
}

/** A record, so that a new rate cannot be forgotten. */
const RATES: Readonly<Record<keyof Rates, true>> = {
  input: true,
  output: true,
  cachedInput: true,
  cacheWrite: true,
  longCacheWrite: true,
  audioInput: true,
  audioOutput: true,
};

function scaleRates(rates: Rates, factor: Thousandths): { [Name in keyof Rates]?: Rates[Name] } {
  const scaled = Object.entries(rates).flatMap(([name, rate]) => {
    if (!Object.hasOwn(RATES, name)) return [];
    return [[name, Number((BigInt(rate) * BigInt(factor) + 999n) / 1_000n)] as const];
  });
  return Object.fromEntries(scaled);
}

function parseUpTo(text: string, decimals: number, most: number): number | undefined {
  const parts = parseDecimal(text, decimals);
  return parts === undefined || parts > most ? undefined : parts;
}

function isNanoUsd(amount: number): amount is NanoUsd {
  return Number.isSafeInteger(amount);
}

/**
 * What a hold reserves: the dearest that a call could cost, but for writes to
 * a cache that are kept long, since few calls make them.
 */
export function estimateCost(inputTokens: number, outputTokens: number, price: Price): NanoUsd {
  const dearest = ratesFor(inputTokens, price);
  const input = Math.max(dearest.input, dearest.cacheWrite ?? 0, dearest.audioInput ?? 0);
  const output = Math.max(dearest.output, dearest.audioOutput ?? 0);
  const pico = times(fitsIn(inputTokens), input) + times(fitsIn(outputTokens), output);
  return nanoUsd(Number((pico + PICO_PER_NANO - 1n) / PICO_PER_NANO));
}
