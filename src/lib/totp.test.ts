import { describe, expect, test } from "bun:test";
import { findStep, hotp, otpauthUri, stepAt, toBase32 } from "./totp.ts";

const SECRET = Buffer.from("12345678901234567890");

describe("one-time passwords", () => {
  test.each([
    [0, "755224"],
    [1, "287082"],
    [2, "359152"],
    [3, "969429"],
    [4, "338314"],
    [5, "254676"],
    [6, "287922"],
    [7, "162583"],
    [8, "399871"],
    [9, "520489"],
  ])("are those of RFC 4226, appendix D, for the counter %p", (counter, code) => {
    expect(hotp(SECRET, counter)).toBe(code);
  });

  test.each([
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ])("are those of RFC 6238, appendix B, at %p seconds", (seconds, code) => {
    expect(hotp(SECRET, stepAt(seconds * 1_000), 8)).toBe(code);
  });

  test("are valid for their own half minute and its neighbours", () => {
    const now = 1_800_000_015_000;
    const step = stepAt(now);

    const found = [-2, -1, 0, 1, 2].map((off) => findStep(SECRET, hotp(SECRET, step + off), now));

    expect(found).toEqual([undefined, step - 1, step, step + 1, undefined]);
  });

  test.each(["", "12345", "1234567", "12345x", "１２３４５６", " 12345"])(
    "have six digits, so %p is not one",
    (code) => {
      expect(findStep(SECRET, code, 0)).toBeUndefined();
    },
  );
});

test.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("%p is the base 32 of RFC 4648 without padding", (text, encoded) => {
  expect(toBase32(Buffer.from(text))).toBe(encoded);
});

test("an authenticator gets the account's name", () => {
  const uri = new URL(otpauthUri(SECRET, "Sluice", "ada@example.com"));

  expect(decodeURIComponent(uri.pathname)).toBe("/Sluice:ada@example.com");
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret: toBase32(SECRET),
    issuer: "Sluice",
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
});
