import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { defined } from "#lib/values.ts";
import {
  costOf,
  estimateCost,
  FREE,
  isUnknownPrice,
  pricesOnlyOtherUnits,
  formatUsd,
  MAX_NANO_USD,
  nanoUsd,
  parseThousandths,
  parseUsd,
  partsOf,
  ratesFor,
  scalePrice,
  addCost,
  writePartCost,
  writeThousandths,
  type Price,
} from "./money.ts";
import { writeRate } from "./rate-words.ts";
import { usageOf, type Usage } from "./usage.ts";

const PRICE: Price = {
  input: 3_000_000,
  output: 15_000_000,
  cachedInput: 300_000,
  cacheWrite: 3_750_000,
  longCacheWrite: 6_000_000,
  source: "test",
  date: "2026-01-01",
};

function used(parts: Parameters<typeof usageOf>[0]): Usage {
  const usage = usageOf(parts);
  if (usage === undefined) throw new Error("That is no usage.");
  return usage;
}

test("each part of a usage is charged at its own rate", () => {
  const usage = used({
    inputTokens: 1_000,
    cachedInputTokens: 400,
    cacheWriteTokens: 300,
    longCacheWriteTokens: 100,
    outputTokens: 10,
  });

  // 300 plain, 400 read, 200 written, 100 written for long, 10 answered; in nano-dollars.
  expect(Number(costOf(usage, PRICE))).toBe(900_000 + 120_000 + 750_000 + 600_000 + 150_000);
});

test("long-lived cache writes without their own rate cost the same as other writes", () => {
  const { longCacheWrite: _, ...plain } = PRICE;
  const usage = used({
    inputTokens: 100,
    cacheWriteTokens: 100,
    longCacheWriteTokens: 100,
    outputTokens: 0,
  });

  expect(Number(costOf(usage, plain))).toBe(375_000);
});

test("long-lived cache writes are limited to the number of all writes", () => {
  const usage = used({
    inputTokens: 100,
    cacheWriteTokens: 10,
    longCacheWriteTokens: 50,
    outputTokens: 0,
  });

  expect(usage.longCacheWriteTokens).toBe(10);
});

test("every token is in exactly one part, and the cost is the sum of the parts, rounded up", () => {
  const count = fc.nat(1_000_000);
  const parts = fc.record({
    inputTokens: count,
    cachedInputTokens: count,
    cacheWriteTokens: count,
    longCacheWriteTokens: count,
    outputTokens: count,
    reasoningTokens: count,
    audioOutputTokens: count,
    imageInputTokens: count,
    imageOutputTokens: count,
  });

  fc.assert(
    fc.property(parts, (given) => {
      const usage = used(given);
      const split = partsOf(usage, PRICE);
      const pico = split.reduce((sum, { count, rate }) => sum + Math.max(0, count) * rate, 0);
      const tokens = split.reduce((sum, each) => sum + each.count, 0);
      expect(tokens).toBe(usage.inputTokens + usage.outputTokens);
      expect(Number(costOf(usage, PRICE))).toBe(Math.ceil(pico / 1_000));
    }),
    { seed: SEED },
  );
});

test("images, seconds, characters and searches are charged per unit", () => {
  const price: Price = {
    ...FREE,
    image: 40_000_000_000,
    second: 100_000_001,
    character: 15_000_000,
    search: 2_000_000_000,
  };
  const cost = (parts: object): number =>
    Number(costOf(used({ inputTokens: 0, outputTokens: 0, ...parts }), price));

  expect(cost({ images: 3 })).toBe(120_000_000);
  // A second and a half at just above $0.0001, rounded up once.
  expect(cost({ durationMs: 1_500 })).toBe(150_001);
  expect(cost({ characters: 7 })).toBe(105_000);
  expect(cost({ searches: 2 })).toBe(4_000_000);
  expect(cost({ images: 1, durationMs: 1, searches: 1 })).toBe(42_000_101);
});

