import { expect, test } from "bun:test";
import {
  costOf,
  estimateCost,
  FREE,
  isTierUnpriced,
  pricesOnlyOtherUnits,
  rateUsage,
  withoutFreeImages,
  type Price,
  type Rates,
} from "./money.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

const PRICE: Price = { ...FREE, source: "test", input: 2_000_000, output: 10_000_000 };
const OTHER: Price = { ...PRICE, input: 500_000, output: 1_000_000 };
const priceOf = (model: string): Price | undefined => (model === "other" ? OTHER : undefined);

function tokens(inputTokens: number, outputTokens: number): Usage {
  return { ...NO_USAGE, inputTokens, outputTokens };
}

function ratesOf({ input, output }: Rates): Pick<Rates, "input" | "output"> {
  return { input, output };
}

/** The rates for the journal, with the tokens of each charge. */
function rated(usage: Usage) {
  const { rates, charges } = rateUsage(usage, PRICE, priceOf);
  return {
    rates: ratesOf(rates),
    charges: charges?.map((each) => ({
      model: each.model,
      tokens: [each.usage.inputTokens, each.usage.outputTokens],
      searches: each.usage.searches,
      rates: ratesOf(each.rates),
    })),
  };
}

const USUAL = { input: 2_000_000, output: 10_000_000 };
const CHEAPER = { input: 500_000, output: 1_000_000 };

test("a call without steps has one set of rates in the journal", () => {
  expect(rated(tokens(1, 1))).toEqual({ rates: USUAL, charges: undefined });
});

test("a call that another model answered has the rates of that model, and no charges", () => {
  const usage = { ...tokens(10, 1), servedBy: "other" };

  expect(rated(usage)).toEqual({ rates: CHEAPER, charges: undefined });
  expect(Number(costOf(usage, PRICE, priceOf))).toBe(6_000);
});

test("a model without a price of its own costs as the model that was called", () => {
  const usage = { ...tokens(10, 1), servedBy: "unknown" };

  expect(rated(usage)).toEqual({ rates: USUAL, charges: undefined });
  expect(Number(costOf(usage, PRICE, priceOf))).toBe(30_000);
});

test("steps with equal rates are one charge, and steps of other models have their own", () => {
  const usage: Usage = {
    ...tokens(60, 6),
    steps: [
      { usage: tokens(10, 1) },
      { model: "other", usage: tokens(20, 2) },
      { model: "unknown", usage: tokens(30, 3) },
    ],
  };

  expect(rated(usage)).toEqual({
    rates: USUAL,
    charges: [
      { model: undefined, tokens: [40, 4], searches: undefined, rates: USUAL },
      { model: "other", tokens: [20, 2], searches: undefined, rates: CHEAPER },
    ],
  });
  expect(Number(costOf(usage, PRICE, priceOf))).toBe(
    40 * 2_000 + 4 * 10_000 + 20 * 500 + 2 * 1_000,
  );
});

test("steps of one model with one set of rates are no separate charges", () => {
  const usage: Usage = {
    ...tokens(30, 3),
    steps: [{ usage: tokens(10, 1) }, { usage: tokens(20, 2) }],
  };

  expect(rated(usage)).toEqual({ rates: USUAL, charges: undefined });
});

test("units of the whole call are charged once beside its steps", () => {
  const searched: Price = { ...PRICE, search: 10_000_000_000 };
  const usage: Usage = {
    ...tokens(10, 1),
    searches: 2,
    steps: [{ model: "other", usage: tokens(10, 1) }],
  };

  const { charges } = rateUsage(usage, searched, priceOf);

  expect(charges?.map((each) => [each.model, each.usage.inputTokens, each.usage.searches])).toEqual(
    [
      ["other", 10, undefined],
      [undefined, 0, 2],
    ],
  );
  expect(Number(costOf(usage, searched, priceOf))).toBe(6_000 + 20_000_000);
});

