import type { Field } from "../field.ts";

/** One question about a gateway, and how it is asked. */
export interface Experiment {
  readonly id: string;
  readonly title: string;
  /** What holds for a gateway that passes, in one sentence. */
  readonly rule: string;
  run(field: Field): Promise<Finding>;
}

/** What was measured; figures are shown in their order. */
export interface Finding {
  readonly holds: boolean;
  readonly figures: Readonly<Record<string, number | string>>;
  /** What the figures mean, in one sentence. */
  readonly sentence: string;
}

/** A number of calls, scaled, and at least so many that the rule can fail. */
export function scaled(field: Field, full: number, least: number): number {
  return Math.max(least, Math.round(full * field.scale));
}

export const usd = (amount: number): string => `$${amount.toFixed(6)}`;
export const percent = (part: number, total: number): string =>
  total === 0 ? "0 %" : `${((100 * part) / total).toFixed(1)} %`;
