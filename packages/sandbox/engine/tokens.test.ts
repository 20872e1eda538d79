import { expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "../../../test/seed.ts";
import { countTokens, splitTokens } from "./tokens.ts";

test.each([
  ["", 0],
  ["hello", 1],
  ["hello world", 2],
  ["information", 2],
  ["Hello, world!", 4],
  ["你好世界", 4],
  ["a\n\nb", 3],
])("%j has %d tokens", (text, expected) => {
  expect(countTokens(text)).toBe(expected);
});

test("English has about four characters per token", () => {
  const text =
    "The gateway sends every request to the first channel that is healthy, and writes down what it cost. ";

  expect(text.length / countTokens(text)).toBeWithin(3.5, 5.5);
});

test("the tokens of any text, joined, are the text, and their number is the count", () => {
  const texts = fc.string({ unit: "grapheme", maxLength: 300 });

  fc.assert(
    fc.property(texts, (text) => {
      const tokens = [...splitTokens(text)];
      expect(tokens.join("")).toBe(text);
      expect(countTokens(text)).toBe(tokens.length);
      expect(tokens).not.toContain("");
    }),
    { seed: SEED, numRuns: 500 },
  );
});
