/** On every response of a model without a price: the call is free because the price is unknown. */
export const UNPRICED = { "sluice-unpriced": "true" } as const;
