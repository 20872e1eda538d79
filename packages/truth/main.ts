import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { ADAPTERS } from "./adapters/all.ts";
import type { Adapter } from "./gateway/adapter.ts";
import { EXPERIMENTS } from "./experiments/all.ts";
import { HELP, optionsIn, type Options } from "./options.ts";
import { jsonOf, lineOf, summaryOf, type Line } from "./report.ts";
import { runExperiments } from "./run.ts";

const UNUSABLE = 2;

try {
  const options = optionsIn(process.argv.slice(2));
  if (options === "help") process.stdout.write(HELP);
  else process.exitCode = (await main(options)) ? 0 : 1;
} catch (cause) {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = UNUSABLE;
}

/** The adapter of a file, or that of a name. */
async function adapterOf({ gateway, adapterPath }: Options): Promise<Adapter> {
  const found =
    adapterPath === undefined
      ? ADAPTERS[gateway]
      : ((await import(pathToFileURL(adapterPath).href)) as { adapter?: Adapter }).adapter;
  if (found === undefined) {
    throw new Error(`${adapterPath ?? gateway} has no adapter. Export one as \`adapter\`.`);
  }
  return found;
}

async function main(options: Options): Promise<boolean> {
  const { scale, only, jsonPath, program, database } = options;
  const adapter = await adapterOf(options);
  const lines: Line[] = [];
  process.stdout.write(`${adapter.title}: ${adapter.note}\n\n`);
  await runExperiments({
    adapter,
    experiments: EXPERIMENTS.filter(({ id }) => only.includes(id)),
    scale,
    ...(program === undefined ? {} : { program }),
    ...(database === undefined ? {} : { database }),
    onFinding(experiment, finding) {
      const line = { experiment, finding };
      lines.push(line);
      process.stdout.write(`${lineOf(line)}\n\n`);
    },
  });
  process.stdout.write(`${summaryOf(adapter.title, lines, lines.length === EXPERIMENTS.length)}\n`);
  if (jsonPath !== undefined) writeFileSync(jsonPath, jsonOf(adapter.id, lines));
  return lines.every(({ finding }) => finding.holds);
}
