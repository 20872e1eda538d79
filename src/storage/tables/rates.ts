import { z } from "zod";
import type { GradedRates, Rates } from "#core/money.ts";
import type { PriceCondition } from "#core/price-condition.ts";
import type { Usage } from "#core/usage.ts";

const rate = z.int().nonnegative();

/** A record, so that the compiler finds a missing rate. */
const shape = {
  input: rate,
  output: rate,
  cachedInput: rate.exactOptional(),
  cacheWrite: rate.exactOptional(),
  longCacheWrite: rate.exactOptional(),
  audioInput: rate.exactOptional(),
  audioOutput: rate.exactOptional(),
  imageInput: rate.exactOptional(),
  imageOutput: rate.exactOptional(),
  image: rate.exactOptional(),
  referenceImage: rate.exactOptional(),
  second: rate.exactOptional(),
  character: rate.exactOptional(),
  search: rate.exactOptional(),
} satisfies Readonly<Record<keyof Rates, z.ZodType>>;

/** Rates as stored: JSON, in pico-dollars. Missing rates are omitted. */
const rates = z.object(shape);

const tokens = z.int().nonnegative();

const servedAs = z.object({
  serviceTier: z.string().exactOptional(),
  speed: z.string().exactOptional(),
  region: z.string().exactOptional(),
});

const counts = z.object({
  inputTokens: tokens,
  cachedInputTokens: tokens,
  cacheWriteTokens: tokens,
  longCacheWriteTokens: tokens.exactOptional(),
  audioInputTokens: tokens,
  imageInputTokens: tokens.exactOptional(),
  outputTokens: tokens,
  reasoningTokens: tokens,
  audioOutputTokens: tokens,
  imageOutputTokens: tokens.exactOptional(),
  images: tokens.exactOptional(),
  referenceImages: tokens.exactOptional(),
  durationMs: tokens.exactOptional(),
  characters: tokens.exactOptional(),
  searches: tokens.exactOptional(),
  grade: z.string().exactOptional(),
  served: servedAs.exactOptional(),
  isEstimated: z.boolean(),
} satisfies Readonly<Record<keyof Omit<Usage, "servedBy" | "steps">, z.ZodType>>);

const charge = z.object({ usage: counts, rates, model: z.string().exactOptional() });

/** The rates that a call was charged by. */
const chargedBy = rates.extend({
  served: servedAs.exactOptional(),
  charges: z.array(charge).exactOptional(),
});

export type ChargedBy = z.infer<typeof chargedBy>;

export function readChargedBy(text: string): ChargedBy {
  return chargedBy.parse(JSON.parse(text));
}

export function writeChargedBy(of: ChargedBy): string {
  return JSON.stringify(chargedBy.parse(of));
}

const condition = z.object({
  serviceTiers: z.array(z.string()).exactOptional(),
  speeds: z.array(z.string()).exactOptional(),
  regions: z.array(z.string()).exactOptional(),
  aboveInputTokens: tokens.exactOptional(),
  from: z.string().exactOptional(),
  until: z.string().exactOptional(),
  hours: z.array(z.string()).exactOptional(),
} satisfies Readonly<Record<keyof PriceCondition, z.ZodType>>);

const graded = rates.extend({ input: rate.exactOptional(), output: rate.exactOptional() });

export const gradedRates = rates.extend({
  grades: z.record(z.string(), graded).exactOptional(),
  variants: z
    .array(
      z.object({
        when: condition,
        rates: graded.exactOptional(),
        factor: z.int().nonnegative().exactOptional(),
        source: z.string().exactOptional(),
        date: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
});

/** Writes the rates of a price without its source. */
export function writeRates(of: Rates): string {
  return JSON.stringify(rates.parse(of));
}

export function writeGradedRates(of: GradedRates): string {
  return JSON.stringify(gradedRates.parse(of));
}
