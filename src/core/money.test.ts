import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import {
  costOf,
  parseThousandths,
  partsOf,
  writePartCost,
  writeRate,
  writeThousandths,
  type Price,
} from "./money.ts";
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

test("each part of a question costs its own rate", () => {
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

test("without a rate of its own, what is kept for long costs as any write", () => {
  const { longCacheWrite: _, ...plain } = PRICE;
  const usage = used({
    inputTokens: 100,
    cacheWriteTokens: 100,
    longCacheWriteTokens: 100,
    outputTokens: 0,
  });

  expect(Number(costOf(usage, plain))).toBe(375_000);
});

test("no more is kept for long than was written at all", () => {
  const usage = used({
    inputTokens: 100,
    cacheWriteTokens: 10,
    longCacheWriteTokens: 50,
    outputTokens: 0,
  });

  expect(usage.longCacheWriteTokens).toBe(10);
});

test("every token stands in one part, and the parts are what the call costs, rounded up", () => {
  const count = fc.nat(1_000_000);
  const parts = fc.record({
    inputTokens: count,
    cachedInputTokens: count,
    cacheWriteTokens: count,
    longCacheWriteTokens: count,
    outputTokens: count,
    reasoningTokens: count,
    audioOutputTokens: count,
  });

  fc.assert(
    fc.property(parts, (given) => {
      const usage = used(given);
      const split = partsOf(usage, PRICE);
      const pico = split.reduce((sum, { tokens, rate }) => sum + Math.max(0, tokens) * rate, 0);
      const tokens = split.reduce((sum, each) => sum + each.tokens, 0);
      expect(tokens).toBe(usage.inputTokens + usage.outputTokens);
      expect(Number(costOf(usage, PRICE))).toBe(Math.ceil(pico / 1_000));
    }),
    { seed: SEED },
  );
});

test("rates and parts are written exactly", () => {
  expect(writeRate(300_000)).toBe("0.3");
  expect(writePartCost({ kind: "input", tokens: 3, rate: 1 })).toBe("0.000000000003");
  expect(writePartCost({ kind: "output", tokens: 100_000_000, rate: 600_000_001 })).toBe(
    "60000.0001",
  );
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
