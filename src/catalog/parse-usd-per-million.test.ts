import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseUsdPerMillion } from "./parse-usd-per-million.ts";

const seed = Number(process.env["SLUICE_TEST_SEED"] ?? Date.now() % 2 ** 31);

test("a price in dollars per million tokens becomes whole pico-dollars per token", () => {
  expect(parseUsdPerMillion("0.075")).toBe(75_000);
  expect(parseUsdPerMillion("0.15")).toBe(150_000);
  expect(parseUsdPerMillion("0.60")).toBe(600_000);
  expect(parseUsdPerMillion("0")).toBe(0);
  expect(parseUsdPerMillion("0.000001")).toBe(1);
  expect(parseUsdPerMillion("0.003625")).toBe(3_625);
  expect(parseUsdPerMillion("600")).toBe(600_000_000);
  expect(parseUsdPerMillion("999999.999999")).toBe(999_999_999_999);
});

test("prices that binary fractions cannot hold come out exact", () => {
  // 1.1, 4.4 and 8.29 times a million are not whole in floating point.
  expect(parseUsdPerMillion("8.29")).toBe(8_290_000);
  expect(parseUsdPerMillion("1.1")).toBe(1_100_000);
  expect(parseUsdPerMillion("4.4")).toBe(4_400_000);
  expect(parseUsdPerMillion("0.286705")).toBe(286_705);
});

test("every price of up to six decimals survives the way there and back", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), (pico) => {
      const digits = String(pico).padStart(7, "0");
      const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`;
      expect(parseUsdPerMillion(text)).toBe(pico);
    }),
    { seed },
  );
});

test.each(["0.0000001", "1.1234567", "0.1500000"])(
  "%p is finer than the unit and refused",
  (text) => {
    expect(() => parseUsdPerMillion(text)).toThrow("more than 6 decimals");
  },
);

test.each([
  "",
  " 1",
  "1 ",
  "-1",
  "+1",
  "1e3",
  ".5",
  "5.",
  "01",
  "1,5",
  "$1",
  "0x1",
  "NaN",
  "1234567",
])("%p is not a price", (text) => {
  expect(() => parseUsdPerMillion(text)).toThrow("is not a price");
});
