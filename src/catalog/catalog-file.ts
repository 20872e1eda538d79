import assert from "node:assert";
import type { Model } from "#core/model.ts";
import { z } from "zod";
import type { Price, PriceVariant, Rates } from "#core/money.ts";
import { parseThousandths } from "#core/money.ts";
import { isHours, serviceTierOf, wordOf } from "#core/price-condition.ts";
import { describeScale, parseRate, type Scale, wholeRates } from "#core/rate-words.ts";
import { isGrade } from "#core/usage.ts";
import { isDay } from "#lib/iso-date.ts";
import { defined } from "#lib/values.ts";
import { findCounting } from "./families.ts";

/** A model in the shipped catalogue. */
export interface KnownModel extends Model {
  readonly aliases: readonly string[];
  /** The day on which the row's facts were checked. */
  readonly date: string;
}

export interface CatalogFile {
  readonly provider: string;
  readonly models: readonly KnownModel[];
}

/** Reads one `<provider>.json`. Refuses unknown or invalid fields, with their path. */
export function parseCatalogFile(content: unknown): CatalogFile {
  return readCatalogFile(catalogFile.parse(content));
}

/** Reads content that is valid: checking the shipped files took two fifths of each start. */
export function readCatalogFile(file: CatalogContent): CatalogFile {
  return { provider: file.provider, models: file.models.map((row) => knownModel(row, file)) };
}

/** Validates facts from other sources under the same rules; source and date are required. */
export function checkFacts(content: unknown): void {
  factsFile.parse(content);
}

/** A record, so that the compiler finds a missing rate. */
const SCALES = {
  input: "million",
  output: "million",
  cachedInput: "million",
  cacheWrite: "million",
  longCacheWrite: "million",
  audioInput: "million",
  audioOutput: "million",
  imageInput: "million",
  imageOutput: "million",
  image: "one",
  referenceImage: "one",
  second: "one",
  character: "million",
  search: "one",
} as const satisfies Readonly<Record<keyof Rates, Scale>>;

const RATE_NAMES = Object.keys(SCALES) as readonly (keyof Rates)[];

const million = rateIn("million").exactOptional();
const one = rateIn("one").exactOptional();

const rates = z.strictObject({
  input: million,
  output: million,
  cachedInput: million,
  cacheWrite: million,
  longCacheWrite: million,
  audioInput: million,
  audioOutput: million,
  imageInput: million,
  imageOutput: million,
  image: one,
  referenceImage: one,
  second: one,
  character: million,
  search: one,
} satisfies Readonly<Record<keyof Rates, z.ZodType>>);

/** Rates that do not depend on the input length, so tiers do not repeat them. */
const units = {
  image: true,
  referenceImage: true,
  second: true,
  character: true,
  search: true,
} as const;

const tier = rates
  .omit(units)
  .required({ input: true, output: true })
  .extend({ aboveInputTokens: z.int().positive() });

const grade = rates.refine(
  (each) => Object.keys(each).length > 0,
  "A grade must have at least one rate.",
);

/** One word or several; any of them matches. */
function wordsOf(read: (said: string) => string | undefined) {
  const word = z
    .string()
    .refine((said) => read(said) === said, "A word is not in the notation of prices.");
  return z.union([word, z.array(word).nonempty()]);
}

const day = z.string().refine(isDay);

const condition = z
  .strictObject({
    serviceTier: wordsOf(serviceTierOf).exactOptional(),
    speed: wordsOf(wordOf).exactOptional(),
    region: wordsOf(wordOf).exactOptional(),
    aboveInputTokens: z.int().positive().exactOptional(),
    /** First and last day, UTC. */
    from: day.exactOptional(),
    until: day.exactOptional(),
    hours: z.array(z.string().refine(isHours)).nonempty().exactOptional(),
  })
  .refine((when) => Object.keys(when).length > 0, "A condition must not be empty.");

const factor = z.string().refine((text) => parseThousandths(text) !== undefined, {
  error: ({ input }) => `"${String(input)}" is not a factor.`,
});

const variantShape = z.strictObject({
  when: condition,
  rates: grade.exactOptional(),
  factor: factor.exactOptional(),
  source: z.url({ protocol: /^https$/ }).exactOptional(),
  date: z.iso.date().exactOptional(),
});

const variant = variantShape.refine(isEither, "A variant must have either rates or a factor.");

/** A variant of the prices of several models: ids, or how ids begin (`gpt-6*`). */
const sharedVariant = variantShape
  .extend({ models: z.array(z.string().min(1)).nonempty() })
  .refine(isEither, "A variant must have either rates or a factor.");