test("the cost of a call is exact to the nano-dollar, also around nine dollars, where the calculation changes", () => {
  const sizes = fc.record({
    inputTokens: fc.oneof(fc.nat(1_000), fc.nat(10_000_000)),
    durationMs: fc.oneof(fc.nat(1_000), fc.nat(100_000_000)),
    rate: fc.oneof(fc.nat(1_000_000_000), fc.constantFrom(899_999, 900_719, 900_720)),
  });

  fc.assert(
    fc.property(sizes, ({ inputTokens, durationMs, rate }) => {
      const usage = used({ inputTokens, outputTokens: 0, durationMs });
      const femto = (BigInt(inputTokens) * 1_000n + BigInt(durationMs)) * BigInt(rate);
      const nano = (femto + 999_999n) / 1_000_000n;
      expect(BigInt(costOf(usage, { ...FREE, input: rate, second: rate }))).toBe(nano);
    }),
    { seed: SEED, numRuns: 2_000 },
  );
});

test("image tokens are charged at their own rate, or at the rate of other tokens without one", () => {
  const usage = used({
    inputTokens: 100,
    imageInputTokens: 60,
    outputTokens: 50,
    imageOutputTokens: 40,
  });
  const price = { ...PRICE, imageInput: 10_000_000, imageOutput: 40_000_000 };

  expect(Number(costOf(usage, PRICE))).toBe(300_000 + 750_000);
  expect(Number(costOf(usage, price))).toBe(120_000 + 600_000 + 150_000 + 1_600_000);
});

test("a kind of result is charged at its grade's rates, which replace those of the tier and the base", () => {
  const price: Price = {
    ...PRICE,
    image: 10,
    tiers: [{ aboveInputTokens: 5, input: 2, output: 3, image: 20 }],
    grades: { "4K": { image: 30, output: 0 }, constructor: { image: 40 } },
  };
  const image = (inputTokens: number, grade?: string): number | undefined =>
    ratesFor({ inputTokens, ...(grade === undefined ? {} : { grade }) }, price).image;

  expect([image(0), image(9), image(0, "4K"), image(9, "4K")]).toEqual([10, 20, 30, 30]);
  expect(image(0, "8K")).toBe(10);
  expect(image(0, "constructor")).toBe(40);
  expect(image(0, "toString")).toBe(10);
  expect(ratesFor({ inputTokens: 9, grade: "4K" }, price)).toMatchObject({ input: 2, output: 0 });
});

test.each(["4k", " 4K ", "standard 4k", "standard  4K", "a b 4K"])(
  "the price of a kind of result is found in every notation (%j)",
  (grade) => {
    const price: Price = { ...PRICE, image: 10, grades: { "4K": { image: 30 } } };

    expect(ratesFor({ inputTokens: 0, grade }, price).image).toBe(30);
  },
);

test.each(["1664*928", "1664x928", "1664X928", "high 1664×928"])(
  "the price of a size in pixels is found with any separator (%j)",
  (grade) => {
    const priced = (name: string): Price => ({ ...PRICE, grades: { [name]: { image: 30 } } });

    expect(ratesFor({ inputTokens: 0, grade }, priced("1664x928")).image).toBe(30);
    expect(ratesFor({ inputTokens: 0, grade }, priced("1664*928")).image).toBe(30);
  },
);

test.each([
  ["720p", 1],
  ["720p audio", 1],
  ["1080p", 2],
  ["1080p audio", 3],
  ["4k audio", 4],
  ["480p", 9],
])(
  "a video is charged by its resolution, with the price for sound if there is one (%j)",
  (grade, second) => {
    const grades = {
      "720p": { second: 1 },
      "1080p": { second: 2 },
      "1080p audio": { second: 3 },
      audio: { second: 4 },
    };
    const price: Price = { ...PRICE, second: 9, grades };

    expect(ratesFor({ inputTokens: 0, grade }, price).second).toBe(second);
  },
);

test.each([
  [6, 1],
  [6.2, 1],
  [10, 2],
  [undefined, 2],
])("a video of %p s is charged by its length if there is a price for it", (seconds, second) => {
  const price: Price = {
    ...PRICE,
    grades: { "768p": { second: 2 }, "768p 6s": { second: 1 } },
  };
  const durationMs = seconds === undefined ? {} : { durationMs: seconds * 1_000 };

  expect(ratesFor({ inputTokens: 0, grade: "768p", ...durationMs }, price).second).toBe(second);
  expect(ratesFor({ inputTokens: 0, grade: "768p audio", ...durationMs }, price).second).toBe(
    second,
  );
});

