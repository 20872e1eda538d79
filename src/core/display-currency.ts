import { formatDecimal, parseDecimal } from "#lib/decimal.ts";

/** A currency in which amounts are shown beside US dollars; the ledger has dollars alone. */
export interface DisplayCurrency {
  /** ISO 4217, such as `EUR`. */
  readonly code: string;
  /** Millionths of a unit for one US dollar. */
  readonly rate: number;
}

const RATE_DECIMALS = 6;
const NANO_DECIMALS = 9;
const MAX_RATE = 1_000_000;

/** Reads `EUR=0.92`; undefined for any other text, and for dollars. */
export function parseDisplayCurrency(text: string): DisplayCurrency | undefined {
  const [, code = "", written = ""] = /^([A-Z]{3})=([\d.]{1,14})$/.exec(text) ?? [];
  const rate = parseDecimal(written, RATE_DECIMALS, MAX_RATE * 10 ** RATE_DECIMALS);
  return rate === undefined || rate === 0 || code === "USD" ? undefined : { code, rate };
}

export function formatDisplayCurrency({ code, rate }: DisplayCurrency): string {
  return `${code}=${rateOf({ rate })}`;
}

/** Units of the currency for one US dollar, as a decimal. */
export function rateOf({ rate }: Pick<DisplayCurrency, "rate">): string {
  return formatDecimal(rate, RATE_DECIMALS);
}

/** An amount of nano-dollars in the currency: a decimal, rounded half up to a billionth. */
export function inCurrency(nanoUsd: number, { rate }: DisplayCurrency): string {
  const unit = 10n ** BigInt(RATE_DECIMALS);
  const amount = BigInt(Math.round(nanoUsd)) * BigInt(rate);
  return formatDecimal((amount + unit / 2n) / unit, NANO_DECIMALS);
}
