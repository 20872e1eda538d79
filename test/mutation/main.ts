import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openDatabaseTemplate } from "#test/database-template.ts";
import { openScratchFolder } from "#test/scratch-folder.ts";
import { HAS_VENDORS, SHARED } from "#test/shared.ts";
import { startServices } from "../services/start.ts";
import { mutantsOf, type Mutant } from "./mutants.ts";
import { EQUIVALENT, testsOf, type NamedTests } from "./targets.ts";

/**
 * Changes a source file in one small way after another, runs the tests that
 * should notice, lists the changes that none noticed, and prints a score for
 * each file and folder:
 *
 *     node launch.mjs mutate src/core/money.ts [--tests PATH]... [--every N] [--lines FROM-TO]
 *     node launch.mjs mutate src/relay/tasks
 *
 * `--every 5` tries each fifth mutant only. The tree itself is not touched:
 * each worker has a copy.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: "string", multiple: true, default: [] },
    every: { type: "string", default: "1" },
    lines: { type: "string", default: "1-1000000" },
    workers: { type: "string", default: String(availableParallelism()) },
  },
});
const COPIED = ["src", "sandbox", "test", "bench", "docs", "package.json", "tsconfig.json"];
/** A mutant that takes longer than the tests did without it, by so much, hangs: that is noticed, too. */
const PATIENCE = { factor: 4, ms: 20_000 };
/** A change of these changes the schema, which a template would hide. */
const SCHEMA = /\/(migrat|ddl|tables)/;

interface Score {
  readonly noticed: number;
  readonly made: number;
}

interface BoundedTests extends NamedTests {
  readonly withinMs: number;
}

/** Process ids of the tests that run. */
const running = new Set<number>();
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    isStopped = true;
    for (const pid of running) killGroup(pid);
  });
}

using scratch = openScratchFolder();
process.env["TMPDIR"] = scratch.path;
await using services = await startServices(["TEST_DATABASE_URL", "TEST_REDIS_URL"]);
const env: Readonly<Record<string, string | undefined>> = {
  ...process.env,
  ...services.env,
  SLUICE_TEST_SEED: "1",
  ...(HAS_VENDORS ? { SLUICE_TEST_SHARED: SHARED } : {}),
};
const server = env["TEST_DATABASE_URL"] ?? "";
await using template = server === "" ? undefined : await openDatabaseTemplate(server);
const copies = Array.from({ length: Number(values.workers) }, copyOfTree);
const scores: Score[] = [];
for (const path of positionals) {
  const files = filesOf(path);
  const ofFiles: Score[] = [];
  for (const file of files) ofFiles.push(await scoreOf(file));
  if (isStopped) break;
  if (files.length > 1) print(path, total(ofFiles));
  scores.push(...ofFiles);
}
const all = total(scores);
if (positionals.length > 1 && !isStopped) print("all", all);
process.exitCode = all.noticed === all.made && !isStopped ? 0 : 1;

function print(path: string, { noticed, made }: Score): void {
  process.stdout.write(`${path}: ${noticed} of ${made} noticed\n`);
}

function total(parts: readonly Score[]): Score {
  return parts.reduce(
    (sum, { noticed, made }) => ({ noticed: sum.noticed + noticed, made: sum.made + made }),
    { noticed: 0, made: 0 },
  );
}

/** A file, or all of a folder that is not itself a test. */
function filesOf(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((each) => each.endsWith(".ts") && !/\.test\.ts$|contract|fixtures/.test(each))
    .map((each) => join(path, each))
    .toSorted();
}

async function scoreOf(path: string): Promise<Score> {
  const [from = 0, to = 0] = values.lines.split("-").map(Number);
  const text = readFileSync(path, "utf8");
  const trials = mutantsOf(path, text)
    .filter((mutant) => !isEquivalent(mutant, text))
    .filter(({ line }) => line >= from && line <= to)
    .filter((_, index) => index % Number(values.every) === 0);
  const score = { noticed: 0, made: trials.length };
  if (trials.length === 0 || isStopped) return score;
  process.stdout.write(`${path}: ${trials.length} mutants\n`);

  const [first = ""] = copies;
  const tests = await timed(first, path);
  const queue = trials.values();
  const work = async (folder: string): Promise<void> => {
    for (const mutant of queue) {
      const wasNoticed = await isNoticed(folder, path, mutant, tests);
      if (isStopped) return;
      if (wasNoticed) score.noticed++;
      else process.stdout.write(`  survived ${path}:${mutant.line}: ${mutant.change}\n`);
    }
  };
  await Promise.all(copies.map(work));
  if (!isStopped) print(path, score);
  return score;
}

function isEquivalent({ line, change }: Mutant, text: string): boolean {
  const source = text.split("\n")[line - 1]?.trim();
  return EQUIVALENT.some((each) => each.line === source && each.change === change);
}

function copyOfTree(): string {
  const folder = mkdtempSync(join(scratch.path, "mutants-"));
  for (const name of readdirSync(".").filter((each) => COPIED.includes(each))) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** The tests of a file, with how long each may take; throws if one fails without any mutant. */
async function timed(folder: string, path: string): Promise<readonly BoundedTests[]> {
  const named = values.tests.map((each) => ({ path: each }));
  const bounded: BoundedTests[] = [];
  for (const tests of named.length > 0 ? named : testsOf(path, existsSync)) {
    const start = performance.now();
    const isPassed = await pass(folder, path, { ...tests, withinMs: 600_000 });
    if (isStopped) return [];
    if (!isPassed) throw new Error(`${tests.path} fails without a mutant.`);
    const tookMs = performance.now() - start;
    bounded.push({ ...tests, withinMs: tookMs * PATIENCE.factor + PATIENCE.ms });
  }
  return bounded;
}

async function isNoticed(
  folder: string,
  path: string,
  mutant: Mutant,
  tests: readonly BoundedTests[],
): Promise<boolean> {
  const file = join(folder, path);
  const original = readFileSync(file, "utf8");
  writeFileSync(file, mutant.text);
  try {
    for (const each of tests) {
      if (!(await pass(folder, path, each))) return true;
    }
    return false;
  } finally {
    writeFileSync(file, original);
  }
}

async function pass(
  cwd: string,
  changed: string,
  { path, named, withinMs }: BoundedTests,
): Promise<boolean> {
  const only = named === undefined ? [] : ["-t", named];
  const args = ["test", "--bail=1", "--timeout=60000", ...only, `./${path}`];
  const name = SCHEMA.test(changed) ? undefined : template?.name;
  const run = spawn(process.execPath, args, {
    cwd,
    env: name === undefined ? env : { ...env, TEST_DATABASE_TEMPLATE: name },
    stdio: "ignore",
    detached: true,
  });
  const ended = new Promise<number>((resolve) => {
    run.once("exit", (code) => resolve(code ?? 1));
    run.once("error", () => resolve(1));
  });
  const { pid } = run;
  if (pid !== undefined) running.add(pid);
  const timer = new AbortController();
  const late = sleep(withinMs, 1, { signal: timer.signal }).catch(() => 1);
  const code = await Promise.race([ended, late]);
  timer.abort();
  // With whatever it started: a mutant may leave gateways behind.
  if (pid !== undefined) killGroup(pid);
  await ended;
  if (pid !== undefined) running.delete(pid);
  return code === 0;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
