import { startChild } from "./child.ts";
import type { LoadPlan } from "./load.ts";
import type { BenchSite } from "./scenario.ts";
import type { TallyResult } from "./tally.ts";

/** Called between warm-up and measurement; what it returns is called after the last answer. */
type Begin<T> = (loadPid: number) => (result: TallyResult) => T | Promise<T>;

/** Between warm-up and measurement: connections of the warm-up are closed meanwhile. */
const REST_MS = 100;

/** Runs one load in a process of its own, and measures what it does to the target. */
export async function runLoad<T>(plan: LoadPlan, site: BenchSite, begin: Begin<T>): Promise<T> {
  await using load = startChild({
    name: "load",
    folder: site.folder,
    command: [process.execPath, `${site.root}/bench/load.ts`, JSON.stringify(plan)],
    lines: true,
  });
  await load.readLine(2 * plan.warmup.timeoutMs);
  await Bun.sleep(REST_MS);
  const end = begin(load.pid);
  load.send("go");
  const result: TallyResult = JSON.parse(await load.readLine(2 * plan.measured.timeoutMs));
  return await end(result);
}
