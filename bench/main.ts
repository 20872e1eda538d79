import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { startChild } from "./child.ts";
import { LADDER, RUNG_IDS } from "./ladder/rungs.ts";
import { ladderReport } from "./ladder/report.ts";
import { parseOptions, type Options } from "./options.ts";
import { maxOpenFiles } from "./proc.ts";
import { profileCalls } from "./profile/profile-calls.ts";
import { buildReport, type Report } from "./report.ts";
import { runRounds } from "./rounds.ts";
import type { BenchSite, Scenario } from "./scenario.ts";
import { ladderScenarios, scenarios } from "./scenarios/index.ts";

/**
 * What Sluice costs beside nginx, the bare runtime, the smallest program with a
 * gateway's duties, and peers, on this machine.
 *
 * How figures are taken. A simulated vendor (upstream.ts), the callers (load.ts)
 * and the target are processes of their own, and share the machine's cores. CPU is
 * what the kernel counts as user and system time of the target's processes, all
 * threads, from the first request of a round to its last answer, divided by the
 * number of right answers. Every answer is checked. Each target is warmed up
 * before each round and rounds are interleaved; shown are the median, and the
 * lowest and highest round. Figures of one run compare with each other; those of
 * two machines do not.
 */
async function main(options: Options): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const root = resolve(import.meta.dir, "..");

  await using upstream = startChild({
    name: "upstream",
    folder,
    command: [process.execPath, join(root, "bench/upstream.ts")],
    lines: true,
  });
  const upstreamPort = Number(await upstream.readLine(10_000));
  const site = { folder, root, upstreamPort, upstreamPid: upstream.pid };
  if (options.mode === "profile" || options.mode === "allocations") {
    process.stdout.write(await profileCalls(options, site));
    return 0;
  }
  const { report, isBroken } =
    options.mode === "ladder" ? await climb(options, site) : await compare(options, site);
  process.stdout.write(report.text);
  if (options.jsonPath !== undefined) {
    writeFileSync(options.jsonPath, `${JSON.stringify(report.json, undefined, 2)}\n`);
  }
  return isBroken || report.isBroken ? 1 : 0;
}

interface Finished {
  readonly report: Report;
  readonly isBroken: boolean;
}

async function compare(options: Options, site: BenchSite): Promise<Finished> {
  const picked = pickScenarios(options);
  const measured = await runRounds(picked.scenarios, options.targets, site, progress);
  const notes = [...measured.notes, ...picked.notes];
  return { report: buildReport(measured.series, notes), isBroken: measured.isBroken };
}

async function climb(options: Options, site: BenchSite): Promise<Finished> {
  const steps = ladderScenarios(options);
  const measured = await runRounds(steps, options.targets, site, progress, LADDER);
  return {
    report: ladderReport(measured.series, measured.notes),
    isBroken: measured.isBroken,
  };
}

/** Exits at once and through the exit handlers, which end the children and remove the folder. */
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
  process.on(signal, () => process.exit(128 + number));
}

try {
  if (process.platform !== "linux") throw new Error("The bench reads /proc, so it needs Linux.");
  const ids = scenarios({ quick: false, rounds: 1 }).map(({ id }) => id);
  process.exit(await main(parseOptions(process.argv.slice(2), ids, RUNG_IDS)));
} catch (cause) {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exit(1);
}

function pickScenarios(options: Options): { scenarios: Scenario[]; notes: string[] } {
  const asked = scenarios(options).filter(({ id }) => options.only.includes(id));
  const most = maxOpenFiles();
  // A proxy holds two sockets for each call.
  const fits = ({ variant: { callsAtOnce = 0 } }: Scenario): boolean =>
    most > 2 * callsAtOnce + 200;
  const notes = asked
    .filter((each) => !fits(each))
    .map(({ title }) => `${title}: left out, because only ${most} open files are allowed.`);
  if (options.quick) notes.push("A quick run leaves runtimes half warm: do not quote its figures.");
  return { scenarios: asked.filter(fits), notes };
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
