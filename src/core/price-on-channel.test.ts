import { expect, test } from "bun:test";
import type { Price } from "./money.ts";
import { priceOnChannel } from "./price-on-channel.ts";

const USUAL: Price = { input: 1_000_000, output: 3_000_001, source: "a page", date: "2026-11-01" };

test("a channel without a factor has the usual price itself", () => {
  expect(priceOnChannel({ name: "a" }, USUAL)).toBe(USUAL);
});

test("a discount and a surcharge scale each rate, and the source names the channel", () => {
  expect(priceOnChannel({ name: "a", priceFactor: 900 }, USUAL)).toEqual({
    ...USUAL,
    input: 900_000,
    output: 2_700_000,
    source: "a page, times 0.9 on the channel 'a'",
  });
  expect(priceOnChannel({ name: "a", priceFactor: 1_050 }, USUAL)?.input).toBe(1_050_000);
});

test("a model without a price has none on any channel", () => {
  expect(priceOnChannel({ name: "a", priceFactor: 900 }, undefined)).toBeUndefined();
});
