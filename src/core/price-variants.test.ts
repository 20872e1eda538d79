import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { defined } from "#lib/values.ts";
import {
  costOf,
  estimateCost,
  FREE,
  MAX_NANO_USD,
  priceAt,
  ratesFor,
  scalePrice,
  type Price,
  type PriceVariant,
  type Rates,
} from "./money.ts";
import { isHours, serviceTierOf } from "./price-condition.ts";
import { addUsage, NO_USAGE, usageOf, usageOfSteps, type Usage } from "./usage.ts";

const PRICE: Price = { ...FREE, input: 2_000_000, output: 10_000_000, search: 10_000_000_000 };

function priced(...variants: readonly PriceVariant[]): Price {
  return { ...PRICE, variants };
}

const USED: Usage = { ...NO_USAGE, inputTokens: 1_000, outputTokens: 100 };

describe("a price variant applies", () => {
  test("only to the service tier that served the call", () => {
    const price = priced(
      { when: { serviceTiers: ["flex", "batch"] }, factor: 500 },
      { when: { serviceTiers: ["priority"] }, factor: 2_000 },
    );
    const cost = (serviceTier?: string): number =>
      costOf({ ...USED, served: defined({ serviceTier }) }, price);

    expect(cost()).toBe(3_000_000);
    expect(cost("standard")).toBe(3_000_000);
    expect(cost("flex")).toBe(1_500_000);
    expect(cost("batch")).toBe(1_500_000);
    expect(cost("priority")).toBe(6_000_000);
    expect(cost("scale")).toBe(3_000_000);
  });

  test("if all its conditions match, together with other variants: rates replace, then factors multiply", () => {
    const price = priced(
      { when: { regions: ["us"] }, factor: 1_100 },
      { when: { speeds: ["fast"], aboveInputTokens: 500 }, rates: { input: 5_000_000 } },
      { when: { speeds: ["fast"] }, factor: 2_000 },
    );
    const rates = (inputTokens: number, served: Usage["served"]): Rates =>
      ratesFor({ inputTokens, ...(served && { served }) }, price);

    expect(rates(501, { speed: "fast", region: "us" })).toMatchObject({
      input: 11_000_000,
      output: 22_000_000,
    });
    expect(rates(500, { speed: "fast" })).toMatchObject({ input: 4_000_000, output: 20_000_000 });
    expect(rates(501, { region: "us" })).toMatchObject({ input: 2_200_000, output: 11_000_000 });
    expect(rates(501, { region: "eu" })).toMatchObject({ input: 2_000_000, output: 10_000_000 });
  });

  test("to tokens only if it is a factor: the price of a search stays", () => {
    const price = priced({ when: { speeds: ["fast"] }, factor: 2_000 });
    const usage = { ...NO_USAGE, searches: 3, served: { speed: "fast" } };

    expect(Number(costOf(usage, price))).toBe(30_000_000);
  });

  test("in addition to tiers and grades", () => {
    const price: Price = {
      ...priced({ when: { serviceTiers: ["flex"] }, factor: 500 }),
      tiers: [{ aboveInputTokens: 100, input: 4_000_000, output: 15_000_000 }],
      grades: { "4k": { imageOutput: 120_000_000 } },
    };
    const served = { serviceTier: "flex" };

    expect(ratesFor({ inputTokens: 101, served, grade: "4K" }, price)).toMatchObject({
      input: 2_000_000,
      output: 7_500_000,
      imageOutput: 60_000_000,
    });
  });
});