test("a missing price differs from a price of 0", () => {
  const given: Price = { input: 0, output: 0, source: "the owner", date: "2026-01-01" };

  expect([isUnknownPrice(FREE), isUnknownPrice(given), isUnknownPrice(PRICE)]).toEqual([
    true,
    false,
    false,
  ]);
});

test.each<[string, Partial<Price>, boolean]>([
  ["of seconds", { second: 1 }, false],
  ["of pictures", { image: 1 }, true],
  ["of tokens, which are counted as well", { output: 1_000_000 }, false],
  ["of seconds of another kind", { grades: { "4k": { second: 1 } } }, true],
  ["of seconds of this kind", { grades: { "720p": { second: 1 } } }, false],
  [
    "of tokens of longer questions",
    { tiers: [{ aboveInputTokens: 9, input: 0, output: 0, image: 1 }] },
    true,
  ],
  ["of 0", { second: 0, image: 0 }, false],
])("a price %s does not apply to a video: %p", (_what, rates, isOther) => {
  const price: Price = { input: 0, output: 0, source: "test", date: "2026-01-01", ...rates };
  const video = { inputTokens: 0, outputTokens: 100, durationMs: 5_000, grade: "720p" };

  expect(pricesOnlyOtherUnits(video, price)).toBe(isOther);
});

test("a factor multiplies every rate, including those of the grades", () => {
  const price = { ...FREE, image: 101, second: 10, search: 0, grades: { "4K": { image: 3 } } };

  expect(scalePrice(price, 1_500)).toMatchObject({
    image: 151,
    second: 15,
    search: 0,
    grades: { "4K": { image: 4 } },
  });
});

test("a hold covers every possible usage of a call of its size, at any price", () => {
  const rate = fc.integer({ min: 0, max: 50_000_000_000_000 });
  const optional = fc.option(rate, { nil: undefined });
  const rates = fc.record({
    input: rate,
    output: rate,
    cacheWrite: optional,
    audioInput: optional,
    audioOutput: optional,
    imageInput: optional,
    imageOutput: optional,
    image: optional,
    referenceImage: optional,
    second: optional,
    character: optional,
    search: optional,
  });
  const count = fc.nat(10_000);
  const size = fc.record({
    inputTokens: count,
    outputTokens: count,
    images: count,
    referenceImages: count,
    durationMs: count,
    characters: count,
    searches: count,
  });
  const part = fc.double({ min: 0, max: 1, noNaN: true });

  fc.assert(
    fc.property(rates, size, part, part, part, (given, sizes, written, seen, drawn) => {
      const price: Price = { ...FREE, ...defined(given) };
      const usage = used({
        ...sizes,
        cacheWriteTokens: Math.floor(sizes.inputTokens * written),
        imageInputTokens: Math.floor(sizes.inputTokens * seen),
        imageOutputTokens: Math.floor(sizes.outputTokens * drawn),
      });
      expect(estimateCost(sizes, price)).toBeGreaterThanOrEqual(costOf(usage, price));
    }),
    { seed: SEED },
  );
});

test("a call above any account's balance has the largest storable cost", () => {
  const absurd = { ...FREE, input: 10_000_000_000_000, image: 5_000_000_000_000_000 };
  const usage = used({ inputTokens: 100_000_000, outputTokens: 0, images: 10_000 });

  expect(Number(costOf(usage, absurd))).toBe(Number.MAX_SAFE_INTEGER);
});

test("rates and parts are written exactly", () => {
  expect(writeRate(300_000, "million")).toBe("0.3");
  expect(writePartCost({ kind: "input", count: 3, rate: 1 })).toBe("0.000000000003");
  expect(writePartCost({ kind: "output", count: 100_000_000, rate: 600_000_001 })).toBe(
    "60000.0001",
  );
  expect(writePartCost({ kind: "second", count: 1, rate: 1 })).toBe("0.000000000000001");
  expect(writePartCost({ kind: "image", count: 2, rate: 1 })).toBe("0.000000000002");
});

