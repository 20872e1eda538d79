import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import type { Rates } from "./money.ts";
import {
  parseRate,
  RATE_WORDS,
  readRates,
  UNIT_WORDS,
  wholeRates,
  wordOf,
  writeRate,
  writeRates,
} from "./rate-words.ts";

/** The compiler refuses this where a rate is missing. */
const EVERY: Required<Rates> = {
  input: 1,
  output: 2,
  cachedInput: 3,
  cacheWrite: 4,
  longCacheWrite: 5,
  audioInput: 6,
  audioOutput: 7,
  imageInput: 8,
  imageOutput: 9,
  image: 10,
  second: 11,
  character: 12,
  search: 13,
  referenceImage: 14,
};

test("every rate has a name and is parsed as it is formatted", () => {
  const written = new Map(writeRates(EVERY).map((each) => [each.word, each.written]));

  expect([...written.keys()].toSorted()).toEqual(Object.keys(RATE_WORDS).toSorted());
  expect(readRates((word, scale) => parseRate(written.get(word) ?? "", scale))).toEqual(EVERY);
  expect(wordOf("cachedInput")).toMatchObject({ word: "cached_input", scale: "million" });
});

describe("a rate", () => {
  test.each([
    ["0.15", "million", 150_000],
    ["100000", "million", 100_000_000_000],
    ["100000.1", "million", undefined],
    ["0.0000001", "million", undefined],
    ["0.04", "one", 40_000_000_000],
    ["50", "one", 50_000_000_000_000],
    ["50.1", "one", undefined],
    ["0.0000000000001", "one", undefined],
    ["-1", "one", undefined],
    ["", "one", undefined],
  ] as const)("of %j for a %s is %p", (text, scale, expected) => {
    expect(parseRate(text, scale)).toBe(expected as never);
  });

  test("is formatted so that parsing returns the same value", () => {
    const scale = fc.constantFrom("million" as const, "one" as const);
    const rate = fc.integer({ min: 0, max: 50_000_000_000 });
    fc.assert(
      fc.property(rate, scale, (each, by) => {
        expect(parseRate(writeRate(each, by), by)).toBe(each);
      }),
      { seed: SEED },
    );
  });
});

test("half a price is invalid unless other units than tokens are priced", () => {
  expect(wholeRates({ input: 1 })).toBeUndefined();
  expect(wholeRates({ imageOutput: 1 })).toBeUndefined();
  expect(wholeRates({})).toBeUndefined();
  expect(wholeRates({ input: 1, output: 2 })).toEqual({ input: 1, output: 2 });
  for (const unit of UNIT_WORDS) {
    expect(wholeRates({ [unit]: 3 })).toEqual({ input: 0, output: 0, [unit]: 3 });
  }
});
