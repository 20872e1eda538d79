import { invalid } from "#core/error.ts";
import { writeUsd, parseUsd, type NanoUsd } from "#core/money.ts";
import type { Json } from "#lib/json.ts";
import { decimalOf } from "#lib/values.ts";
import { either, number, text } from "#lib/rules.ts";

/** As a number, or as text where a client's numbers are not to be trusted with money. */
export const USD = {
  ...either(number(0, 9_007_199), text({ minLength: 1, maxLength: 24 })),
  doc: "US dollars, at most nine decimals; null for no bound.",
};

/** `undefined` where it is absent, `null` where it is null. */
export function readUsd(value: Json | undefined, param: string): NanoUsd | null | undefined {
  if (value === undefined || value === null) return value;
  const written = decimalOf(value);
  const amount = written === undefined ? undefined : parseUsd(written);
  if (amount === undefined) {
    throw invalid(param, `'${param}' must be an amount in US dollars of at most nine decimals.`);
  }
  return amount;
}

export function showUsd(amount: NanoUsd): number {
  return Number(writeUsd(amount));
}
