import { MAX_NANO_USD, nanoUsd, type NanoUsd } from "#core/money.ts";

const NANO = 1_000_000_000;

/** Dollars of a floating-point column, to the nearest nano-dollar; undefined if it is too large. */
export function fromDollars(dollars: number | undefined): NanoUsd | undefined {
  if (dollars === undefined) return undefined;
  const amount = Math.round(dollars * NANO);
  return amount <= MAX_NANO_USD ? nanoUsd(Math.max(amount, 0)) : undefined;
}

/** Units of one-api's programs, rounded to the nearest nano-dollar. */
export function fromUnits(units: number, perDollar: number): NanoUsd | undefined {
  return fromDollars(units / perDollar);
}

/** Dollars per million tokens as text with at most six decimals, as prices here have them. */
export function writeRate(dollarsPerMillion: number): string {
  return trimmed(dollarsPerMillion.toFixed(6));
}

/** Dollars of one picture or second. */
export function writeUnitPrice(dollars: number): string {
  return trimmed(dollars.toFixed(12));
}

/** A factor with at most three decimals; rounded up, so that no call costs less than before. */
export function writeFactor(factor: number): string {
  const thousandths = Math.ceil(Number((factor * 1_000).toFixed(6)));
  return trimmed((thousandths / 1_000).toFixed(3));
}

function trimmed(decimal: string): string {
  return decimal.includes(".") ? decimal.replace(/0+$/, "").replace(/\.$/, "") : decimal;
}
