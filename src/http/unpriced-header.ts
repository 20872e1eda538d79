import type { UnpricedPart } from "#relay/routing/unpriced.ts";

/**
 * `true` on every answer of a model without a known price: the call costs
 * nothing. `service_tier`: only the requested tier has no price, and the call
 * costs the price of the usual tier.
 */
export function unpricedHeader(what: UnpricedPart) {
  return { "sluice-unpriced": what === "model" ? "true" : what } as const;
}
