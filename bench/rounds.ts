import { mkdirSync } from "node:fs";
import type { BenchSite, Sample, Scenario } from "./scenario.ts";
import { openTargets, type OpenTarget } from "./targets/index.ts";
import type { Target } from "./targets/target.ts";

/** What one scenario gave for one target: a sample for each round. */
export interface Series {
  readonly scenario: Scenario;
  readonly target: Pick<Target, "id" | "title">;
  readonly samples: readonly Sample[];
}

interface Measured {
  readonly series: readonly Series[];
  /** What is missing, each said once. */
  readonly notes: readonly string[];
  readonly isBroken: boolean;
}

/**
 * Measures each scenario on targets that were started for it. Rounds are
 * interleaved (A B C, A B C, ...), so that whatever else the machine does
 * meanwhile falls on all targets alike.
 */
export async function runRounds(
  scenarios: readonly Scenario[],
  ids: readonly string[],
  site: BenchSite,
  progress: (line: string) => void,
  known?: Readonly<Record<string, OpenTarget>>,
): Promise<Measured> {
  const series: Series[] = [];
  const notes = new Set<string>();
  let isBroken = false;
  for (const scenario of scenarios) {
    const folder = `${site.folder}/${scenario.id}`;
    mkdirSync(folder);
    const wanted = ids.filter((id) => scenario.includes(id));
    await using opened = await openTargets(wanted, { ...site, folder }, scenario.variant, known);
    for (const note of opened.notes) notes.add(note);
    isBroken ||= opened.isBroken;
    series.push(...(await runScenario(scenario, opened.targets, { ...site, folder }, progress)));
  }
  return { series, notes: [...notes], isBroken };
}

async function runScenario(
  scenario: Scenario,
  targets: readonly Target[],
  site: BenchSite,
  progress: (line: string) => void,
): Promise<Series[]> {
  const rows = targets.map((target) => ({ scenario, target, samples: new Array<Sample>() }));
  for (let round = 1; round <= scenario.rounds; round++) {
    for (const { target, samples } of rows) {
      // One that answers nothing would only be waited for again.
      if (samples.at(-1)?.figures["completed"] === 0) continue;
      progress(`${scenario.id} ${round}/${scenario.rounds} ${target.title}`);
      samples.push(await scenario.measure(target, site, round === 1));
    }
  }
  return rows;
}
