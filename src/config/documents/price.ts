import { z } from "zod";
import { parseThousandths, writeThousandths, type GradedRates, type Rates } from "#core/money.ts";
import { isHours, type PriceCondition, serviceTierOf, wordOf } from "#core/price-condition.ts";
import {
  describeScale,
  parseRate,
  RATE_WORDS,
  readRates,
  type Scale,
  UNIT_WORDS,
  wholeRates,
  writeRate,
} from "#core/rate-words.ts";
import { isGrade } from "#core/usage.ts";
import { isDay } from "#lib/iso-date.ts";
import { defined } from "#lib/values.ts";
import { quote } from "../mistakes.ts";
import { parser, text, wholeNumber, type Parser } from "../parsers.ts";
import { ALWAYS, dictionary, fields, isMap, notEmpty, oneOrMore } from "./fields.ts";

type RateWord = keyof typeof RATE_WORDS;
type GivenRates = { readonly [Word in RateWord]?: number | undefined };

const MEANINGS: Readonly<Record<RateWord, string>> = {
  input:
    "Price in US dollars per million input tokens, exact to six decimals. Given together with `output`, 0 if free.",
  output: "The same for output tokens.",
  cached_input: "Input that the vendor read from its cache; the price of input by default.",
  cache_write: "Input that the vendor wrote to its cache; the price of input by default.",
  long_cache_write: "The same for an hour in the cache; the price of any other write by default.",
  audio_input: "Sound in the input; the price of input by default.",
  audio_output: "Sound in the output; the price of output by default.",
  image_input: "Pictures in the input; the price of input by default.",
  image_output:
    "Pictures in the output, if they are counted in tokens; the price of output by default.",
  character: "Price in US dollars per million characters of spoken text.",
  image: "Price in US dollars of one created picture, exact to twelve decimals, at most 50.",
  reference_image:
    "Price in US dollars of one picture that is given and that the vendor charges by number.",
  second:
    "Price in US dollars of one second of sound or video, created or heard, charged to the millisecond.",
  search:
    "Price in US dollars of one search that the vendor charges by use: a ranking, a web search.",
};

const RATES = rateFields();
const MAX_GRADES = 100;
const MAX_VARIANTS = 100;

const grade = fields(RATES).check(notEmpty("has no price.")).transform(ratesOf);

const tier = parser({ ...text("a service tier such as flex", /^.{1,40}$/), parse: serviceTierOf });
const word = parser({ ...text("a word of the vendor", /^.{1,40}$/), parse: wordOf });
const day = parser({
  ...text("a day such as 2026-11-30", /^.{10}$/),
  parse: (said) => (isDay(said) ? said : undefined),
});
const hours = parser({
  ...text("hours of the day in UTC such as mon-fri 01:00-04:00", /^.{1,40}$/),
  parse: (said) => (isHours(said) ? said : undefined),
});
const factor: Parser<number> = parser({
  expects: "a factor of at most 100 with three decimals",
  shows: "always",
  parse: parseThousandths,
  format: writeThousandths,
  json: { type: ["number", "string"], minimum: 0, maximum: 100, maxLength: 24 },
});

const conditions = {
  service_tier: oneOrMore(tier.schema).optional(),
  speed: oneOrMore(word.schema).optional(),
  region: oneOrMore(word.schema).optional(),
  above_input_tokens: wholeNumber(1, 100_000_000).schema.optional(),
  from: day.schema.describe("First day, in UTC.").optional(),
  until: day.schema.describe("Last day, in UTC.").optional(),
  hours: oneOrMore(hours.schema)
    .describe("Hours in UTC, such as `mon-fri 01:00-04:00`.")
    .optional(),
};

const condition = fields(conditions)
  .check(notEmpty(`has no condition. Use ${Object.keys(conditions).join(", ")}.`))
  .transform((given): PriceCondition =>
    defined({
      serviceTiers: given.service_tier,
      speeds: given.speed,
      regions: given.region,
      aboveInputTokens: given.above_input_tokens,
      from: given.from,
      until: given.until,
      hours: given.hours,
    }),
  );