describe("a factor", () => {
  test.each([
    ["0", 0],
    ["1", 1_000],
    ["1.25", 1_250],
    ["100", 100_000],
    ["0.001", 1],
    ["100.001", undefined],
    ["0.0001", undefined],
    ["-1", undefined],
    ["NaN", undefined],
    ["", undefined],
  ])("%j is %p thousandths", (text, expected) => {
    expect(parseThousandths(text)).toBe(expected as never);
    if (expected !== undefined) expect(writeThousandths(expected)).toBe(text);
  });
});

test("a price tier begins above its bound, and not at it", () => {
  const tiered: Price = {
    ...PRICE,
    tiers: [
      { aboveInputTokens: 200_000, input: 6_000_000, output: 22_500_000 },
      { aboveInputTokens: 500_000, input: 9_000_000, output: 30_000_000 },
    ],
  };
  const inputRate = (inputTokens: number): number => ratesFor({ inputTokens }, tiered).input;

  expect(inputRate(200_000)).toBe(3_000_000);
  expect(inputRate(200_001)).toBe(6_000_000);
  expect(inputRate(500_000)).toBe(6_000_000);
  expect(inputRate(500_001)).toBe(9_000_000);
});

test("a price for quality and size takes precedence over a price for the size alone", () => {
  const graded: Price = {
    ...PRICE,
    grades: { "1024x1024": { image: 40_000_000_000 }, "hd 1024x1024": { image: 80_000_000_000 } },
  };
  const imageRate = (grade: string): number | undefined =>
    ratesFor({ inputTokens: 0, grade }, graded).image;

  expect(imageRate("hd 1024x1024")).toBe(80_000_000_000);
  expect(imageRate("low 1024x1024")).toBe(40_000_000_000);
});

test("audio output is charged at its own rate", () => {
  const usage = used({ inputTokens: 0, outputTokens: 30, audioOutputTokens: 20 });

  expect(Number(costOf(usage, { ...PRICE, audioOutput: 64_000_000 }))).toBe(150_000 + 1_280_000);
});

test("reasoning is a part of the output and never exceeds it", () => {
  const usage: Usage = {
    ...used({ inputTokens: 0, outputTokens: 10 }),
    reasoningTokens: 25,
  };
  const counts = (of: Usage): readonly (number | undefined)[] =>
    ["output", "reasoning"].map(
      (kind) => partsOf(of, PRICE).find((part) => part.kind === kind)?.count,
    );

  expect(counts(usage)).toEqual([0, 10]);
  expect(counts({ ...usage, reasoningTokens: 4 })).toEqual([6, 4]);
  expect(counts({ ...usage, reasoningTokens: -4 })).toEqual([10, 0]);
});

test("overlapping parts in a vendor's count do not reduce the other parts", () => {
  const overlapping: Usage = {
    ...used({ inputTokens: 0, outputTokens: 0 }),
    inputTokens: 100,
    cachedInputTokens: 400,
  };

  expect(Number(costOf(overlapping, PRICE))).toBe(400 * 300);
  const large: Usage = { ...overlapping, outputTokens: 1_000_000 };
  expect(Number(costOf(large, PRICE))).toBe(400 * 300 + 1_000_000 * 15_000);
});

test("an amount is a whole number of nano-dollars and is shown with at least two decimals", () => {
  expect(Number(parseUsd("12.5"))).toBe(12_500_000_000);
  expect(parseUsd("12.5 dollars")).toBeUndefined();
  expect(parseUsd("0.0000000001")).toBeUndefined();
  expect(() => nanoUsd(0.5)).toThrow(RangeError);

  expect(formatUsd(nanoUsd(1_500_000_000))).toBe("$1.50");
  expect(formatUsd(nanoUsd(0))).toBe("$0.00");
  expect(formatUsd(nanoUsd(-12_300_000))).toBe("-$0.0123");
});

test("an account at its maximum stays at the maximum", () => {
  expect(Number(addCost(nanoUsd(5), 7))).toBe(12);
  expect(Number(addCost(nanoUsd(MAX_NANO_USD - 1), 7))).toBe(MAX_NANO_USD);
});
