import { expect, test } from "bun:test";
import { countEdits, didYouMean, suggest } from "./suggest.ts";

const known = ["port", "host", "base_url", "api_key", "api_keys", "openai"];

test.each([
  ["prot", "port"],
  ["opnai", "openai"],
  ["OpenAI", "openai"],
  ["baseUrl", "base_url"],
  ["api_keyz", "api_key"],
  ["hots", "host"],
])("a misspelt word suggests the intended word: %s", (word, meant) => {
  expect(suggest(word, known)).toBe(meant);
});

test.each(["", "x", "temperature", "zzzz", "p".repeat(65)])(
  "a dissimilar word suggests nothing: %j",
  (word) => {
    expect(suggest(word, known)).toBeUndefined();
    expect(didYouMean(word, ["a", "b"])).toBe("known values: a, b.");
  },
);

test("an edit inserts, deletes, changes or swaps letters", () => {
  expect(countEdits("", "")).toBe(0);
  expect(countEdits("", "abc")).toBe(3);
  expect(countEdits("abc", "")).toBe(3);
  expect(countEdits("abc", "acb")).toBe(1);
  expect(countEdits("kitten", "sitting")).toBe(3);
  expect(countEdits("same", "same")).toBe(0);
});
