import type { PicoUsdPerToken } from "#core/money.ts";

/** A dollar per million tokens is this many pico-dollars per token, hence six decimals and no more. */
const PICO_PER_USD_PER_MILLION = 1_000_000;
const DECIMALS = 6;

const DECIMAL = /^(0|[1-9]\d{0,5})(?:\.(\d+))?$/;

/**
 * Reads a price as vendors print it, "0.075" dollars per million tokens, into
 * whole pico-dollars per token. The text never becomes a fraction on the way.
 */
export function parseUsdPerMillion(text: string): PicoUsdPerToken {
  const match = DECIMAL.exec(text);
  if (match === null) {
    throw new RangeError(`"${text}" is not a price: write plain decimal digits, such as "0.075".`);
  }
  const [, whole = "", fraction = ""] = match;
  if (fraction.length > DECIMALS) {
    throw new RangeError(`"${text}" has more than ${DECIMALS} decimals, finer than money is kept.`);
  }
  return Number(whole) * PICO_PER_USD_PER_MILLION + Number(fraction.padEnd(DECIMALS, "0"));
}
