import type { UnpricedPart } from "#relay/routing/unpriced.ts";

/**
 * `true` on every response of a model without a price: the call is free because
 * the price is unknown. `service_tier`: only the requested tier has no price,
 * and the call costs the price of the usual tier.
 */
export function unpricedHeader(what: UnpricedPart) {
  return { "sluice-unpriced": what === "model" ? "true" : what } as const;
}
