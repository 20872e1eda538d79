import { expect, test } from "bun:test";
import { formatDisplayCurrency, inCurrency, parseDisplayCurrency } from "./display-currency.ts";

test("a currency has a code of three letters and a rate above zero", () => {
  const euro = parseDisplayCurrency("EUR=0.92");
  expect(euro).toEqual({ code: "EUR", rate: 920_000 });
  expect(euro && formatDisplayCurrency(euro)).toBe("EUR=0.92");
  expect(parseDisplayCurrency("IDR=16650")).toEqual({ code: "IDR", rate: 16_650_000_000 });
  for (const text of [
    "EUR",
    "EUR=",
    "EUR=0",
    "EUR=-1",
    "eur=1",
    "EURO=1",
    "USD=1",
    "EUR=1e3",
    "EUR=0.0000001",
    "EUR=1000001",
  ])
    expect([text, parseDisplayCurrency(text)]).toEqual([text, undefined]);
});

test("amounts are converted exactly, and rounded half up to a billionth", () => {
  const euro = { code: "EUR", rate: 920_000 };
  expect(inCurrency(145_000, euro)).toBe("0.0001334");
  expect(inCurrency(0, euro)).toBe("0");
  expect(inCurrency(1, { code: "X", rate: 500_000 })).toBe("0.000000001");
  expect(inCurrency(1, { code: "X", rate: 499_999 })).toBe("0");
  expect(inCurrency(9_000_000_000_000_000, { code: "IDR", rate: 16_650_000_000 })).toBe(
    "149850000000",
  );
});
