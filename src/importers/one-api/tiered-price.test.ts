import { expect, test } from "bun:test";
import { readTieredPrice } from "./tiered-price.ts";

test("prices by the length of the input become variants", () => {
  const price = readTieredPrice(
    'len <= 200000 ? tier("a", p * 1.5 + c * 7.5 + cr * 0.15) : len <= 500000 ? tier("b", p * 3 + c * 11.25) : tier("c", p * 4 + c * 15)',
  );

  expect(price).toEqual({
    input: "1.5",
    output: "7.5",
    cached_input: "0.15",
    variants: [
      { when: { above_input_tokens: 200_000 }, input: "3", output: "11.25" },
      { when: { above_input_tokens: 500_000 }, input: "4", output: "15" },
    ],
  });
});

test("one tier is a plain price", () => {
  expect(readTieredPrice('tier("only", p * 1 + c * 2)')).toEqual({ input: "1", output: "2" });
});

test.each(["", "p * 1 + c * 2", 'tier("a", p * 1)', 'tier("a", p * 1 + c * rate())', "1 / 0"])(
  "an expression of another form has no price: %p",
  (expression) => {
    expect(readTieredPrice(expression)).toBeUndefined();
  },
);
