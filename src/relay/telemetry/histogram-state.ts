import type { Attributes, MetricState } from "#core/telemetry.ts";
import type { Histogram } from "#lib/histogram.ts";

/** Bounds of times in OpenTelemetry's conventions for generative AI. */
export const SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/** The state of a metric with one histogram for each set of attributes. */
export function histogramState<T extends { readonly attributes: Attributes }>(
  name: string,
  unit: string,
  description: string,
  all: readonly T[],
  of: (each: T) => Histogram,
): MetricState {
  return {
    name,
    unit,
    description,
    points: all.map((each) => {
      const { bounds, counts, sum, count } = of(each);
      return { attributes: each.attributes, value: { bounds, counts: [...counts], sum, count } };
    }),
  };
}
