import { startChild } from "./child.ts";
import type { LoadPlan } from "./load.ts";
import { openCpuMeter, processTree, rssBytes } from "./proc.ts";
import type { Scenario } from "./scenarios.ts";
import type { TallyResult } from "./tally.ts";
import type { Site, Target } from "./targets/target.ts";

/** One round of one scenario against one target. */
export interface Sample extends TallyResult {
  readonly requestsPerSecond: number;
  /** Of the target's processes, all threads; likewise the next two. */
  readonly cpuMicrosPerRequest: number;
  readonly loadCpuMicrosPerRequest: number;
  readonly upstreamCpuMicrosPerRequest: number;
  readonly rssPeakBytes: number;
  readonly rssAfterBytes: number;
}

export interface BenchSite extends Site {
  readonly upstreamPid: number;
}

const SAMPLE_EVERY_MS = 50;
/** Between warm-up and measurement: connections of the warm-up are closed meanwhile. */
const REST_MS = 100;

export async function measure(
  scenario: Scenario,
  target: Target,
  site: BenchSite,
): Promise<Sample> {
  const pids = processTree(target.pid);
  const measured = await runLoad(scenario, target, site, pids);
  await Bun.sleep(scenario.settleMs);
  return { ...measured, rssAfterBytes: rssBytes(pids) };
}

async function runLoad(
  scenario: Scenario,
  target: Target,
  site: BenchSite,
  pids: readonly number[],
): Promise<Omit<Sample, "rssAfterBytes">> {
  const { port, headers } = target;
  const { kind, warmup, measured } = scenario;
  const speech = scenario.translates && target.id === "sluice" ? "messages" : "chat";
  const plan: LoadPlan = { port, speech, headers, kind, warmup, measured };
  await using load = startChild({
    name: "load",
    folder: site.folder,
    command: [process.execPath, `${site.root}/bench/load.ts`, JSON.stringify(plan)],
    lines: true,
  });
  await load.readLine(2 * warmup.timeoutMs);
  await Bun.sleep(REST_MS);

  const stopWatch = watchMemory(pids);
  const meters = [pids, [load.pid], [site.upstreamPid]].map(openCpuMeter);
  load.send("go");
  const result: TallyResult = JSON.parse(await load.readLine(2 * measured.timeoutMs));
  const [cpu = NaN, loadCpu = NaN, upstreamCpu = NaN] = meters.map(
    (usedMs) => (usedMs() * 1000) / result.completed,
  );
  return {
    ...result,
    requestsPerSecond: (result.completed * 1000) / result.elapsedMs,
    cpuMicrosPerRequest: cpu,
    loadCpuMicrosPerRequest: loadCpu,
    upstreamCpuMicrosPerRequest: upstreamCpu,
    rssPeakBytes: stopWatch(),
  };
}

/** Sampled, since the kernel's own high-water mark covers the whole life of a process. */
function watchMemory(pids: readonly number[]): () => number {
  let peakBytes = 0;
  const look = (): void => void (peakBytes = Math.max(peakBytes, rssBytes(pids)));
  const timer = setInterval(look, SAMPLE_EVERY_MS);
  return () => {
    clearInterval(timer);
    look();
    return peakBytes;
  };
}