test("a step is charged by the tier that served the call, and by the kind of its result", () => {
  const price: Price = {
    ...PRICE,
    grades: { "4K": { output: 20_000_000 } },
    variants: [{ when: { serviceTiers: ["flex"] }, factor: 500 }],
  };
  const steps = [{ usage: tokens(0, 1) }];

  expect(Number(costOf({ ...tokens(0, 1), steps }, price))).toBe(10_000);
  expect(Number(costOf({ ...tokens(0, 1), steps, grade: "4k" }, price))).toBe(20_000);
  expect(Number(costOf({ ...tokens(0, 1), steps, served: { serviceTier: "flex" } }, price))).toBe(
    5_000,
  );
  const units = { ...tokens(0, 1), steps, images: 1, grade: "4k" };
  expect(
    Number(costOf(units, { ...price, image: 7_000_000, grades: { "4K": { image: 9_000_000 } } })),
  ).toBe(10_000 + 9_000);
});

test.each([
  [0, 2, undefined],
  [1, 2, undefined],
  [2, 2, undefined],
  [3, 2, 1],
  [5, 0, 5],
])("of %i given images, %i of them free, %p are charged", (given, free, charged) => {
  const usage = given === 0 ? NO_USAGE : { ...NO_USAGE, referenceImages: given };

  const left = withoutFreeImages(usage, { ...PRICE, freeReferenceImages: free });

  expect(left.referenceImages).toBe(charged as number);
});

test("given images are charged by all that are given if the price has none free", () => {
  const usage = { ...NO_USAGE, referenceImages: 3 };

  expect(withoutFreeImages(usage, PRICE)).toBe(usage);
  expect(Number(costOf(usage, { ...PRICE, referenceImage: 4_000_000 }))).toBe(12_000);
  expect(Number(estimateCost(usage, { ...PRICE, referenceImage: 4_000_000 }))).toBe(12_000);
});

/** Each count alone, and how much one unit of it costs in nano-dollars at a rate of its own. */
const ALONE: readonly [part: Partial<Usage>, rates: Partial<Rates>, nano: number][] = [
  [{ cachedInputTokens: 1 }, { cachedInput: 3_000 }, 3],
  [{ cacheWriteTokens: 1 }, { cacheWrite: 4_000 }, 4],
  [
    { cacheWriteTokens: 1, longCacheWriteTokens: 1 },
    { cacheWrite: 1_000, longCacheWrite: 5_000 },
    5,
  ],
  [{ audioInputTokens: 1 }, { audioInput: 6_000 }, 6],
  [{ imageInputTokens: 1 }, { imageInput: 7_000 }, 7],
];
test.each(ALONE)(
  "%j of the input cost their own rate instead of that of text",
  (part, rates, nano) => {
    const usage = { ...tokens(1, 0), ...part };

    expect(Number(costOf(usage, { ...PRICE, ...rates }))).toBe(nano);
  },
);

test.each<[part: Partial<Usage>, rates: Partial<Rates>, nano: number]>([
  [{ audioOutputTokens: 1 }, { audioOutput: 8_000 }, 8],
  [{ imageOutputTokens: 1 }, { imageOutput: 9_000 }, 9],
])("%j of the output cost their own rate instead of that of text", (part, rates, nano) => {
  expect(Number(costOf({ ...tokens(0, 1), ...part }, { ...PRICE, ...rates }))).toBe(nano);
});

test.each<[part: Partial<Usage>, rates: Partial<Rates>, nano: number]>([
  [{ images: 1 }, { image: 1_000 }, 1],
  [{ referenceImages: 1 }, { referenceImage: 2_000 }, 2],
  [{ durationMs: 1_000 }, { second: 3_000 }, 3],
  [{ characters: 1 }, { character: 4_000 }, 4],
  [{ searches: 1 }, { search: 5_000 }, 5],
])("%j are added to the tokens of a call", (part, rates, nano) => {
  const price = { ...PRICE, ...rates };

  expect(Number(costOf({ ...tokens(1, 1), ...part }, price))).toBe(2_000 + 10_000 + nano);
  expect(Number(estimateCost({ ...tokens(1, 1), ...part }, price))).toBe(2_000 + 10_000 + nano);
});