const variant = fields({ when: condition, factor: factor.schema.optional(), ...RATES })
  .superRefine((given: unknown, context) => {
    if (!isMap(given) || hasRates(given) !== "factor" in given) return;
    context.addIssue({ code: "custom", message: "needs either a factor or prices." });
  }, ALWAYS)
  .transform(({ when, factor: times, ...said }) => {
    const rates = ratesOf(said);
    return { when, ...(hasRates(said) ? { rates } : {}), ...defined({ factor: times }) };
  });

const NOT_VARIANTS = "is not a list of price variants.";

/** The fields of a price in every document. */
export const PRICE_FIELDS = {
  ...RATES,
  grades: dictionary(grade, {
    wrongType: "is not a map from kinds of result to prices.",
    min: 1,
    max: MAX_GRADES,
    nameProblem: (name) =>
      isGrade(name) ? undefined : `${quote(name)} is not a valid kind of result.`,
  })
    .describe('Prices by kind of result, in the same words: `{ "hd 1024x1792": { image: 0.12 } }`.')
    .optional(),
  variants: z
    .array(variant, { error: NOT_VARIANTS })
    .min(1, NOT_VARIANTS)
    .max(MAX_VARIANTS, `has more than ${MAX_VARIANTS} variants.`)
    .describe("Prices under conditions: `[{ when: { service_tier: flex }, factor: 0.5 }]`.")
    .optional(),
};

const BASE_FIELDS = [...Object.keys(RATES), "grades"];

/** Reports an incomplete price among the fields of an object. */
export function checkPrice(given: unknown, context: z.RefinementCtx): void {
  if (!isMap(given)) return;
  const isGiven = (name: string): boolean => name in given;
  if (!BASE_FIELDS.some(isGiven)) {
    if (!isGiven("variants")) return;
    const message =
      'changes a price that is not given here. Set "input" and "output" as well, or remove it.';
    context.addIssue({ code: "custom", message, path: ["variants"] });
    return;
  }
  if (UNIT_WORDS.some(isGiven)) return;
  const instead = UNIT_WORDS.join(", ");
  for (const name of ["input", "output"]) {
    if (isGiven(name)) continue;
    const message = `"${name}" is missing; a price needs input and output (0 if free), or ${instead}.`;
    context.addIssue({ code: "custom", message });
  }
}

/** Whether the fields that a price needs are given. */
export function hasWholePrice(given: object): boolean {
  return UNIT_WORDS.some((name) => name in given) || ("input" in given && "output" in given);
}

type GivenPrice = GivenRates & {
  readonly grades?: ReadonlyMap<string, Partial<Rates>> | undefined;
  readonly variants?: GradedRates["variants"];
};

/** Undefined if no price is given. */
export function priceOf({ grades, variants, ...said }: GivenPrice): GradedRates | undefined {
  const rates = wholeRates(ratesOf(said));
  return (
    rates && { ...rates, ...defined({ grades: grades && Object.fromEntries(grades), variants }) }
  );
}

function ratesOf(given: GivenRates): Partial<Rates> {
  const rates: Readonly<Record<string, number | undefined>> = given;
  return readRates((name) => rates[name]);
}

function hasRates(given: object): boolean {
  return Object.keys(RATES).some((name) => name in given);
}

function rateFields() {
  const scales = { million: rateIn("million"), one: rateIn("one") };
  const entries = Object.entries(MEANINGS).map(([name, meaning]) => {
    const { scale } = RATE_WORDS[name as RateWord];
    return [name, scales[scale].schema.describe(meaning).optional()] as const;
  });
  return Object.fromEntries(entries) as Record<RateWord, z.ZodOptional<z.ZodType<number>>>;
}

function rateIn(scale: Scale): Parser<number> {
  return parser({
    expects: `a price in ${describeScale(scale)}`,
    shows: "always",
    parse: (said) => parseRate(said, scale),
    format: (rate) => writeRate(rate, scale),
    json: {
      type: ["number", "string"],
      minimum: 0,
      maximum: scale === "million" ? 100_000 : 50,
      minLength: 1,
      maxLength: 24,
    },
  });
}
