import { z } from "zod";
import type { GradedRates, Rates } from "#core/money.ts";

const rate = z.int().nonnegative();

/** A record, so that a new rate cannot be forgotten. */
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
  second: rate.exactOptional(),
  character: rate.exactOptional(),
  search: rate.exactOptional(),
} satisfies Readonly<Record<keyof Rates, z.ZodType>>;

/** Rates as rows keep them: JSON, in pico-dollars. What they do not name is left out. */
export const rates = z.object(shape);

const graded = rates.extend({ input: rate.exactOptional(), output: rate.exactOptional() });

export const gradedRates = rates.extend({
  grades: z.record(z.string(), graded).exactOptional(),
});

/** Without where they come from, when they are those of a price. */
export function writeRates(of: Rates): string {
  return JSON.stringify(rates.parse(of));
}

export function writeGradedRates(of: GradedRates): string {
  return JSON.stringify(gradedRates.parse(of));
}
