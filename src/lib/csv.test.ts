import { expect, test } from "bun:test";
import { writeCsv } from "./csv.ts";

test("a table is written with quotes only where they are needed", () => {
  expect(
    writeCsv([
      ["name", "cost"],
      ['a,"b"', "1.5"],
      [null, 2],
    ]),
  ).toBe('name,cost\r\n"a,""b""",1.5\r\n,2\r\n');
});

test.each(["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "  =1", '=HYPERLINK("x","y")'])(
  "a spreadsheet does not take %j for a formula",
  (text) => {
    const written = writeCsv([[text]]);

    expect(written.replace(/^"/, "")).toStartWith("'");
  },
);

test("numbers keep their sign", () => {
  expect(writeCsv([["-0.25", -3]])).toBe("-0.25,-3\r\n");
});
