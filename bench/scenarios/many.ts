import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";

import { processTree } from "../proc.ts";
import { runLoad } from "../run-load.ts";
import type { BenchSite, Sample, Scenario } from "../scenario.ts";
import type { Target } from "../targets/target.ts";
import { watchMemory } from "../watch-memory.ts";
import { planFor, scenarioOf, type CrowdScenario } from "./crowd.ts";

/** Thousands of streams at once: memory, and whether each ends well and is settled by then. */
export function many(options: CrowdScenario): Scenario {
  return scenarioOf(options, measure);
}

async function measure(
  options: CrowdScenario,
  target: Target,
  site: BenchSite,
  isFirst: boolean,
): Promise<Sample> {
  const pids = processTree(target.pid);
  const most = options.measured.callers;
  return await runLoad(planFor(options, target, isFirst), site, () => {
    const peak = watchMemory(pids);
    const before = settledCalls(target);
    return ({ completed, failed, failures, openAtOnce, firstByteMs }) => {
      const after = settledCalls(target);
      const late = before === undefined || after === undefined ? NaN : completed - (after - before);
      const figures = {
        peakMb: peak() / 1e6,
        // A stream that was refused or cut counts, and one that never began.
        failed: failed + Math.max(0, most - completed - failed),
        late: Math.max(0, late),
        openAtOnce,
        firstByteP99: firstByteMs.p99,
        completed,
      };
      return { figures, failures };
    };
  });
}

/** Completed calls in the journal of a gateway that keeps one in SQLite. */
function settledCalls({ databasePath }: Target): number | undefined {
  if (databasePath === undefined || !existsSync(databasePath)) return undefined;
  using database = new Database(databasePath, { readonly: true });
  const row = database
    .query<{ count: number }, []>("select count(*) as count from calls where outcome = 'completed'")
    .get();
  return row?.count;
}
