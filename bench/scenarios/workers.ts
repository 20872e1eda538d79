import { openCpuMeter, processTree } from "../proc.ts";
import { runLoad } from "../run-load.ts";
import type { BenchSite, Figure, Sample, Scenario } from "../scenario.ts";
import type { Target } from "../targets/target.ts";
import { planFor, type CrowdScenario } from "./crowd.ts";

export const TWO_PROCESSES = "sluice-pg-2";
const COMPARED = ["sluice-pg", TWO_PROCESSES];

/**
 * Callers, upstream and database share the machine's cores, so calls per second say little about
 * two processes. This figure takes their cost out: the calls per second at which the busiest
 * process of the gateway would fill a core of its own.
 */
export const PER_FULL_CORE: Figure = {
  id: "perFullCore",
  title: "calls per second once the busiest process fills its core",
};
export const SHARE: Figure = { id: "share", title: "share of the busiest process %" };

/** One process of the gateway beside two. */
export function workers(options: CrowdScenario): Scenario {
  return {
    ...options,
    includes: (id) => COMPARED.includes(id),
    measure: (target, site, isFirst) => measure(options, target, site, isFirst),
  };
}

async function measure(
  options: CrowdScenario,
  target: Target,
  site: BenchSite,
  isFirst: boolean,
): Promise<Sample> {
  return await runLoad(planFor(options, target, isFirst), site, () => {
    const meters = processTree(target.pid).map((pid) => openCpuMeter([pid]));
    const databasePids = target.databasePid === undefined ? [] : processTree(target.databasePid);
    const database = openCpuMeter(databasePids);
    return ({ completed, failed, elapsedMs, failures }) => {
      const usedMs = meters.map((read) => read());
      const allMs = usedMs.reduce((sum, each) => sum + each, 0);
      const busiestMs = Math.max(...usedMs);
      return {
        figures: {
          completed,
          failed,
          perSecond: (completed * 1000) / elapsedMs,
          perFullCore: (completed * 1000) / busiestMs,
          share: (100 * busiestMs) / allMs,
          cpuMicros: (allMs * 1000) / completed,
          databaseMicros: (database() * 1000) / completed,
        },
        failures,
      };
    };
  });
}