function isEither(each: { readonly rates?: unknown; readonly factor?: unknown }): boolean {
  return (each.rates === undefined) !== (each.factor === undefined);
}

const price = rates
  .extend({
    tiers: z.array(tier).nonempty().exactOptional(),
    grades: z.record(z.string().refine(isGrade), grade).exactOptional(),
    variants: z.array(variant).nonempty().exactOptional(),
    /** Its `search` is for a call that searched, and not for each search. */
    searchOncePerCall: z.literal(true).exactOptional(),
    /** Given images that a call may have without a charge. */
    freeReferenceImages: z.int().positive().exactOptional(),
  })
  // A rate missing in a tier would fall back to that tier's plain input rate.
  .refine((base) => base.tiers?.every((each) => namesSameRates(base, each)) ?? true, {
    message: "Each tier must have exactly the rates of the base.",
  })
  .refine(({ tiers = [] }) => isAscending(tiers.map((each) => each.aboveInputTokens)), {
    message: "Tiers must be in ascending order.",
  })
  .refine(({ input, output, ...said }) => {
    const isForUnits = Object.keys(units).some((name) => name in said);
    return isForUnits || (input !== undefined && output !== undefined);
  }, "A price for tokens must have input and output.");

function rateIn(scale: Scale) {
  // Reported as an issue, so that the message names the row.
  return z.string().refine((text) => parseRate(text, scale) !== undefined, {
    error: ({ input }) => `"${String(input)}" is not ${describeScale(scale)}.`,
  });
}

const modality = z.enum(["text", "image", "audio", "video", "file"]);

const reasoningControls = z.strictObject({
  /** Can be switched off and on. */
  toggle: z.literal(true).exactOptional(),
  /** The effort levels that the vendor accepts, lowest first. */
  efforts: z.array(z.string()).nonempty().readonly().exactOptional(),
  /**
   * Effort levels that it does not list, and the listed level that its vendor
   * documents for each.
   */
  effortAliases: z.record(z.string(), z.string()).exactOptional(),
  /** Accepts a thinking budget in tokens, within these bounds if they are known. */
  budget: z
    .strictObject({
      minTokens: z.int().nonnegative().exactOptional(),
      maxTokens: z.int().positive().exactOptional(),
    })
    .exactOptional(),
});

const suffix = z.enum(["thinking", "budget", "level", "effort"]);

const row = z.strictObject({
  id: z.string().min(1),
  aliases: z.array(z.string().min(1)).exactOptional(),
  kind: z
    .enum([
      "chat",
      "embedding",
      "rerank",
      "image",
      "video",
      "speech",
      "transcription",
      "moderation",
    ])
    .exactOptional(),
  /** A month if the day is unknown. */
  released: z.union([z.iso.date(), z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/)]).exactOptional(),
  /** The vendor's name for its size class. */
  line: z.string().min(1).exactOptional(),
  /** Dates of the announced deprecation and of the end of service. */
  deprecated: z.iso.date().exactOptional(),
  retires: z.iso.date().exactOptional(),
  /** Id of the replacement that the vendor names. */
  replacement: z.string().min(1).exactOptional(),
  /** The day on which its vendor stopped serving it. */
  retired: z.iso.date().exactOptional(),
  contextTokens: z.int().positive().exactOptional(),
  maxOutputTokens: z.int().positive().exactOptional(),
  input: z.array(modality).nonempty().exactOptional(),
  output: z.array(modality).exactOptional(),
  tools: z.boolean().exactOptional(),
  reasoning: reasoningControls.exactOptional(),
  suffixes: z.array(suffix).readonly().exactOptional(),
  price: price.exactOptional(),
  source: z.url({ protocol: /^https$/ }).exactOptional(),
  date: z.iso.date().exactOptional(),
});

const catalogFile = z.strictObject({
  provider: z.string().min(1),
  /** The vendor's own price page; a row may have another source. */
  source: z.url({ protocol: /^https$/ }).exactOptional(),
  /** The day on which the file's facts were checked; a row may have another date. */
  date: z.iso.date(),
  /** Name suffixes by which clients control reasoning; a row may have its own. */
  suffixes: z.array(suffix).readonly().exactOptional(),
  /** Price variants that apply to all rows that they name. */
  variants: z.array(sharedVariant).nonempty().exactOptional(),
  models: z.array(row).nonempty(),
});

