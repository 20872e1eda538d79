import { processTree, rssBytes } from "../proc.ts";
import { runLoad } from "../run-load.ts";
import type { Sample, Scenario } from "../scenario.ts";
import { watchMemory } from "../watch-memory.ts";
import { planFor, type CrowdScenario } from "./crowd.ts";

const SETTLE_MS = 2_000;

/** What a process holds after one crowd and then another have been served. */
export function memory(
  base: Omit<Scenario, "measure" | "includes">,
  crowds: readonly CrowdScenario[],
): Scenario {
  return {
    ...base,
    includes: () => true,
    async measure(target, site, isFirst) {
      const pids = processTree(target.pid);
      const peak = watchMemory(pids);
      const failures: Record<string, number> = {};
      for (const crowd of crowds) {
        const result = await runLoad(planFor(crowd, target, isFirst), site, () => (each) => each);
        Object.assign(failures, result.failures);
      }
      await Bun.sleep(SETTLE_MS);
      const figures = { peakMb: peak() / 1e6, afterMb: rssBytes(pids) / 1e6 };
      return { figures, failures } satisfies Sample;
    },
  };
}