test("a tier is without a price only if the price tells other tiers apart", () => {
  const flex = { ...PRICE, variants: [{ when: { serviceTiers: ["flex"] }, factor: 500 }] } as Price;
  const isUnpriced = (price: Price, serviceTier?: string): boolean =>
    isTierUnpriced(price, serviceTier === undefined ? {} : { serviceTier });

  expect(["flex", "standard", "auto"].map((tier) => isUnpriced(flex, tier))).toEqual([
    false,
    false,
    false,
  ]);
  expect(isUnpriced(flex)).toBe(false);
  expect(isUnpriced(flex, "priority")).toBe(true);
  expect(isUnpriced(PRICE, "priority")).toBe(false);
  const fast = { ...PRICE, variants: [{ when: { speeds: ["fast"] }, factor: 500 }] } as Price;
  expect(isUnpriced(fast, "priority")).toBe(false);
});

test("a price whose only rate is that of a variant does not price other units", () => {
  const price = {
    ...FREE,
    source: "test",
    variants: [{ when: { serviceTiers: ["flex"] }, rates: { second: 1_000 } }],
  } as Price;

  expect(pricesOnlyOtherUnits(tokens(1, 1), price)).toBe(true);
  expect(pricesOnlyOtherUnits(tokens(1, 1), { ...FREE, source: "test" })).toBe(false);
});

test("a hold for long cache writes covers their rate, and only if the request asks for them", () => {
  const price = { ...PRICE, longCacheWrite: 9_000_000 };

  expect(Number(estimateCost(tokens(1, 0), price))).toBe(2_000);
  expect(Number(estimateCost(tokens(1, 0), price, { keepsLong: true }))).toBe(9_000);
});

test("a hold covers the dearest rate of the input and of the output", () => {
  const rates: Partial<Rates>[] = [
    { cachedInput: 9_000_000 },
    { cacheWrite: 9_000_000 },
    { audioInput: 9_000_000 },
    { imageInput: 9_000_000 },
  ];
  for (const each of rates) {
    expect(Number(estimateCost(tokens(1, 0), { ...PRICE, ...each }))).toBe(9_000);
  }
  for (const each of [{ audioOutput: 50_000_000 }, { imageOutput: 50_000_000 }]) {
    expect(Number(estimateCost(tokens(0, 1), { ...PRICE, ...each }))).toBe(50_000);
  }
});

test("a hold covers a speed and a region that the request asks for, together", () => {
  const price = {
    ...PRICE,
    variants: [
      { when: { speeds: ["fast"] }, factor: 2_000 },
      { when: { regions: ["us"] }, factor: 1_500 },
    ],
  } as Price;

  expect(Number(estimateCost(tokens(1, 0), price))).toBe(2_000);
  expect(Number(estimateCost(tokens(1, 0), price, { speed: "fast" }))).toBe(4_000);
  expect(Number(estimateCost(tokens(1, 0), price, { region: "us" }))).toBe(3_000);
  expect(Number(estimateCost(tokens(1, 0), price, { speed: "fast", region: "us" }))).toBe(6_000);
});

test("a hold near a tier's bound covers the tier of a quarter more input", () => {
  const price = {
    ...PRICE,
    tiers: [{ aboveInputTokens: 1_000, input: 4_000_000, output: 10_000_000 }],
  } as Price;

  expect(Number(estimateCost(tokens(800, 0), price))).toBe(800 * 2_000);
  expect(Number(estimateCost(tokens(801, 0), price))).toBe(801 * 4_000);
});

test("a call of which another model did every step has no charge without a count", () => {
  const usage: Usage = { ...tokens(10, 1), steps: [{ model: "other", usage: tokens(10, 1) }] };

  expect(rated(usage)).toEqual({ rates: CHEAPER, charges: undefined });
});

test("a part that exceeds its whole costs its rate, and nothing is subtracted for it", () => {
  const usage = { ...tokens(1, 0), audioInputTokens: 5 };

  expect(Number(costOf(usage, { ...PRICE, audioInput: 6_000 }))).toBe(30);
});

test("a hold may exceed nine dollars", () => {
  expect(Number(estimateCost(tokens(100_000_000, 0), PRICE))).toBe(200_000_000_000);
});

test("a hold near the bound of one variant covers it beside variants without a bound", () => {
  const price = {
    ...PRICE,
    variants: [
      { when: { aboveInputTokens: 1_000 }, factor: 2_000 },
      { when: { speeds: ["fast"] }, factor: 3_000 },
    ],
  } as Price;

  expect(Number(estimateCost(tokens(900, 0), price))).toBe(900 * 4_000);
});
