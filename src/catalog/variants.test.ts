import { describe, expect, test } from "bun:test";
import { priceAt, ratesFor, type Price } from "#core/money.ts";
import type { ServedAs } from "#core/price-condition.ts";
import { writeRate } from "#core/rate-words.ts";
import { findModel, listModels } from "./index.ts";

const NOW = Date.parse("2026-11-23T12:00:00Z");
const PROVIDERS = ["openai", "anthropic", "gemini", "deepseek"];

function priceOf(provider: string, id: string): Price {
  const price = findModel(provider, id)?.price;
  if (price === undefined) throw new Error(`${id} has no price.`);
  return price;
}

function dollars(provider: string, id: string, served: ServedAs, inputTokens = 1, at = NOW) {
  const rates = ratesFor({ inputTokens, served }, priceAt(priceOf(provider, id), at));
  const { input, cachedInput = 0, output } = rates;
  return [input, cachedInput, output].map((rate) => Number(writeRate(rate, "million")));
}

describe("USD per million tokens of input, cached input and output", () => {
  test.each<[string, string, ServedAs, number, number[]]>([
    ["openai", "gpt-5.4", {}, 1, [2.5, 0.25, 15]],
    ["openai", "gpt-5.4", { serviceTier: "flex" }, 1, [1.25, 0.125, 7.5]],
    ["openai", "gpt-5.4", { serviceTier: "priority" }, 1, [5, 0.5, 30]],
    ["openai", "gpt-5.4", { region: "eu" }, 1, [2.75, 0.275, 16.5]],
    ["openai", "gpt-5.4", { serviceTier: "flex", region: "eu" }, 272_001, [2.75, 0.275, 12.375]],
    ["openai", "gpt-6-astra", { serviceTier: "ultrafast" }, 1, [60, 6, 300]],
    ["openai", "gpt-4o-mini", { serviceTier: "priority" }, 1, [0.25, 0.125, 1]],
    ["openai", "gpt-4.1", { serviceTier: "priority" }, 1, [3.5, 0.875, 14]],
    ["openai", "gpt-4o", { serviceTier: "flex" }, 1, [2.5, 1.25, 10]],
    ["anthropic", "claude-opus-5", { speed: "fast" }, 1, [10, 1, 50]],
    ["anthropic", "claude-opus-5", { speed: "fast", region: "us" }, 1, [11, 1.1, 55]],
    ["anthropic", "claude-opus-4-7", { region: "us" }, 1, [5.5, 0.55, 27.5]],
    ["anthropic", "claude-opus-4-5", { region: "us" }, 1, [5, 0.5, 25]],
    ["anthropic", "claude-sonnet-4-6", { serviceTier: "batch" }, 1, [1.5, 0.15, 7.5]],
    ["gemini", "gemini-2.5-pro", { serviceTier: "flex" }, 1, [0.625, 0.125, 5]],
    ["gemini", "gemini-2.5-pro", { serviceTier: "flex" }, 200_001, [1.25, 0.25, 7.5]],
    ["gemini", "gemini-2.5-pro", { serviceTier: "priority" }, 200_001, [4.5, 0.45, 27]],
  ])("%s %s served %p with %p tokens in: %p", (provider, id, served, inputTokens, expected) => {
    expect(dollars(provider, id, served, inputTokens)).toEqual(expected);
  });

  test.each<[string, number[]]>([
    ["2026-11-30T23:59:59Z", [0.75, 0.075, 3.75]],
    ["2026-12-01T00:00:00Z", [1.5, 0.15, 7.5]],
  ])("Gemini's introductory prices: %s, %p", (at, expected) => {
    expect(dollars("gemini", "gemini-3.6-flash", {}, 1, Date.parse(at))).toEqual(expected);
  });

  test.each<[string, number[]]>([
    ["2026-11-23T02:00:00Z", [1.32, 0.044, 3.96]],
    ["2026-11-23T05:00:00Z", [0.66, 0.022, 1.98]],
    ["2026-11-22T02:00:00Z", [0.66, 0.022, 1.98]],
  ])("DeepSeek's peak hours: %s, %p", (at, expected) => {
    expect(dollars("deepseek", "deepseek-v4-pro", {}, 1, Date.parse(at))).toEqual(expected);
  });
});

test("DeepSeek has one price at every hour of the week: peak or off-peak", () => {
  const price = priceOf("deepseek", "deepseek-v4-pro");
  const hourly = Array.from({ length: 7 * 24 }, (_, hour) =>
    priceAt(price, NOW + hour * 3_600_000),
  );

  expect(hourly.every(({ variants }) => variants?.length === 1)).toBe(true);
  const peaks = hourly.filter((each) => ratesFor({ inputTokens: 1 }, each).input === 1_320_000);
  expect(peaks).toHaveLength(5 * 7);
});

test("every variant has the date of its source", () => {
  for (const provider of PROVIDERS) {
    const variants = listModels(provider).flatMap(({ price }) => price?.variants ?? []);
    expect(variants.length).toBeGreaterThan(0);
    expect(variants.filter(({ date }) => date === undefined)).toEqual([]);
  }
});
