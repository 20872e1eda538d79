import { startChild } from "../child.ts";
import type { Crowd, LoadPlan } from "../load.ts";
import { runLoad } from "../run-load.ts";
import type { BenchSite, Figure, Sample, Scenario } from "../scenario.ts";
import type { TallyResult } from "../tally.ts";
import type { Refusal, Target } from "../targets/target.ts";

const CALLERS = 200;
const WAIT_MS = 60_000;

interface RefusedOptions extends Pick<Scenario, "id" | "title" | "rounds"> {
  /** Before the first round: the same callers without pause. */
  readonly firstWarmupMs: number;
  /** The other callers, alone and beside the refused ones. */
  readonly others: Crowd;
  readonly refusals: readonly Refusal["status"][];
}

/** How long ten callers wait beside two hundred who are refused and ask again at once. */
export function refused(options: RefusedOptions): Scenario {
  const { refusals } = options;
  const figures = [undefined, ...refusals].flatMap((status): Figure[] =>
    status === undefined
      ? [{ id: "p99alone", title: "p99 ms alone" }]
      : [
          { id: `p99of${status}`, title: `p99 ms beside ${status}`, atMost: 25 },
          { id: `perSecond${status}`, title: `refusals per second` },
        ],
  );
  return {
    ...options,
    variant: { refuses: true },
    figures,
    includes: (id) => id === "sluice" || id === "sluice-pg",
    measure: (target, site, isFirst) => measure(options, target, site, isFirst),
  };
}

async function measure(
  { others, refusals, firstWarmupMs }: RefusedOptions,
  target: Target,
  site: BenchSite,
  isFirst: boolean,
): Promise<Sample> {
  const { perSecond: _, ...unpaced } = others;
  if (isFirst) await measureOthers({ ...unpaced, durationMs: firstWarmupMs }, target, site);
  const alone = await measureOthers(others, target, site);
  const figures: Record<string, number> = { p99alone: alone.totalMs.p99 };
  const failures = { ...alone.failures };
  for (const status of refusals) {
    const refusal = target.refusals?.find((each) => each.status === status);
    if (refusal === undefined) continue;
    await using crowd = startChild({
      name: `refused-${status}`,
      folder: site.folder,
      command: [
        process.execPath,
        `${site.root}/bench/load.ts`,
        JSON.stringify(crowdOf(refusal, target, others)),
      ],
      lines: true,
    });
    await crowd.readLine(WAIT_MS);
    crowd.send("go");
    const beside = await measureOthers(others, target, site);
    const result: TallyResult = JSON.parse(await crowd.readLine(WAIT_MS));
    figures[`p99of${status}`] = beside.totalMs.p99;
    figures[`perSecond${status}`] = (result.completed * 1000) / result.elapsedMs;
    Object.assign(failures, beside.failures, result.failures);
  }
  return { figures, failures };
}

function measureOthers(others: Crowd, target: Target, site: BenchSite): Promise<TallyResult> {
  const plan: LoadPlan = {
    port: target.port,
    headers: target.headers,
    speech: "chat",
    kind: "unary",
    warmup: { ...others, durationMs: 300 },
    measured: others,
  };
  return runLoad(plan, site, () => (result) => result);
}

function crowdOf({ status, headers, model }: Refusal, target: Target, others: Crowd): LoadPlan {
  const { perSecond: _, ...pace } = others;
  const crowd = { ...pace, callers: CALLERS };
  return {
    port: target.port,
    headers: headers ?? target.headers,
    speech: "chat",
    kind: "unary",
    ...(model === undefined ? {} : { model }),
    refusedWith: status,
    warmup: { ...crowd, durationMs: 500 },
    // Longer than the others, who start and end within that time.
    measured: { ...crowd, durationMs: others.durationMs + 2_500 },
  };
}