describe("days and hours are those of the call's start", () => {
  const at = (iso: string): number => Date.parse(iso);

  test("an introductory price ends with its last day", () => {
    const price = priced(
      { when: { until: "2026-11-30" }, rates: { input: 1_000_000, output: 5_000_000 } },
      { when: { from: "2027-01-01" }, factor: 3_000 },
    );
    const input = (iso: string): number => ratesFor(USED, priceAt(price, at(iso))).input;

    expect(input("2026-11-30T23:59:59.999Z")).toBe(1_000_000);
    expect(input("2026-12-01T00:00:00Z")).toBe(2_000_000);
    expect(input("2026-12-31T23:59:59Z")).toBe(2_000_000);
    expect(input("2027-01-01T00:00:00Z")).toBe(6_000_000);
  });

  test.each([
    ["2026-11-23T01:00:00Z", 4_000_000, "a Monday at the start of the peak"],
    ["2026-11-23T03:59:59Z", 4_000_000, "its last second"],
    ["2026-11-23T04:00:00Z", 2_000_000, "after it"],
    ["2026-11-27T09:30:00Z", 4_000_000, "a Friday in the second peak"],
    ["2026-11-28T02:00:00Z", 2_000_000, "a Saturday"],
    ["2026-11-29T02:00:00Z", 2_000_000, "a Sunday"],
  ])("at %s an input token costs %p pico-dollars: %s", (iso, expected) => {
    const hours = ["mon-fri 01:00-04:00", "mon-fri 06:00-10:00"];
    const price = priced({ when: { hours }, factor: 2_000 });

    expect(ratesFor(USED, priceAt(price, at(iso))).input).toBe(expected);
  });

  test("a range of days may cross the end of the week", () => {
    const price = priced({ when: { hours: ["fri-mon 00:00-24:00"] }, factor: 500 });
    const inputs = [20, 21, 22, 23, 24].map(
      (day) => ratesFor(USED, priceAt(price, at(`2026-11-${day}T12:00:00Z`))).input,
    );

    expect(inputs).toEqual([1_000_000, 1_000_000, 1_000_000, 1_000_000, 2_000_000]);
  });

  test("a price without a moment applies no time-dependent variant", () => {
    expect(ratesFor(USED, priced({ when: { until: "2099-01-01" }, factor: 1 }))).toMatchObject({
      input: 2_000_000,
    });
  });

  test("a condition on time and other properties still depends on the other properties", () => {
    const when = { until: "2026-11-30", serviceTiers: ["flex"] };
    const price = priceAt(priced({ when, factor: 500 }), at("2026-11-01T00:00:00Z"));

    expect(ratesFor(USED, price).input).toBe(2_000_000);
    expect(ratesFor({ ...USED, served: { serviceTier: "flex" } }, price).input).toBe(1_000_000);
  });

  test.each([
    ["mon-fri 01:00-04:00", true],
    ["sun 00:00-24:00", true],
    ["10:00-24:00", true],
    ["10:00-10:00", false],
    ["22:00-02:00", false],
    ["10:60-11:00", false],
    ["10:00-24:01", false],
    ["monday 10:00-11:00", false],
    ["xyz 10:00-11:00", false],
    ["", false],
  ])("%j as hours: %p", (text, expected) => {
    expect(isHours(text)).toBe(expected);
  });
});

test.each([
  ["default", "standard"],
  ["SERVICE_TIER_FLEX", "flex"],
  ["Priority", "priority"],
  ["", undefined],
  [7, undefined],
  ["x".repeat(41), undefined],
])("a vendor's tier %p is %p in prices", (said, expected) => {
  expect(serviceTierOf(said)).toBe(expected as never);
});

describe("the steps of a call", () => {
  const step = (inputTokens: number, outputTokens = 0): Usage => ({
    ...NO_USAGE,
    inputTokens,
    outputTokens,
  });
  const usage = usageOfSteps(
    [{ usage: step(600, 10) }, { usage: step(700, 20) }, { model: "adviser", usage: step(50, 5) }],
    { searches: 1 },
  );

  test("add up to its tokens", () => {
    expect(usage).toMatchObject({ inputTokens: 1_350, outputTokens: 35, searches: 1 });
  });

  test("are charged by their own model's price and their own length; a search is charged once", () => {
    const price = priced({ when: { aboveInputTokens: 1_000 }, factor: 10_000 });
    const dear: Price = { ...FREE, input: 50_000_000, output: 100_000_000 };

    expect(Number(costOf(usage, price, (name) => (name === "adviser" ? dear : undefined)))).toBe(
      1_300 * 2_000 + 30 * 10_000 + 50 * 50_000 + 5 * 100_000 + 10_000_000,
    );
    expect(Number(costOf(usage, price))).toBe(1_350 * 2_000 + 35 * 10_000 + 10_000_000);
  });

  test("of two responses are combined", () => {
    const both = addUsage(usage, step(1, 1));

    expect(both.steps).toHaveLength(4);
    expect(both).toMatchObject({ inputTokens: 1_351, searches: 1 });
  });

  test("are limited in number without losing tokens", () => {
    const many = Array.from({ length: 1_000 }, () => ({ usage: step(3, 1) }));
    const bounded = usageOfSteps(many, {});

    expect(bounded.steps?.length).toBe(256);
    expect(Number(costOf(bounded, PRICE))).toBe(3_000 * 2_000 + 1_000 * 10_000);
  });
});

const TIERS = ["flex", "priority", "batch"];
const SPEEDS = ["fast"];
const REGIONS = ["us", "eu"];

