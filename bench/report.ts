import { availableParallelism, cpus, release } from "node:os";

import type { Series } from "./rounds.ts";
import type { Figure, Scenario } from "./scenario.ts";
import { formatNumber, formatSpread, spread, type Spread } from "./spread.ts";
import { formatTable } from "./table.ts";
import { TARGET_IDS } from "./targets/index.ts";

export interface Report {
  readonly text: string;
  readonly json: object;
  /** Sluice failed requests; a bound that is missed breaks nothing. */
  readonly isBroken: boolean;
}

const YARDSTICK = "nginx";
/** The target whose figures have bounds. */
const JUDGED = "sluice";

/** One table: a row for each figure, a column for each target. */
export function buildReport(series: readonly Series[], notes: readonly string[]): Report {
  const machine = {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    kernel: release(),
    bun: Bun.version,
  };
  const all = [...notes, ...failuresOf(series)];
  const rows = rowsOf(series);
  const targets = targetsOf(series);
  const head = ["", ...targets.map(({ title }) => title), "must be"];
  return {
    text: [
      `\n${machine.cores} cores of ${machine.cpu}, Linux ${machine.kernel}, Bun ${machine.bun}. ` +
        "Median of the rounds (lowest-highest).\n",
      formatTable(
        head,
        rows.map(({ title, cells, bound }) => [
          title,
          ...targets.map(({ id }) => cellOf(cells.get(id))),
          bound,
        ]),
      ),
      all.map((note) => `! ${note}\n`).join(""),
    ].join("\n"),
    json: {
      machine,
      rows: rows.map(({ title, cells, bound }) => ({
        title,
        bound,
        targets: Object.fromEntries(cells),
      })),
      series: series.map(({ scenario, target, samples }) => ({
        scenario: scenario.id,
        target: target.id,
        title: target.title,
        rounds: samples,
      })),
      notes: all,
    },
    isBroken: series.some(
      ({ target, samples }) =>
        target.id === JUDGED &&
        samples.some(
          ({ figures, failures }) => figures["completed"] === 0 || Object.keys(failures).length > 0,
        ),
    ),
  };
}

interface Row {
  readonly title: string;
  /** By the id of the target; a scenario's heading has none. */
  readonly cells: ReadonlyMap<string, Spread | undefined>;
  readonly bound: string;
}

function rowsOf(series: readonly Series[]): Row[] {
  const all = [...new Set(series.map(({ scenario }) => scenario))];
  return all.flatMap((scenario) => [
    { title: headingOf(scenario), cells: new Map(), bound: "" },
    ...scenario.figures.flatMap((figure) => rowsOfFigure(scenario, figure, series)),
  ]);
}

function headingOf({ title, rounds }: Scenario): string {
  return `${title}; ${rounds === 1 ? "1 round" : `${rounds} rounds`}`;
}

function rowsOfFigure(scenario: Scenario, figure: Figure, series: readonly Series[]): Row[] {
  const own = series.filter((each) => each.scenario === scenario);
  const yardstick = own.find(({ target }) => target.id === YARDSTICK);
  const bound = boundOf(figure);
  const absolute = {
    title: `  ${figure.title}`,
    cells: new Map(own.map((each) => [each.target.id, spread(valuesOf(each, figure))])),
    bound: figure.beside === undefined ? bound : "",
  };
  // A database's time, of targets without one.
  if ([...absolute.cells.values()].every((each) => each === undefined)) return [];
  if (figure.beside === undefined) return [absolute];
  const { beside } = figure;
  const title = beside === "ratio" ? "    times nginx" : "    minus nginx";
  const others = own.filter((each) => each !== yardstick);
  const cells = new Map(
    others.map((each) => [each.target.id, relation(beside, each, yardstick, figure)]),
  );
  return [absolute, { title, cells, bound }];
}

/** Round by round, since both had the same minute of the machine. */
function relation(
  beside: "ratio" | "difference",
  over: Series,
  under: Series | undefined,
  figure: Figure,
): Spread | undefined {
  if (under === undefined) return undefined;
  const below = valuesOf(under, figure);
  return spread(
    valuesOf(over, figure).map((value, round) => {
      const other = below[round] ?? NaN;
      return beside === "ratio" ? value / other : value - other;
    }),
  );
}

function valuesOf({ samples }: Series, { id }: Figure): number[] {
  return samples.map(({ figures }) => figures[id] ?? NaN);
}

function boundOf({ atMost, atLeast }: Figure): string {
  if (atMost !== undefined) return `<= ${formatNumber(atMost)}`;
  return atLeast === undefined ? "" : `>= ${formatNumber(atLeast)}`;
}

function cellOf(figure: Spread | undefined): string {
  return figure === undefined ? "" : formatSpread(figure);
}

function targetsOf(series: readonly Series[]): Series["target"][] {
  const targets = new Map(series.map(({ target }) => [target.id, target]));
  const order = ({ id }: Series["target"]): number => TARGET_IDS.indexOf(id);
  return [...targets.values()].toSorted((a, b) => order(a) - order(b));
}

/** Failures of all rounds, most frequent kinds as the callers saw them. */
function failuresOf(series: readonly Series[]): string[] {
  return series.flatMap(({ scenario, target, samples }) =>
    samples.flatMap((sample, round) =>
      Object.entries(sample.failures).map(
        ([flaw, count]) => `${target.title}, ${scenario.id} round ${round + 1}: ${count}x ${flaw}`,
      ),
    ),
  );
}
