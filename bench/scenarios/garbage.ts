import { followGcLog } from "../gc-log.ts";
import { runLoad } from "../run-load.ts";
import type { BenchSite, Figure, Sample, Scenario } from "../scenario.ts";
import type { Target } from "../targets/target.ts";
import { planFor, scenarioOf, type CrowdScenario } from "./crowd.ts";

export const GARBAGE_KB: Figure = { id: "garbageKb", title: "garbage KB per call", atMost: 12 };

/** What calls leave behind for the collector, by the runtime's own log; for programs on Bun only. */
export function garbage(options: CrowdScenario): Scenario {
  return scenarioOf({ ...options, leavesOut: ["nginx", "portkey", "litellm"] }, measure);
}

async function measure(
  options: CrowdScenario,
  target: Target,
  site: BenchSite,
  isFirst: boolean,
): Promise<Sample> {
  return await runLoad(planFor(options, target, isFirst), site, () => {
    const collected = followGcLog(target.logPath);
    return ({ completed, failures }) => {
      const { bytes, mainBytes, count, pausesMs } = collected();
      const figures = {
        garbageKb: bytes / 1024 / completed,
        mainGarbageKb: mainBytes / 1024 / completed,
        collectionsPer1000: (count * 1000) / completed,
        longestCollectionMs: Math.max(0, ...pausesMs),
      };
      return { figures, failures };
    };
  });
}
