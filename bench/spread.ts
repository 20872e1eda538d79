/** Several rounds of one figure. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Undefined without a single round that gave the figure. */
export function spread(values: readonly number[]): Spread | undefined {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b);
  const [low] = sorted;
  const high = sorted.at(-1);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (low === undefined || high === undefined) return undefined;
  if (upper === undefined || lower === undefined) return undefined;
  return { median: (lower + upper) / 2, low, high };
}

/** As in `31.4 (30.9-33.0)`; a single round has no spread. */
export function formatSpread(figure: Spread | undefined, unit = ""): string {
  if (figure === undefined) return "-";
  const { median, low, high } = figure;
  const range = low === high ? "" : ` (${formatNumber(low)}-${formatNumber(high)})`;
  return `${formatNumber(median)}${unit}${range}`;
}

/** Three digits that mean something, and no exponent. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (Number.isInteger(value)) return String(value);
  const decimals = 2 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(Math.max(decimals, 0), 3));
}
