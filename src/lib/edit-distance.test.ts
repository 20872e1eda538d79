import { expect, test } from "bun:test";
import { editDistance } from "./edit-distance.ts";

test.each([
  ["", "", 0],
  ["a", "", 1],
  ["", "ab", 2],
  ["gpt-4o", "gpt-4o", 0],
  ["gpt4o", "gpt-4o", 1],
  ["gpt-4.1", "gpt-4-1", 1],
  ["kitten", "sitting", 3],
  ["abc", "xyz", 3],
])("the distance from '%s' to '%s' is %p", (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
  expect(editDistance(a, b, distance + 1)).toBe(distance);
  expect(editDistance(a, b, distance)).toBe(distance);
  if (distance > 1) expect(editDistance(a, b, 1)).toBe(1);
});
