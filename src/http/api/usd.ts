import { invalid } from "#core/error.ts";
import { nanoUsd, parseUsd, writeUsd, type NanoUsd } from "#core/money.ts";
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

export function showUsdOrNull(amount: NanoUsd | null): number | null {
  return amount === null ? null : showUsd(amount);
}

/** What is added; below zero it is taken away. */
export const USD_CHANGE = {
  ...either(number(-9_007_199, 9_007_199), text({ minLength: 1, maxLength: 24 })),
  doc: "US dollars, at most nine decimals; below zero to take away.",
};

export function readUsdChange(value: Json | undefined, param: string): NanoUsd {
  const written = decimalOf(value) ?? "";
  const isNegative = written.startsWith("-");
  const amount = parseUsd(isNegative ? written.slice(1) : written);
  if (amount === undefined || amount === 0) {
    throw invalid(param, `'${param}' must be dollars other than 0, of at most nine decimals.`);
  }
  return isNegative ? nanoUsd(-amount) : amount;
}

export function showUsdChange(amount: NanoUsd): number {
  return amount < 0 ? -showUsd(nanoUsd(-amount)) : showUsd(amount);
}
