import type { Experiment, Finding } from "./experiments/experiment.ts";

export interface Line {
  readonly experiment: Experiment;
  readonly finding: Finding;
}

/** One experiment as text: verdict, what was found, and its figures. */
export function lineOf({ experiment, finding }: Line): string {
  const figures = Object.entries(finding.figures).map(([name, value]) => `${name} ${value}`);
  return [
    `${finding.holds ? "holds" : "FAILS"}  ${experiment.title}`,
    `       ${finding.sentence}`,
    ...(finding.holds ? [] : [`       Rule: ${experiment.rule}`]),
    ...(figures.length === 0 ? [] : [`       (${figures.join(", ")})`]),
  ].join("\n");
}

/** The last line of the output; `isWhole`: every experiment was run. */
export function summaryOf(title: string, lines: readonly Line[], isWhole: boolean): string {
  const failed = lines.filter(({ finding }) => !finding.holds);
  if (failed.length === 0) {
    const meaning = isWhole ? " Nothing was lost, doubled, overspent or shown as complete." : "";
    return `${title}: all ${lines.length} rules hold.${meaning}`;
  }
  const names = failed.map(({ experiment }) => experiment.id).join(", ");
  return `${title}: ${lines.length - failed.length} of ${lines.length} rules hold. Not: ${names}.`;
}

/** All figures, for other programs. */
export function jsonOf(gateway: string, lines: readonly Line[]): string {
  const experiments = lines.map(({ experiment: { id, title, rule }, finding }) => ({
    id,
    title,
    rule,
    ...finding,
  }));
  return `${JSON.stringify({ gateway, experiments }, null, 2)}\n`;
}
