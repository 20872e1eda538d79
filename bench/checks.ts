import type { Sample } from "./measure.ts";
import type { Series } from "./rounds.ts";
import { MANY_STREAMS, type ScenarioId } from "./scenarios.ts";
import { spread, type Spread } from "./spread.ts";
import type { TargetId } from "./targets/target.ts";

/** A figure of Sluice with what it ought to be. */
export interface Check {
  readonly figure: string;
  readonly measured: Spread;
  readonly unit: string;
  readonly bound: string;
  readonly verdict: "pass" | "miss";
}

const cpu = (sample: Sample): number => sample.cpuMicrosPerRequest;
const rssMb = (sample: Sample): number => sample.rssPeakBytes / 1e6;

/** What Sluice aims at, judged by the median; a figure that was not measured is left out. */
export function checks(series: readonly Series[]): Check[] {
  const many = pick(series, "many", "sluice");
  return [
    atMost("unary CPU, Sluice / nginx", ratio(series, "unary", "sluice", "nginx", cpu), 4, "x"),
    atMost("stream CPU, Sluice / nginx", ratio(series, "stream", "sluice", "nginx", cpu), 1.8, "x"),
    atMost(
      "translated stream CPU, Sluice / nginx",
      ratio(series, "translated", "sluice", "nginx", cpu),
      3,
      "x",
    ),
    atLeast(
      "unary CPU, Portkey / Sluice",
      ratio(series, "unary", "portkey", "sluice", cpu),
      15,
      "x",
    ),
    atMost(`peak RSS at ${MANY_STREAMS} streams`, spread(many.map(rssMb)), 200, " MB"),
    atLeast("streams open at once", spread(many.map((each) => each.openAtOnce)), MANY_STREAMS, ""),
    atLeast("streams complete", spread(many.map((each) => each.completed)), MANY_STREAMS, ""),
  ].filter((check) => check !== undefined);
}

/** One target's figure over another's, round by round, since both had the same minute of the machine. */
export function ratio(
  series: readonly Series[],
  scenario: ScenarioId,
  over: TargetId,
  under: TargetId,
  figure: (sample: Sample) => number,
): Spread | undefined {
  const below = pick(series, scenario, under);
  return spread(
    pick(series, scenario, over).map((sample, round) => {
      const other = below[round];
      return other === undefined ? NaN : figure(sample) / figure(other);
    }),
  );
}

function pick(series: readonly Series[], scenario: ScenarioId, id: TargetId): readonly Sample[] {
  return (
    series.find((each) => each.scenario.id === scenario && each.target.id === id)?.samples ?? []
  );
}

function atMost(
  figure: string,
  measured: Spread | undefined,
  bound: number,
  unit: string,
): Check | undefined {
  if (measured === undefined) return undefined;
  const verdict = measured.median <= bound ? "pass" : "miss";
  return { figure, measured, unit, bound: `<= ${bound}${unit}`, verdict };
}

function atLeast(
  figure: string,
  measured: Spread | undefined,
  bound: number,
  unit: string,
): Check | undefined {
  if (measured === undefined) return undefined;
  const verdict = measured.median >= bound ? "pass" : "miss";
  return { figure, measured, unit, bound: `>= ${bound}${unit}`, verdict };
}
