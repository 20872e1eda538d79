import { expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { formatDecimal, parseDecimal } from "./decimal.ts";

test("a decimal number becomes an integer of its smallest units", () => {
  expect(parseDecimal("0.15", 6)).toBe(150_000);
  expect(parseDecimal("25", 9)).toBe(25_000_000_000);
  expect(parseDecimal("0.000000001", 9)).toBe(1);
  expect(parseDecimal("0", 6)).toBe(0);
  expect(parseDecimal("007.5", 1)).toBe(75);
});

test("numbers that binary fractions cannot represent are exact", () => {
  expect(parseDecimal("8.29", 6)).toBe(8_290_000);
  expect(parseDecimal("1.1", 6)).toBe(1_100_000);
  expect(parseDecimal("9007199.254740991", 9)).toBe(Number.MAX_SAFE_INTEGER);
});

test("an exponent is exact, and trailing zeros need no decimals", () => {
  expect(parseDecimal("1.5e-1", 6)).toBe(150_000);
  expect(parseDecimal("2E+3", 0)).toBe(2000);
  expect(parseDecimal("0.1500000000000", 2)).toBe(15);
  expect(parseDecimal("100e-2", 0)).toBe(1);
});

test("a text that is not a decimal, too precise or too large is refused", () => {
  for (const text of ["", " 1", "1 ", "-1", "+1", ".5", "5.", "1,5", "1_000", "0x10", "NaN"]) {
    expect(parseDecimal(text, 6)).toBeUndefined();
  }
  expect(parseDecimal("Infinity", 6)).toBeUndefined();
  expect(parseDecimal("0.0000001", 6)).toBeUndefined();
  expect(parseDecimal("1e-7", 6)).toBeUndefined();
  expect(parseDecimal("9007199.254740992", 9)).toBeUndefined();
  expect(parseDecimal("1e99", 0)).toBeUndefined();
  expect(parseDecimal("1".repeat(41), 0)).toBeUndefined();
});

test("every integer survives formatting and parsing", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 0, max: 12 }), (parts, decimals) => {
      expect(parseDecimal(formatDecimal(parts, decimals), decimals)).toBe(parts);
    }),
    { seed: SEED },
  );
});
