import { measure, type BenchSite, type Sample } from "./measure.ts";
import type { Scenario } from "./scenarios.ts";
import type { Target } from "./targets/target.ts";

/** What one scenario gave for one target: a sample for each round. */
export interface Series {
  readonly scenario: Scenario;
  readonly target: Pick<Target, "id" | "title">;
  readonly samples: readonly Sample[];
}

/**
 * Rounds are interleaved (A B C, A B C, ...), so that whatever else the machine
 * does meanwhile falls on all targets alike.
 */
export async function runRounds(
  scenarios: readonly Scenario[],
  targets: readonly Target[],
  site: BenchSite,
  progress: (line: string) => void,
): Promise<Series[]> {
  const series: Series[] = [];
  for (const scenario of scenarios) {
    const rows = targets
      .filter(({ id }) => !scenario.leavesOut.includes(id))
      .map((target) => ({ scenario, target, samples: new Array<Sample>() }));
    const warmup = { ...scenario.warmup, durationMs: scenario.firstWarmupMs };
    for (let round = 1; round <= scenario.rounds; round++) {
      for (const { target, samples } of rows) {
        // One that answers nothing would only be waited for again.
        if (samples.at(-1)?.completed === 0) continue;
        progress(`${scenario.id} ${round}/${scenario.rounds} ${target.title}`);
        samples.push(await measure(round === 1 ? { ...scenario, warmup } : scenario, target, site));
      }
    }
    series.push(...rows);
  }
  return series;
}
