import { expect, test } from "bun:test";
import { shortenBase64 } from "./shorten-base64.ts";

test("long base64 is replaced by its length in every field", () => {
  const long = "QUJD".repeat(300);
  for (const before of ["", "a ", "words in a row, ".repeat(100)]) {
    const text = `${before}"${long}" and "${long.slice(0, 900)}" and '${long}=='`;

    expect(shortenBase64(text)).toBe(
      `${before}"[base64, 1200 characters]" and "${long.slice(0, 900)}" and '[base64, 1202 characters]'`,
    );
  }
});

test("base64 is long from 1,024 characters on, at any place", () => {
  for (let before = 0; before < 600; before += 37) {
    const around = (text: string): string => `${" ".repeat(before)}${text}!`;

    expect(shortenBase64(around("a".repeat(1_024)))).toBe(around("[base64, 1024 characters]"));
    expect(shortenBase64(around("a".repeat(1_023)))).toBe(around("a".repeat(1_023)));
  }
});

test("a text that is base64 from begin to end is replaced, also behind another one", () => {
  const long = "a".repeat(2_000);

  expect(shortenBase64(long)).toBe("[base64, 2000 characters]");
  expect(shortenBase64(`${long} ${long}`)).toBe(
    "[base64, 2000 characters] [base64, 2000 characters]",
  );
});

test("every character of base64 and of its form for URLs counts, and no other", () => {
  const signs = "azAZ09+/=-_";

  expect(shortenBase64(signs.repeat(100))).toBe("[base64, 1100 characters]");
  for (const other of [" ", "@", "[", "`", "{", ".", "é", "\u{10000}", "\u0080"]) {
    const text = `${"a".repeat(512)}${other}${"a".repeat(512)}`;
    expect(shortenBase64(text)).toBe(text);
  }
});

test("an empty text stays empty", () => {
  expect(shortenBase64("")).toBe("");
});
