import { parseThousandths, writeThousandths } from "#core/money.ts";
import { parser, type Parser } from "../parsers.ts";

/** A factor on prices, in thousandths. */
export const factor: Parser<number> = parser({
  expects: "a number from 0 to 100 of at most three decimals",
  shows: "always",
  parse: parseThousandths,
  format: writeThousandths,
  json: { type: ["number", "string"], minimum: 0, maximum: 100, minLength: 1, maxLength: 24 },
});
