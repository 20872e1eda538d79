import type { UnpricedPart } from "#relay/unpriced.ts";

/**
 * `true` on every answer of a model without a price: the call costs nothing
 * because nobody knows its price. `service_tier`: only the tier has none, and
 * the call costs what it does in the usual one.
 */
export function unpricedHeader(what: UnpricedPart) {
  return { "sluice-unpriced": what === "model" ? "true" : what } as const;
}
