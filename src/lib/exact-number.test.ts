import { describe, expect, test } from "bun:test";
import { ExactNumber, parseExactJson } from "./exact-number.ts";
import { isObject } from "./json.ts";
import { integerOf, numberOf } from "./values.ts";

describe("numbers of JSON", () => {
  test.each([
    "1234567890123456789",
    "-9223372036854775808",
    "18446744073709551615",
    "9007199254740993",
    "0.12345678901234567890123",
    "3.14159265358979323846",
    "1e999",
    "-12345678901234567890.5e-3",
    "0.1e-400",
  ])("%s is written back digit for digit", (number) => {
    for (const text of [`{"a":${number}}`, `[1,${number}]`, number, `{"a":{"b":[ ${number} ]}}`]) {
      expect(JSON.stringify(parseExactJson(text))).toBe(text.replaceAll(" ", ""));
    }
  });

  test.each([
    "1",
    "0.1",
    "9007199254740992",
    "1.0",
    "100000000000000000000000",
    "1e23",
    "-0",
    "0.0",
    "1E+2",
    "5e-324",
  ])("%s is a number like any other", (number) => {
    expect(parseExactJson(`[${number}]`)).toEqual([Number(number)]);
  });

  test("digits within text are text", () => {
    const text = '{"a":"1234567890123456789","b":":1234567890123456789"}';

    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  test("text that is not JSON is refused", () => {
    expect(parseExactJson("{1234567890123456789")).toBeUndefined();
  });

  test("a number of a long notation is read as the nearest one, and never as an object", () => {
    const number = new ExactNumber("9007199254740993");

    expect([numberOf(number), integerOf(number)]).toEqual([9007199254740992, 9007199254740992]);
    expect(numberOf(new ExactNumber("0.12345678901234567890"))).toBe(0.12345678901234568);
    expect(isObject(number)).toBe(false);
  });
});
