import type { Report } from "../report.ts";
import type { Series } from "../rounds.ts";
import { formatNumber, spread, type Spread } from "../spread.ts";
import { formatTable } from "../table.ts";
import { RUNGS, type Rung } from "./rungs.ts";

const COLUMNS = [
  // Other work on the machine only adds to it, so the lowest round is the nearest.
  { scenario: "unary", figure: "cpuMicros", title: "CPU µs per call, lowest", pick: "low" },
  { scenario: "garbage", figure: "garbageKb", title: "garbage KB per call", pick: "median" },
] as const;

/** A row for each rung: what a call costs there, and how much more than on the rung it stands on. */
export function ladderReport(series: readonly Series[], notes: readonly string[]): Report {
  const measured = RUNGS.filter(({ id }) => series.some(({ target }) => target.id === id));
  const rows = measured.map((rung) => ({
    rung,
    figures: COLUMNS.map((column) => spread(valuesOf(rung.id, column, series))),
    steps: COLUMNS.map((column) => stepOf(rung, column, series)),
  }));
  const head = ["rung", ...COLUMNS.flatMap(({ title }) => [title, "step"]), "duty"];
  const table = formatTable(
    head,
    rows.map(({ rung, figures, steps }) => [
      rung.id,
      ...COLUMNS.flatMap((column, index) => [cellOf(figures[index], column), signed(steps[index])]),
      rung.duty,
    ]),
  );
  return {
    text: `\n${table}\n${notes.map((note) => `! ${note}\n`).join("")}`,
    json: {
      rungs: rows.map(({ rung: { id, duty, below }, figures, steps }) => ({
        id,
        duty,
        below,
        ...Object.fromEntries(COLUMNS.map(({ figure }, index) => [figure, figures[index]])),
        steps: Object.fromEntries(COLUMNS.map(({ figure }, index) => [figure, steps[index]])),
      })),
      notes,
    },
    isBroken: series.some(({ samples }) =>
      samples.some(({ failures }) => Object.keys(failures).length > 0),
    ),
  };
}

type Column = (typeof COLUMNS)[number];

function stepOf(
  { id, below }: Rung,
  column: Column,
  series: readonly Series[],
): number | undefined {
  if (below === undefined) return undefined;
  const own = spread(valuesOf(id, column, series));
  const under = spread(valuesOf(below, column, series));
  if (own === undefined || under === undefined) return undefined;
  return own[column.pick] - under[column.pick];
}

function valuesOf(id: string, { scenario, figure }: Column, series: readonly Series[]): number[] {
  const found = series.find((each) => each.scenario.id === scenario && each.target.id === id);
  return (found?.samples ?? []).map(({ figures }) => figures[figure] ?? NaN);
}

function cellOf(figure: Spread | undefined, { pick }: Column): string {
  if (figure === undefined) return "";
  const range =
    pick === "low" ? `(${formatNumber(figure.median)}-` : `(${formatNumber(figure.low)}-`;
  return `${formatNumber(figure[pick])} ${range}${formatNumber(figure.high)})`;
}

function signed(step: number | undefined): string {
  if (step === undefined) return "";
  return `${step >= 0 ? "+" : ""}${formatNumber(step)}`;
}
