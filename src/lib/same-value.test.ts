import { expect, test } from "bun:test";
import { isSameValue } from "./same-value.ts";

test.each([
  [1, 1],
  ["a", "a"],
  [null, null],
  [undefined, undefined],
  [
    [1, { a: [2] }],
    [1, { a: [2] }],
  ],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [{ a: 1, b: undefined }, { a: 1 }],
  [{ a: 1 }, { a: 1, b: undefined }],
])("%j and %j are the same JSON", (one, other) => {
  expect(isSameValue(one, other)).toBe(true);
});

test.each([
  [1, 2],
  [1, "1"],
  [null, undefined],
  [null, {}],
  [[], {}],
  [{}, []],
  [[1], [1, 2]],
  [
    [1, 2],
    [2, 1],
  ],
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { b: 1 }],
  [{ a: 1 }, { a: 1, b: null }],
  [{ a: { b: 1 } }, { a: { b: 2 } }],
])("%j and %j are not the same JSON", (one, other) => {
  expect(isSameValue(one, other)).toBe(false);
});
