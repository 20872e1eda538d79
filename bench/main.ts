import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { startChild } from "./child.ts";
import { parseOptions, type Options } from "./options.ts";
import { maxOpenFiles } from "./proc.ts";
import { buildReport } from "./report.ts";
import { runRounds } from "./rounds.ts";
import { MANY_STREAMS, scenarios, type Scenario } from "./scenarios.ts";
import { openTargets } from "./targets/index.ts";

/**
 * What Sluice costs beside nginx, the bare runtime (passing on, and seeing what it
 * passes on) and a peer, on this machine.
 *
 * How figures are taken. A simulated vendor (upstream.ts), the callers (load.ts)
 * and the proxy are processes of their own, and share the machine's cores. CPU is
 * what the kernel counts as user and system time of the proxy's processes, all
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

  await using opened = await openTargets(options.targets, site);
  const picked = pickScenarios(options);
  const series = await runRounds(picked.scenarios, opened.targets, site, progress);

  const report = buildReport(series, [...opened.notes, ...picked.notes]);
  process.stdout.write(report.text);
  if (options.json) process.stdout.write(`${JSON.stringify(report.json)}\n`);
  return opened.isBroken || report.isBroken ? 1 : 0;
}

/** Exits at once and through the exit handlers, which end the children and remove the folder. */
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
  process.on(signal, () => process.exit(128 + number));
}

try {
  if (process.platform !== "linux") throw new Error("The bench reads /proc, so it needs Linux.");
  process.exit(await main(parseOptions(process.argv.slice(2))));
} catch (cause) {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exit(1);
}

function pickScenarios(options: Options): { scenarios: Scenario[]; notes: string[] } {
  const asked = scenarios(options.quick).filter(({ id }) => options.only.includes(id));
  // A proxy holds two sockets for each stream.
  const fits = maxOpenFiles() > 2 * MANY_STREAMS + 200;
  const notes: string[] = [];
  if (!fits)
    notes.push(
      `${MANY_STREAMS} streams are left out: only ${maxOpenFiles()} open files are allowed.`,
    );
  if (options.quick) notes.push("A quick run leaves runtimes half warm: do not quote its figures.");
  return { scenarios: asked.filter(({ id }) => fits || id !== "many"), notes };
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
