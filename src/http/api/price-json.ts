import type { Price, Rates } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

/** Rates in US dollars for a million tokens. */
export function showPrice(price: Price): JsonObject {
  const { source, date, tiers = [] } = price;
  return {
    ...showRates(price),
    ...(tiers.length === 0
      ? {}
      : {
          tiers: tiers.map((tier) => ({
            above_input_tokens: tier.aboveInputTokens,
            ...showRates(tier),
          })),
        }),
    source,
    date,
  };
}

function showRates(rates: Rates): JsonObject {
  const perMillion = (rate: number | undefined): number | undefined =>
    rate === undefined ? undefined : rate / 1e6;
  return defined({
    input: perMillion(rates.input),
    output: perMillion(rates.output),
    cached_input: perMillion(rates.cachedInput),
    cache_write: perMillion(rates.cacheWrite),
    long_cache_write: perMillion(rates.longCacheWrite),
    audio_input: perMillion(rates.audioInput),
    audio_output: perMillion(rates.audioOutput),
  });
}
