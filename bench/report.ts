import { availableParallelism, cpus, release } from "node:os";

import { checks, ratio, type Check } from "./checks.ts";
import type { Sample } from "./measure.ts";
import type { Series } from "./rounds.ts";
import type { Scenario } from "./scenarios.ts";
import { formatNumber, formatSpread, spread } from "./spread.ts";
import { formatTable } from "./table.ts";
import type { TargetId } from "./targets/target.ts";

export interface Report {
  readonly text: string;
  readonly json: object;
  /** Sluice failed requests; a target that is missed breaks nothing. */
  readonly isBroken: boolean;
}

const YARDSTICKS: readonly TargetId[] = ["nginx", "portkey"];

export function buildReport(series: readonly Series[], notes: readonly string[]): Report {
  const machine = {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    kernel: release(),
    bun: Bun.version,
  };
  const judged = checks(series);
  const scenarios = [...new Set(series.map((each) => each.scenario))];
  const sections = [
    `${machine.cores} cores of ${machine.cpu}, Linux ${machine.kernel}. ` +
      "Figures are the median of the rounds (lowest-highest).\n",
    ...scenarios.map((scenario) => absolute(scenario, series)),
    ratios(scenarios, series),
    verdicts(judged),
    [...notes, ...failures(series)].map((note) => `! ${note}\n`).join(""),
  ];
  return {
    text: `\n${sections.filter((section) => section !== "").join("\n")}`,
    json: { machine, series: series.map(seriesJson), checks: judged, notes },
    isBroken: series.some(
      ({ target, samples }) =>
        target.id === "sluice" &&
        samples.some(({ failed, completed }) => failed > 0 || completed === 0),
    ),
  };
}

interface Column {
  readonly head: string;
  readonly of: (sample: Sample) => number;
  /** The scenarios that have something to say about it; all, when left out. */
  readonly when?: (scenario: Scenario) => boolean;
}

const isStream = (scenario: Scenario): boolean => scenario.kind === "stream";
const isCrowd = (scenario: Scenario): boolean => scenario.measured.durationMs === 0;

/** Shown with their spread. */
const FIGURES: readonly Column[] = [
  { head: "CPU us/request", of: (sample) => sample.cpuMicrosPerRequest },
  { head: "requests/s", of: (sample) => sample.requestsPerSecond, when: (it) => !isCrowd(it) },
  { head: "peak RSS MB", of: (sample) => sample.rssPeakBytes / 1e6 },
];

/** Shown as medians, beside them. */
const DETAILS: readonly Column[] = [
  { head: "RSS after", of: (sample) => sample.rssAfterBytes / 1e6, when: isCrowd },
  { head: "first byte ms p50", of: (sample) => sample.firstByteMs.p50, when: isStream },
  { head: "p99", of: (sample) => sample.firstByteMs.p99, when: isStream },
  { head: "total ms p50", of: (sample) => sample.totalMs.p50 },
  { head: "p99", of: (sample) => sample.totalMs.p99 },
  { head: "open at once", of: (sample) => sample.openAtOnce, when: isCrowd },
  { head: "failed", of: (sample) => sample.failed },
  { head: "load us", of: (sample) => sample.loadCpuMicrosPerRequest },
  { head: "upstream us", of: (sample) => sample.upstreamCpuMicrosPerRequest },
];

function absolute(scenario: Scenario, series: readonly Series[]): string {
  const isShown = ({ when }: Column): boolean => when?.(scenario) ?? true;
  const figures = FIGURES.filter(isShown);
  const details = DETAILS.filter(isShown);
  const rows = series
    .filter((each) => each.scenario === scenario)
    .map(({ target, samples }) => [
      target.title,
      ...figures.map((column) => formatSpread(spread(samples.map(column.of)))),
      ...details.map((column) => formatNumber(spread(samples.map(column.of))?.median ?? NaN)),
    ]);
  const rounds = scenario.rounds === 1 ? "1 round" : `${scenario.rounds} rounds`;
  const head = [
    `${scenario.title}, ${rounds}`,
    ...[...figures, ...details].map(({ head }) => head),
  ];
  return formatTable(head, rows);
}

/** Everyone's figures over each yardstick's. */
function ratios(scenarios: readonly Scenario[], series: readonly Series[]): string {
  const yardsticks = YARDSTICKS.filter((id) => series.some(({ target }) => target.id === id));
  if (yardsticks.length === 0) return "";
  const rows = scenarios.flatMap((scenario) =>
    series
      .filter((each) => each.scenario === scenario)
      .map(({ target }) => [
        `${scenario.id} ${target.title}`,
        ...yardsticks.flatMap((yardstick) =>
          FIGURES.map(({ of, when }) => {
            if (yardstick === target.id || when?.(scenario) === false) return "";
            return formatSpread(ratio(series, scenario.id, target.id, yardstick, of), "x");
          }),
        ),
      ]),
  );
  const columns = ["CPU", "requests/s", "peak RSS"];
  const head = yardsticks.flatMap((id) => columns.map((column) => `${column} / ${id}`));
  return formatTable(["ratios", ...head], rows);
}

function verdicts(judged: readonly Check[]): string {
  if (judged.length === 0) return "";
  const rows = judged.map(({ figure, measured, unit, bound, verdict }) => [
    figure,
    formatSpread(measured, unit),
    bound,
    verdict,
  ]);
  return formatTable(["targets", "measured", "target", ""], rows);
}

/** Failures of all rounds, most frequent kinds as the callers saw them. */
function failures(series: readonly Series[]): string[] {
  return series.flatMap(({ scenario, target, samples }) =>
    samples.flatMap((sample, round) =>
      Object.entries(sample.failures).map(
        ([flaw, count]) => `${target.title}, ${scenario.id} round ${round + 1}: ${count}x ${flaw}`,
      ),
    ),
  );
}

function seriesJson({ scenario, target, samples }: Series): object {
  return { scenario: scenario.id, target: target.id, title: target.title, rounds: samples };
}
