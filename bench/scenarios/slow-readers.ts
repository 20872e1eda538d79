import { startChild } from "../child.ts";
import { processTree, rssBytes } from "../proc.ts";
import type { BenchSite, Sample, Scenario } from "../scenario.ts";
import type { SlowReadersPlan } from "../slow-readers.ts";
import type { Target } from "../targets/target.ts";
import { watchMemory } from "../watch-memory.ts";

interface SlowReadersOptions extends Pick<Scenario, "id" | "title" | "rounds" | "figures"> {
  readonly readers: number;
  readonly everyMs: number;
  readonly durationMs: number;
}

const BEGIN_MS = 30_000;

/** How much memory clients cost who take less than their upstreams send. */
export function slowReaders(options: SlowReadersOptions): Scenario {
  return {
    ...options,
    variant: {},
    // Without back-pressure it has no end.
    includes: (id) => id !== "floor" && id !== "litellm",
    measure: (target, site) => measure(options, target, site),
  };
}

async function measure(
  { readers, everyMs, durationMs }: SlowReadersOptions,
  target: Target,
  site: BenchSite,
): Promise<Sample> {
  const pids = processTree(target.pid);
  const before = rssBytes(pids);
  const plan: SlowReadersPlan = { port: target.port, headers: target.headers, readers, everyMs };
  await using crowd = startChild({
    name: "slow-readers",
    folder: site.folder,
    command: [process.execPath, `${site.root}/bench/slow-readers.ts`, JSON.stringify(plan)],
    lines: true,
  });
  const peak = watchMemory(pids);
  const said = await crowd.readLine(BEGIN_MS);
  await Bun.sleep(durationMs);
  crowd.assertRuns();
  return {
    figures: { growthMiB: (peak() - before) / 1024 ** 2 },
    failures: said === "reading" ? {} : { [said]: 1 },
  };
}