const rate = fc.oneof(
  fc.nat(10),
  fc.integer({ min: 0, max: 100_000_000 }),
  fc.integer({ min: 0, max: 100_000_000_000 }),
);
const optional = fc.option(rate, { nil: undefined });
const tokenRates = fc.record({
  cachedInput: optional,
  cacheWrite: optional,
  longCacheWrite: optional,
  audioInput: optional,
  audioOutput: optional,
  imageInput: optional,
  imageOutput: optional,
});
const rates = fc
  .record({ input: rate, output: rate, search: rate, second: rate, image: rate, character: rate })
  .chain((base) => tokenRates.map((more) => ({ ...base, ...defined(more) })));
const when = fc
  .record({
    serviceTiers: fc.option(fc.subarray(TIERS, { minLength: 1 }), { nil: undefined }),
    speeds: fc.option(fc.constant(SPEEDS), { nil: undefined }),
    regions: fc.option(fc.subarray(REGIONS, { minLength: 1 }), { nil: undefined }),
    aboveInputTokens: fc.option(fc.nat(200_000), { nil: undefined }),
  })
  .map(defined);
const variant = fc.oneof(
  fc.record({ when, factor: fc.nat(100_000) }),
  fc.record({ when, rates: fc.record({ input: rate, output: rate, cacheWrite: rate }) }),
);
const price = fc
  .record({ base: rates, variants: fc.array(variant, { maxLength: 6 }) })
  .map(({ base, variants }): Price => ({ ...FREE, ...base, variants }));
const served = fc
  .record({
    serviceTier: fc.option(fc.constantFrom(...TIERS, "standard"), { nil: undefined }),
    speed: fc.option(fc.constantFrom("fast", "standard"), { nil: undefined }),
    region: fc.option(fc.constantFrom(...REGIONS), { nil: undefined }),
  })
  .map(defined);
const count = fc.oneof(fc.nat(10), fc.nat(300_000), fc.nat(100_000_000));
const usage = fc
  .record({
    inputTokens: count,
    outputTokens: count,
    cachedInputTokens: count,
    cacheWriteTokens: count,
    longCacheWriteTokens: count,
    audioInputTokens: count,
    imageInputTokens: count,
    reasoningTokens: count,
    audioOutputTokens: count,
    imageOutputTokens: count,
    searches: fc.nat(100_000),
    images: fc.nat(10_000),
    characters: count,
    durationMs: count,
  })
  .map((parts) => usageOf(parts) ?? NO_USAGE);

/** What a rate comes to, exactly: a whole number of pico-dollars over a divisor. */
interface Exact {
  readonly rate: bigint;
  readonly divisor: bigint;
}

const MICRO_USD_IN_FEMTO = 1_000_000_000n;

/**
 * The rule of the documents once more, in fractions and without any rounding: femto-dollars over a
 * divisor. The factor of a group scales rates as a variant does: before the maximum of a rate applies.
 */
function exactCost(
  used: Usage,
  of: Price,
  ofGroup?: number,
): { femto: bigint; divisor: bigint; tokens: bigint } {
  const met = (of.variants ?? []).filter(({ when: { serviceTiers, speeds, regions, ...more } }) => {
    const { serviceTier = "standard", speed = "standard", region = "-" } = used.served ?? {};
    return (
      serviceTiers?.includes(serviceTier) !== false &&
      speeds?.includes(speed) !== false &&
      regions?.includes(region) !== false &&
      (more.aboveInputTokens === undefined || used.inputTokens > more.aboveInputTokens)
    );
  });
  const all: Rates = Object.assign({}, of, ...met.map((each) => each.rates ?? {}));
  const factors = [ofGroup, ...met.map(({ factor }) => factor)].flatMap((factor) =>
    factor === undefined ? [] : [BigInt(factor)],
  );
  const divisor = 1_000n ** BigInt(factors.length);
  // Nine thousand dollars for one token: rates go no further.
  const most = BigInt(Number.MAX_SAFE_INTEGER) * divisor;
  const exact = (each: number | undefined, otherwise: number): Exact => {
    const rate = factors.reduce((product, factor) => product * factor, BigInt(each ?? otherwise));
    return { rate: rate > most ? most : rate, divisor };
  };
  const written = all.cacheWrite ?? all.input;
  const long = used.longCacheWriteTokens ?? 0;
  const seen = used.imageInputTokens ?? 0;
  const drawn = used.imageOutputTokens ?? 0;
  const { cachedInputTokens, cacheWriteTokens, audioInputTokens, audioOutputTokens } = used;
  const parts: readonly (readonly [number, Exact])[] = [
    [
      used.inputTokens - cachedInputTokens - cacheWriteTokens - audioInputTokens - seen,
      exact(all.input, 0),
    ],
    [cachedInputTokens, exact(all.cachedInput, all.input)],
    [cacheWriteTokens - long, exact(all.cacheWrite, all.input)],
    [long, exact(all.longCacheWrite, written)],
    [audioInputTokens, exact(all.audioInput, all.input)],
    [seen, exact(all.imageInput, all.input)],
    [used.outputTokens - audioOutputTokens - drawn, exact(all.output, 0)],
    [audioOutputTokens, exact(all.audioOutput, all.output)],
    [drawn, exact(all.imageOutput, all.output)],
  ];
  let femto = 0n;
  let tokens = 0n;
  for (const [tokensOfPart, { rate: each }] of parts) {
    if (tokensOfPart <= 0) continue;
    femto += BigInt(tokensOfPart) * each * 1_000n;
    tokens += BigInt(tokensOfPart);
  }
  const units =
    BigInt(used.searches ?? 0) * BigInt(all.search ?? 0) * 1_000n +
    BigInt(used.images ?? 0) * BigInt(all.image ?? 0) * 1_000n +
    BigInt(used.characters ?? 0) * BigInt(all.character ?? 0) * 1_000n +
    BigInt(used.durationMs ?? 0) * BigInt(all.second ?? 0);
  // Variants scale rates of tokens only, a group scales all rates.
  const unitFactor = ofGroup === undefined ? divisor : (divisor / 1_000n) * BigInt(ofGroup);
  return { femto: femto + units * unitFactor, divisor, tokens };
}

