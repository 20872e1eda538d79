/** On every answer of a model without a price: the call costs nothing because nobody knows its price. */
export const UNPRICED = { "sluice-unpriced": "true" } as const;
