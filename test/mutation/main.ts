import { spawn } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { SHARED } from "#test/shared.ts";
import { startServices } from "../services/start.ts";
import { mutantsOf, type Mutant } from "./mutants.ts";
import { EQUIVALENT, TARGETS } from "./targets.ts";

/**
 * Changes a source file in one small way after another, runs the tests that
 * should notice, and lists the changes that none noticed:
 *
 *     node launch.mjs mutants src/core/money.ts [--tests PATH]... [--every N] [--lines FROM-TO]
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

interface Trial {
  readonly path: string;
  readonly mutant: Mutant;
}

await using services = await startServices(["TEST_DATABASE_URL", "TEST_REDIS_URL"]);
const env = { ...process.env, ...services.env, SLUICE_TEST_SEED: "1", SLUICE_TEST_SHARED: SHARED };
let survivors = 0;
for (const path of positionals) survivors += await survivorsOf(path);
process.stdout.write(`${survivors} survived\n`);
process.exitCode = survivors === 0 ? 0 : 1;

async function survivorsOf(path: string): Promise<number> {
  const tests = values.tests.length > 0 ? values.tests : testsOf(path);
  const [from = 0, to = 0] = values.lines.split("-").map(Number);
  const text = readFileSync(path, "utf8");
  const all = mutantsOf(path, text).filter((mutant) => !isEquivalent(mutant, text));
  const trials = all
    .filter(({ line }) => line >= from && line <= to)
    .filter((_, index) => index % Number(values.every) === 0)
    .map((mutant) => ({ path, mutant }));
  process.stdout.write(`${path}: ${trials.length} of ${all.length} mutants\n`);

  let survived = 0;
  const queue = trials.values();
  const workers = Array.from({ length: Number(values.workers) }, async () => {
    const folder = copyOfTree();
    try {
      const limitsMs = await timeWithout(folder, tests);
      for (const trial of queue) {
        if (await isNoticed(folder, trial, tests, limitsMs)) continue;
        survived++;
        process.stdout.write(`  survived ${path}:${trial.mutant.line}: ${trial.mutant.change}\n`);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  await Promise.all(workers);
  return survived;
}

function isEquivalent({ line, change }: Mutant, text: string): boolean {
  const source = text.split("\n")[line - 1]?.trim();
  return EQUIVALENT.some((each) => each.line === source && each.change === change);
}

function testsOf(path: string): readonly string[] {
  const target = TARGETS.find((each) => path.startsWith(each.path));
  if (target === undefined) throw new Error(`No tests are named for ${path}: use --tests.`);
  return target.tests;
}

function copyOfTree(): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-mutants-"));
  for (const name of readdirSync(".").filter((each) => COPIED.includes(each))) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** How long each group of tests may take; throws if one fails without any mutant. */
async function timeWithout(folder: string, tests: readonly string[]): Promise<readonly number[]> {
  const limits: number[] = [];
  for (const test of tests) {
    const start = performance.now();
    if (!(await pass(folder, test, 600_000))) throw new Error(`${test} fails without a mutant.`);
    limits.push((performance.now() - start) * PATIENCE.factor + PATIENCE.ms);
  }
  return limits;
}

async function isNoticed(
  folder: string,
  { path, mutant }: Trial,
  tests: readonly string[],
  limitsMs: readonly number[],
): Promise<boolean> {
  const file = join(folder, path);
  const original = readFileSync(file, "utf8");
  writeFileSync(file, mutant.text);
  try {
    for (const [index, test] of tests.entries()) {
      if (!(await pass(folder, test, limitsMs[index] ?? 0))) return true;
    }
    return false;
  } finally {
    writeFileSync(file, original);
  }
}

async function pass(cwd: string, test: string, withinMs: number): Promise<boolean> {
  const args = ["test", "--bail=1", "--timeout=60000", `./${test}`];
  const run = spawn(process.execPath, args, { cwd, env, stdio: "ignore", detached: true });
  const ended = new Promise<number>((resolve) => {
    run.once("exit", (code) => resolve(code ?? 1));
    run.once("error", () => resolve(1));
  });
  const timer = new AbortController();
  const late = sleep(withinMs, 1, { signal: timer.signal }).catch(() => 1);
  const code = await Promise.race([ended, late]);
  timer.abort();
  // With whatever it started: a mutant may leave gateways behind.
  if (run.pid !== undefined) killGroup(run.pid);
  await ended;
  return code === 0;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
