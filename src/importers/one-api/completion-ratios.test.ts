import { expect, test } from "bun:test";
import { completionRatio } from "./completion-ratios.ts";

const NO_OPTIONS = new Map<string, number>();

test.each([
  ["gpt-4o-2024-05-13", 3],
  ["gpt-4o-mini", 4],
  ["gpt-5-mini", 8],
  ["gpt-5.4-nano", 6.25],
  ["gpt-5.5", 6],
  ["gpt-4-turbo", 3],
  ["gpt-4", 2],
  ["o3-mini", 4],
  ["claude-sonnet-4-20250514", 5],
  ["gemini-2.0-flash", 4],
  ["gemini-2.5-pro", 8],
  ["mistral-large-latest", 3],
  ["something-else", 1],
])("new-api's own ratio of %s is %d", (model, ratio) => {
  expect(completionRatio("new-api", model, NO_OPTIONS)).toBe(ratio);
});

test("new-api's program outranks its options for some models, and not for names with a slash", () => {
  const options = new Map([
    ["o1", 9],
    ["vendor/o1", 9],
    ["gpt-4o", 9],
  ]);
  const ratios = ["o1", "vendor/o1", "gpt-4o"].map((model) =>
    completionRatio("new-api", model, options),
  );

  expect(ratios).toEqual([4, 9, 9]);
});

test("one-api's options outrank its program", () => {
  expect(completionRatio("one-api", "o1", new Map([["o1", 9]]))).toBe(9);
  expect(completionRatio("one-api", "claude-2.1", NO_OPTIONS)).toBe(3);
  expect(completionRatio("one-api", "gpt-3.5-turbo-1106", NO_OPTIONS)).toBe(2);
});
