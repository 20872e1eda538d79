import type { Crowd, LoadPlan } from "../load.ts";
import type { Ask } from "../payload.ts";
import { openCpuMeter, processTree } from "../proc.ts";
import { runLoad } from "../run-load.ts";
import type { BenchSite, Figure, Sample, Scenario } from "../scenario.ts";
import type { TallyResult } from "../tally.ts";
import type { Target, TargetId } from "../targets/target.ts";
import { watchMemory } from "../watch-memory.ts";

/** Callers that ask without pause, or hold one stream each. */
export interface CrowdScenario extends Omit<Scenario, "measure" | "includes"> {
  readonly kind: Ask["kind"];
  /** Sluice is asked in another style than the upstream's; nginx passes on what it gets. */
  readonly isTranslated?: boolean;
  readonly leavesOut?: readonly TargetId[];
  readonly warmup: Crowd;
  /** In the first round, when a runtime has yet to compile what it runs. */
  readonly firstWarmupMs: number;
  readonly measured: Crowd;
}

export const CPU: Figure = { id: "cpuMicros", title: "CPU µs per call", beside: "ratio" };
export const DATABASE_CPU: Figure = {
  id: "databaseMicros",
  title: "CPU µs per call of the database server",
};
export const PER_SECOND: Figure = { id: "perSecond", title: "calls per second" };
export const PEAK_MB: Figure = { id: "peakMb", title: "peak memory MB" };
export const FAILED: Figure = { id: "failed", title: "failed" };

export function crowd(options: CrowdScenario): Scenario {
  return scenarioOf(options, measure);
}

type Measure = (
  options: CrowdScenario,
  target: Target,
  site: BenchSite,
  isFirst: boolean,
) => Promise<Sample>;

/** A scenario that measures a load of its own. */
export function scenarioOf(options: CrowdScenario, measure: Measure): Scenario {
  const { leavesOut = [] } = options;
  return {
    ...options,
    includes: (id) => !leavesOut.includes(id),
    measure: (target, site, isFirst) => measure(options, target, site, isFirst),
  };
}

/** The plan for one target; Sluice alone understands another style. */
export function planFor(
  { kind, warmup, firstWarmupMs, measured, isTranslated }: CrowdScenario,
  target: Target,
  isFirst: boolean,
): LoadPlan {
  const { port, headers } = target;
  return {
    port,
    headers,
    kind,
    speech: isTranslated === true && target.speaksMessages ? "messages" : "chat",
    warmup: isFirst ? { ...warmup, durationMs: firstWarmupMs } : warmup,
    measured,
  };
}

async function measure(
  options: CrowdScenario,
  target: Target,
  site: BenchSite,
  isFirst: boolean,
): Promise<Sample> {
  const pids = processTree(target.pid);
  return await runLoad(planFor(options, target, isFirst), site, (loadPid) => {
    const peak = watchMemory(pids);
    const databasePids = target.databasePid === undefined ? [] : processTree(target.databasePid);
    const cpus = [pids, databasePids, [loadPid], [site.upstreamPid]].map(openCpuMeter);
    return (result) => ({
      figures: figuresOf(result, cpus, peak()),
      failures: result.failures,
    });
  });
}

function figuresOf(
  result: TallyResult,
  cpus: readonly (() => number)[],
  peakBytes: number,
): Record<string, number> {
  const [cpuMicros = NaN, databaseMicros = NaN, loadMicros = NaN, upstreamMicros = NaN] = cpus.map(
    (usedMs) => (usedMs() * 1000) / result.completed,
  );
  return {
    cpuMicros,
    ...(databaseMicros === 0 ? {} : { databaseMicros }),
    loadMicros,
    upstreamMicros,
    perSecond: (result.completed * 1000) / result.elapsedMs,
    peakMb: peakBytes / 1e6,
    completed: result.completed,
    failed: result.failed,
    openAtOnce: result.openAtOnce,
    firstByteP50: result.firstByteMs.p50,
    firstByteP99: result.firstByteMs.p99,
    totalP50: result.totalMs.p50,
    totalP99: result.totalMs.p99,
  };
}