const factsFile = catalogFile
  .omit({ models: true })
  .extend({
    models: z
      .array(
        row.extend({
          /** Facts for models that are not known yet; the catalogue's own facts take precedence. */
          ifNew: row.partial().omit({ id: true, price: true }).exactOptional(),
        }),
      )
      .nonempty(),
  })
  .refine(
    ({ source, models }) => source !== undefined || models.every((each) => each.source),
    "Each row needs a source, unless the file has one.",
  );

type Row = z.infer<typeof row>;

/** A valid file, as it is written. */
export type CatalogContent = z.infer<typeof catalogFile>;

function knownModel(from: Row, file: CatalogContent): KnownModel {
  const { released, deprecated, retires, price: rates, reasoning, ...more } = from;
  const counting = findCounting(from.id);
  const end = retires ?? from.retired;
  const { source = file.source, date = file.date, suffixes = file.suffixes, ...rest } = more;
  assert(rates === undefined || source !== undefined, `The price of ${from.id} needs a source.`);
  return {
    aliases: [],
    kind: "chat",
    input: ["text"],
    output: ["text"],
    tools: false,
    ...rest,
    date,
    owner: file.provider,
    ...(released && { createdAt: Date.parse(released) / 1000 }),
    ...(deprecated && { deprecatedAt: Date.parse(deprecated) / 1000 }),
    ...(end && { retiresAt: Date.parse(end) / 1000 }),
    reasoning: reasoning !== undefined,
    ...(reasoning && { reasoningControls: reasoning }),
    ...(reasoning && suffixes && { suffixes }),
    ...(counting && { counting }),
    ...(rates &&
      source && { price: { ...pricedAt(rates), ...variantsOf(from, file), source, date } }),
  };
}

function pricedAt(said: z.infer<typeof price>): Omit<Price, "source" | "date" | "variants"> {
  const { tiers, grades, variants: _, searchOncePerCall, freeReferenceImages, ...base } = said;
  const ofUnits = pickUnits(readRates(base));
  return {
    ...completeRates(base),
    ...(tiers && {
      tiers: tiers.map(({ aboveInputTokens, ...each }) => ({
        ...ofUnits,
        ...completeRates(each),
        aboveInputTokens,
      })),
    }),
    ...(grades && {
      grades: Object.fromEntries(
        Object.entries(grades).map(([name, each]) => [name, readRates(each)]),
      ),
    }),
    ...defined({ searchOncePerCall, freeReferenceImages }),
  };
}

type WrittenRates = z.infer<typeof rates>;

function completeRates(said: WrittenRates): Rates {
  const whole = wholeRates(readRates(said));
  assert(whole !== undefined, "A price for tokens must have input and output.");
  return whole;
}

function readRates(said: WrittenRates): Partial<Rates> {
  const read: Partial<Record<keyof Rates, number>> = {};
  for (const name of RATE_NAMES) {
    const text = said[name];
    const rate = text === undefined ? undefined : parseRate(text, SCALES[name]);
    if (rate !== undefined) read[name] = rate;
  }
  return read;
}

function pickUnits(all: Partial<Rates>): Partial<Rates> {
  const { image, referenceImage, second, character, search } = all;
  return defined({ image, referenceImage, second, character, search });
}

/** A row's own variants come first. */
function variantsOf(
  { id, price: own }: Row,
  { variants: shared = [] }: CatalogContent,
): { readonly variants?: readonly PriceVariant[] } {
  const named = shared.filter(({ models }) => models.some((name) => isNamed(id, name)));
  const variants = [...(own?.variants ?? []), ...named].map(readVariant);
  return variants.length === 0 ? {} : { variants };
}

function readVariant({
  when: { serviceTier, speed, region, ...when },
  rates: said,
  factor: written,
  source,
  date,
}: z.infer<typeof variantShape>): PriceVariant {
  return {
    when: {
      ...when,
      ...defined({
        serviceTiers: listOf(serviceTier),
        speeds: listOf(speed),
        regions: listOf(region),
      }),
    },
    ...(said && { rates: readRates(said) }),
    ...defined({
      factor: written === undefined ? undefined : parseThousandths(written),
      source,
      date,
    }),
  };
}

function listOf(said: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof said === "string" ? [said] : said;
}

/** Whether a name in a shared variant is the row's id, or how its id begins (`gpt-6*`). */
export function isNamed(id: string, name: string): boolean {
  return name.endsWith("*") ? id.startsWith(name.slice(0, -1)) : id === name;
}

function namesSameRates(base: object, each: object): boolean {
  return Object.keys(rates.shape).every((name) => name in units || name in base === name in each);
}

function isAscending(bounds: readonly number[]): boolean {
  return bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? Infinity));
}
