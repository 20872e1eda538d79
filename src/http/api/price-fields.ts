import { z } from "zod";
import { describeScale, RATE_WORDS, type Scale } from "#core/rate-words.ts";

const rates = z.looseObject(rateFields());

/** The members of a price, in the words of `sluice.yaml`. */
export const PRICE_FIELDS = {
  ...rateFields(),
  grades: z
    .record(z.string(), rates)
    .describe("Rates of one kind of result that differ, such as those of a larger picture.")
    .nullish(),
};

const WORD = z.string().min(1).max(40);
const WORDS = z.union([WORD, z.array(z.string().max(40)).min(1).max(32)]);
const DAY = z.string().min(10).max(10);

const condition = z.looseObject({
  service_tier: WORDS.nullish(),
  speed: WORDS.nullish(),
  region: WORDS.nullish(),
  above_input_tokens: z.int().min(1).max(100_000_000).nullish(),
  from: DAY.describe("First day, in UTC.").nullish(),
  until: DAY.describe("Last day, in UTC.").nullish(),
  hours: WORDS.meta({ description: "Hours in UTC, such as `mon-fri 01:00-04:00`." }).nullish(),
});

/** What differs under conditions. */
export const VARIANTS = z
  .array(
    z.looseObject({
      when: condition.nullish(),
      factor: z.union([z.number().min(0).max(100), z.string().min(1).max(24)]).nullish(),
      ...rateFields(),
    }),
  )
  .min(1)
  .max(100);

function rateFields() {
  const fields = Object.entries(RATE_WORDS).map(([word, { scale }]) => [word, rateIn(scale)]);
  return Object.fromEntries(fields) as Record<keyof typeof RATE_WORDS, ReturnType<typeof rateIn>>;
}

function rateIn(scale: Scale) {
  const most = scale === "million" ? 100_000 : 50;
  return z
    .union([z.number().min(0).max(most), z.string().min(1).max(24)])
    .meta({ description: `${describeScale(scale)}.` })
    .nullish();
}
