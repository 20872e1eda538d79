import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";

import type { Options } from "../options.ts";
import { LADDER } from "../ladder/rungs.ts";
import { runLoad } from "../run-load.ts";
import type { BenchSite } from "../scenario.ts";
import { profiledCrowd } from "../scenarios/index.ts";
import { planFor, type CrowdScenario } from "../scenarios/crowd.ts";
import { formatTable } from "../table.ts";
import { openTargets, TARGETS } from "../targets/index.ts";
import type { Target, Variant } from "../targets/target.ts";
import { sharesOf, type Share, type Shares } from "./busiest.ts";

const MOST_ROWS = 40;
const WRITE_MS = 20_000;
/** No collection while allocations are counted. */
const UNCOLLECTED = {
  BUN_GC_TIMER_DISABLE: "1",
  BUN_JSC_gcMaxHeapSize: String(4 * 1024 ** 3),
};

/** Where the time of a call goes, or which objects it allocates, thread by thread. */
export async function profileCalls(options: Options, site: BenchSite): Promise<string> {
  const measures = options.mode === "allocations" ? "allocations" : "profile";
  const variant: Variant = {
    preload: `${site.root}/bench/profile/preload.ts`,
    env: {
      BENCH_FOLDER: site.folder,
      BENCH_MEASURES: measures,
      ...(measures === "allocations" ? UNCOLLECTED : {}),
    },
  };
  const crowd = profiledCrowd(options);
  // All of them means that none was named.
  const id = options.targets.length === 1 ? (options.targets[0] ?? "") : "sluice";
  mkdirSync(`${site.folder}/${id}`, { recursive: true });
  const place = { ...site, folder: `${site.folder}/${id}` };
  await using opened = await openTargets([id], place, variant, { ...LADDER, ...TARGETS });
  const [target] = opened.targets;
  if (target === undefined) throw new Error(opened.notes.join("\n"));
  const calls = await run(crowd, target, site);
  const files = await filesOf(measures, site.folder);
  return files
    .map(([thread, text]) =>
      measures === "profile"
        ? profileText(thread, sharesOf(JSON.parse(text), site.root), calls)
        : allocationText(thread, JSON.parse(text), calls),
    )
    .join("\n");
}

/** Measures one load after its warm-up, and returns how many calls it had. */
async function run(crowd: CrowdScenario, target: Target, site: BenchSite): Promise<number> {
  return await runLoad(planFor(crowd, target, true), site, () => {
    process.kill(target.pid, "SIGUSR2");
    return ({ completed }) => {
      process.kill(target.pid, "SIGUSR2");
      return completed;
    };
  });
}

/** The name of each thread, and what it wrote; the main thread comes first. */
async function filesOf(
  kind: string,
  folder: string,
): Promise<readonly (readonly [string, string])[]> {
  const until = performance.now() + WRITE_MS;
  while (!existsSync(`${folder}/${kind}-0.json`) && performance.now() < until) await Bun.sleep(100);
  // The other threads write at about the same time.
  await Bun.sleep(1_000);
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${kind}-`))
    .toSorted()
    .map((name) => {
      const number = /-(\d+)\.json$/.exec(name)?.[1] ?? "";
      const thread = number === "0" ? "main thread" : `worker ${number}`;
      return [thread, readFileSync(`${folder}/${name}`, "utf8")] as const;
    });
}

function profileText(thread: string, shares: Shares, calls: number): string {
  return [
    `${thread}: ${shares.samples} samples, ${calls} calls\n`,
    busiestText("self", shares, ({ self }) => self),
    busiestText("inclusive", shares, ({ inclusive }) => inclusive),
  ].join("\n");
}

function busiestText(title: string, shares: Shares, of: (share: Share) => number): string {
  const rows = shares.functions
    .toSorted((a, b) => of(b) - of(a))
    .slice(0, MOST_ROWS)
    .map((share) => [share.name, percent(share.self, shares), percent(share.inclusive, shares)]);
  return formatTable([`by ${title} time`, "self", "inclusive"], rows);
}

function percent(count: number, { samples }: Shares): string {
  return `${((100 * count) / samples).toFixed(1)}%`;
}

function allocationText(
  thread: string,
  counts: Readonly<Record<string, number>>,
  calls: number,
): string {
  const rows = Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_ROWS)
    .map(([type, count]) => [type, (count / calls).toFixed(2)]);
  return formatTable([`${thread}: objects of ${calls} calls`, "per call"], rows);
}
