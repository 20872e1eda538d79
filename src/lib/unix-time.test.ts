import { expect, test } from "bun:test";
import { unixMs } from "./unix-time.ts";

const NOW = 1_795_000_000;

test.each([
  ["seconds", NOW],
  ["milliseconds", NOW * 1e3],
  ["microseconds", NOW * 1e6],
  ["nanoseconds", NOW * 1e9],
])("a time in %s is recognised", (_unit, time) => {
  expect(unixMs(time)).toBe(NOW * 1e3);
});

test("fractions of a second are kept", () => {
  expect(unixMs(NOW + 0.5)).toBe(NOW * 1e3 + 500);
});

test("an invalid time is undefined", () => {
  expect([Number.NaN, -1, 0, Infinity].map(unixMs)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(new Date(unixMs(Number.MAX_VALUE) ?? Number.NaN).getTime()).toBeFinite();
});