test("no counts at any price overflow, become negative, or cost a micro-dollar too much", () => {
  fc.assert(
    fc.property(usage, served, price, (counts, as, of) => {
      const used = { ...counts, served: as };
      const cost = BigInt(costOf(used, of));
      const { femto, divisor, tokens } = exactCost(used, of);
      const femtoCost = cost * 1_000_000n;

      expect(cost >= 0n && cost <= BigInt(MAX_NANO_USD)).toBe(true);
      expect(Number.isSafeInteger(Number(cost))).toBe(true);
      expect(femtoCost * divisor <= femto + MICRO_USD_IN_FEMTO * divisor).toBe(true);
      // A rate loses less than a pico-dollar; an account counts no further than its largest sum.
      const least = femto - tokens * 1_000n * divisor;
      expect(femtoCost * divisor >= least || cost === BigInt(MAX_NANO_USD)).toBe(true);
    }),
    { seed: SEED, numRuns: 2_000 },
  );
});

test("the same holds with the factor of a group", () => {
  fc.assert(
    fc.property(usage, served, price, fc.nat(100_000), (counts, as, of, factor) => {
      const used = { ...counts, served: as };
      const cost = BigInt(costOf(used, scalePrice(of, factor)));
      const { femto, divisor } = exactCost(used, of, factor);

      expect(cost >= 0n && cost <= BigInt(MAX_NANO_USD)).toBe(true);
      const most = femto + MICRO_USD_IN_FEMTO * divisor;
      expect(cost * 1_000_000n * divisor <= most).toBe(true);
    }),
    { seed: SEED, numRuns: 1_000 },
  );
});

test("a hold covers every way to serve the call, at any price", () => {
  fc.assert(
    fc.property(usage, served, served, price, (counts, asked, as, of) => {
      // A vendor serves what is asked, or as usual.
      const got = Object.fromEntries(
        Object.entries(asked).filter(([name, value]) =>
          Object.entries(as).some(([each, other]) => each === name && other === value),
        ),
      );
      const used = { ...counts, served: got };
      const held = estimateCost(used, of, { ...asked, keepsLong: true });

      expect(held).toBeGreaterThanOrEqual(costOf(used, of));
    }),
    { seed: SEED, numRuns: 1_000 },
  );
});

test("a hold covers the rates above a tier bound if the estimate is close below it", () => {
  const steep = priced({ when: { aboveInputTokens: 1_000 }, factor: 5_000 });
  const held = (inputTokens: number): number =>
    estimateCost({ inputTokens, outputTokens: 0 }, steep);

  expect(held(900)).toBe(900 * 10_000);
  expect(held(700)).toBe(700 * 2_000);
});

test("a hold for a vendor-chosen tier covers the most expensive tier", () => {
  const tiered = priced(
    { when: { serviceTiers: ["priority"] }, factor: 2_000 },
    { when: { serviceTiers: ["flex"] }, factor: 500 },
  );
  const held = (serviceTier?: string): number =>
    estimateCost({ inputTokens: 1_000, outputTokens: 0 }, tiered, defined({ serviceTier }));

  expect(held()).toBe(2_000_000);
  expect(held("flex")).toBe(2_000_000);
  expect(held("priority")).toBe(4_000_000);
  expect(held("auto")).toBe(4_000_000);
});
