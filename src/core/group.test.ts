import { describe, expect, test } from "bun:test";
import { priceFor, userLimitsIn, type Group } from "./group.ts";
import { mayUse, type ApiKey } from "./key.ts";
import { costOf, estimateCost, scalePrice, type Price } from "./money.ts";
import { NO_USAGE } from "./usage.ts";

const USUAL: Price = { input: 150_000, output: 600_000, source: "a page", date: "2026-01-01" };
const OWN: Price = { input: 7, output: 9, source: "the group 'gold'", date: "2026-02-02" };

function group(more: Partial<Group> = {}): Group {
  return { id: 3, name: "gold", priceFactor: 1_000, prices: new Map(), createdAt: 0, ...more };
}

describe("the price of a model for a group", () => {
  test("is the normal price if the group sets none", () => {
    expect(priceFor(group(), USUAL, ["m"])).toBe(USUAL);
  });

  test("is the normal price times the group's factor, with a note in the source", () => {
    expect(priceFor(group({ priceFactor: 1_250 }), USUAL, ["m"])).toEqual({
      input: 187_500,
      output: 750_000,
      source: "a page, times 1.25 for the group 'gold'",
      date: "2026-01-01",
    });
  });

  test("is the group's own price if it has one, with any factor", () => {
    const own = group({ priceFactor: 5_000, prices: new Map([["m", OWN]]) });

    expect(priceFor(own, USUAL, ["m"])).toBe(OWN);
    expect(priceFor(own, undefined, ["m"])).toBe(OWN);
    expect(priceFor(own, USUAL, ["m-high", "m"])).toBe(OWN);
    expect(priceFor(own, USUAL, ["other"])?.input).toBe(750_000);
  });

  test("is unknown if the normal price is unknown", () => {
    const free = group({ priceFactor: 0 });

    expect(priceFor(free, undefined, ["m"])).toBeUndefined();
    expect(priceFor(free, USUAL, ["m"])).toMatchObject({ input: 0, output: 0 });
  });
});

describe("a scaled price", () => {
  test("is whole pico-dollars, rounded down, in every rate and every tier", () => {
    const price: Price = {
      ...USUAL,
      input: 1,
      cachedInput: 999,
      cacheWrite: 1_001,
      longCacheWrite: 3,
      audioInput: 0,
      audioOutput: 10,
      tiers: [{ aboveInputTokens: 10, input: 5, output: 2_000 }],
    };

    expect(scalePrice(price, 333)).toEqual({
      ...USUAL,
      input: 0,
      output: 199_800,
      cachedInput: 332,
      cacheWrite: 333,
      longCacheWrite: 0,
      audioInput: 0,
      audioOutput: 3,
      tiers: [{ aboveInputTokens: 10, input: 1, output: 666 }],
    });
  });

  test("is exact even if a binary fraction would not be", () => {
    const dear = { ...USUAL, input: 90_071_992_547 };

    expect(scalePrice(dear, 100_000).input).toBe(9_007_199_254_700);
    expect(scalePrice(dear, 1_001).input).toBe(90_162_064_539);
  });

  test("applies to the reservation as well as to the charge", () => {
    const price = scalePrice(USUAL, 1_500);
    const usage = { ...NO_USAGE, inputTokens: 100, outputTokens: 10 };

    expect(costOf(usage, price)).toBe(31_500 as never);
    expect(estimateCost({ inputTokens: 100, outputTokens: 10 }, price)).toBe(31_500 as never);
  });
});

test("a user's limits are the group's, completed by the global ones", () => {
  const everybodys = { requestsPerMinute: 5, concurrency: 2 };
  const limits = { requestsPerMinute: 50, tokensPerMinute: 9 };

  expect(userLimitsIn(group(), everybodys)).toBe(everybodys);
  expect(userLimitsIn(group({ limits }), undefined)).toEqual(limits);
  expect(userLimitsIn(group({ limits }), everybodys)).toEqual({
    requestsPerMinute: 50,
    tokensPerMinute: 9,
    concurrency: 2,
  });
});

test("a model must be allowed by the key and by the group", () => {
  const key: ApiKey = { id: 1, userId: 1, name: "k", status: 1, models: ["a*"], accounts: [] };
  const may = (models: readonly string[] | undefined, model: string): boolean =>
    mayUse({ ...key, group: group(models && { models }) }, model);

  expect(may(undefined, "abc")).toBe(true);
  expect(may(["abc"], "abc")).toBe(true);
  expect(may(["abc"], "abd")).toBe(false);
  expect(may(["b*"], "bcd")).toBe(false);
  expect(may(["*"], "abd")).toBe(true);
});
