import { startChild } from "../child.ts";
import { runLoad } from "../run-load.ts";
import type { BenchSite, Sample, Scenario } from "../scenario.ts";
import type { Target } from "../targets/target.ts";
import { planFor, scenarioOf, type CrowdScenario } from "./crowd.ts";

/**
 * How long others wait beside a steady load: a process asks for a path that
 * costs nothing, again and again.
 */
export function pause(options: CrowdScenario): Scenario {
  return scenarioOf(options, measure);
}

const ANSWER_MS = 20_000;

async function measure(
  options: CrowdScenario,
  target: Target,
  site: BenchSite,
  isFirst: boolean,
): Promise<Sample> {
  await using probe = startChild({
    name: "probe",
    folder: site.folder,
    command: [
      process.execPath,
      `${site.root}/bench/probe.ts`,
      String(target.port),
      target.freePath,
    ],
    lines: true,
  });
  return await runLoad(planFor(options, target, isFirst), site, () => {
    probe.send("begin");
    return async ({ completed, elapsedMs, totalMs, failures }) => {
      probe.send("end");
      const waits: { p50: number; p99: number; p999: number } = JSON.parse(
        await probe.readLine(ANSWER_MS),
      );
      const figures = {
        perSecond: (completed * 1000) / elapsedMs,
        callP50: totalMs.p50,
        callP99: totalMs.p99,
        waitP50: waits.p50,
        waitP99: waits.p99,
        waitP999: waits.p999,
      };
      return { figures, failures };
    };
  });
}
