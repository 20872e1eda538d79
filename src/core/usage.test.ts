import { expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { addUsage, NO_USAGE, usageOf, type Usage } from "./usage.ts";

const EMPTY = { inputTokens: 0, outputTokens: 0 };

test("units other than tokens are kept, and omitted if they are absent", () => {
  const units = { images: 2, durationMs: 1_500, characters: 7, searches: 1, grade: "4K" };

  expect(usageOf({ ...EMPTY, ...units })).toEqual({ ...NO_USAGE, ...units });
  expect(usageOf({ ...EMPTY, images: 0, durationMs: undefined, characters: null })).toEqual(
    NO_USAGE,
  );
});

test.each([
  ["a fraction of an image", { images: 0.5 }],
  ["a negative number of images", { images: -1 }],
  ["images as text", { images: "2" }],
  ["more images than the maximum", { images: 10_001 }],
  ["a year of sound", { durationMs: 365 * 24 * 3_600_000 }],
  ["more characters than the maximum", { characters: 100_000_001 }],
  ["more searches than the maximum", { searches: 100_001 }],
])("%s is refused", (_, units) => {
  expect(usageOf({ ...EMPTY, ...units })).toBeUndefined();
});

test("an overlong grade is refused", () => {
  for (const grade of ["", " ", "x".repeat(101), 4, null]) {
    expect(usageOf({ ...EMPTY, grade })).toEqual(NO_USAGE);
  }
});

test("image tokens never exceed the rest of the input and output", () => {
  const usage = usageOf({
    inputTokens: 100,
    cachedInputTokens: 90,
    imageInputTokens: 50,
    outputTokens: 10,
    audioOutputTokens: 8,
    imageOutputTokens: 9,
  });

  expect(usage).toMatchObject({ imageInputTokens: 10, imageOutputTokens: 2 });
});

/** The compiler refuses this where a count is missing. */
const EVERY: Required<Omit<Usage, "grade" | "served" | "servedBy" | "steps">> = {
  inputTokens: 1,
  cachedInputTokens: 2,
  cacheWriteTokens: 3,
  longCacheWriteTokens: 4,
  audioInputTokens: 5,
  imageInputTokens: 6,
  outputTokens: 7,
  reasoningTokens: 8,
  audioOutputTokens: 9,
  imageOutputTokens: 10,
  images: 11,
  durationMs: 12,
  characters: 13,
  searches: 14,
  referenceImages: 15,
  isEstimated: true,
};

test("the sum of two usages adds up every count", () => {
  const doubled = Object.entries(addUsage(EVERY, EVERY)).map(
    ([name, value]) => [name, typeof value === "number" ? value / 2 : value] as const,
  );

  expect(Object.fromEntries(doubled) as object).toEqual(EVERY);
  expect(addUsage(EVERY, NO_USAGE)).toEqual(EVERY);
  expect(addUsage(NO_USAGE, NO_USAGE)).toEqual(NO_USAGE);
  expect(addUsage({ ...EVERY, grade: "2K" }, { ...EVERY, grade: "2K" }).grade).toBe("2K");
  expect(addUsage({ ...EVERY, grade: "2K" }, { ...EVERY, grade: "4K" }).grade).toBeUndefined();
});

test("no part of a usage exceeds the whole", () => {
  const count = fc.nat(1_000);
  const parts = fc.record({
    inputTokens: count,
    cachedInputTokens: count,
    cacheWriteTokens: count,
    imageInputTokens: count,
    outputTokens: count,
    audioOutputTokens: count,
    imageOutputTokens: count,
  });
  fc.assert(
    fc.property(parts, (given) => {
      const usage = usageOf(given) ?? NO_USAGE;
      const { cachedInputTokens, cacheWriteTokens, imageInputTokens = 0 } = usage;
      const { audioOutputTokens, imageOutputTokens = 0 } = usage;
      expect(cachedInputTokens + cacheWriteTokens + imageInputTokens).toBeLessThanOrEqual(
        usage.inputTokens,
      );
      expect(audioOutputTokens + imageOutputTokens).toBeLessThanOrEqual(usage.outputTokens);
    }),
    { seed: SEED },
  );
});
