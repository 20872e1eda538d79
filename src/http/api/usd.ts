import { z } from "zod";
import { nanoUsd, parseUsd, writeUsd, type NanoUsd } from "#core/money.ts";

const MAX_USD = 9_007_199;

/** As a number, or as text where a client's numbers are not to be trusted with money. */
export const USD = amountFrom(0, "US dollars, at most nine decimals; null for no limit.")
  .transform((written, context): NanoUsd => {
    const amount = parseUsd(written);
    if (amount !== undefined) return amount;
    context.addIssue("must be an amount in US dollars of at most nine decimals");
    return nanoUsd(0);
  })
  .nullish();

/** An amount above zero. */
export const USD_ADDED = amountFrom(0, "US dollars, at most nine decimals.").transform(
  (written, context): NanoUsd => {
    const amount = parseUsd(written) ?? nanoUsd(0);
    if (amount === 0) {
      context.addIssue("must be an amount in US dollars above 0, of at most nine decimals");
    }
    return amount;
  },
);

export function showUsd(amount: NanoUsd): number {
  return Number(writeUsd(amount));
}

export function showUsdOrNull(amount: NanoUsd | null): number | null {
  return amount === null ? null : showUsd(amount);
}

/** What is added; below zero it is taken away. */
export const USD_CHANGE = amountFrom(
  -MAX_USD,
  "US dollars, at most nine decimals; a negative amount is subtracted.",
).transform((written, context): NanoUsd => {
  const isNegative = written.startsWith("-");
  const amount = parseUsd(isNegative ? written.slice(1) : written) ?? nanoUsd(0);
  if (amount === 0)
    context.addIssue("must be an amount in US dollars other than 0, of at most nine decimals");
  return isNegative ? nanoUsd(-amount) : amount;
});

function amountFrom(min: number, description: string) {
  const text = z.string().min(1).max(24);
  return z
    .union([z.number().min(min).max(MAX_USD), text])
    .meta({ description })
    .transform(String);
}

export function showUsdChange(amount: NanoUsd): number {
  return amount < 0 ? -showUsd(nanoUsd(-amount)) : showUsd(amount);
}
