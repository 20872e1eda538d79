import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { startServices } from "./services/start.ts";

/**
 * Runs every test and says, in the last line, how many passed and failed.
 * `--long` runs the long form of those that have one; other words pick tests
 * by their path.
 */
const words = process.argv.slice(2);
const isLong = words.includes("--long");
const picked = words.filter((word) => word !== "--long");
const seed = process.env["SLUICE_TEST_SEED"] ?? seedOfTree() ?? randomSeed();
const TIMEOUT_MS = isLong ? 3_600_000 : 120_000;
/**
 * All of them are three runs at once. The first two are of tests that wait for
 * a gateway most of the time, the last of those that keep a core busy, and
 * gives way to them.
 */
const HAZARDS = "./test/hazards/";
const BUSY = ["./test/matrix/", "./test/translate/", "./src/", "./sandbox/", "./bench/"];
const RUNS = [
  {
    paths: partsOf("./test/").filter((path) => path !== HAZARDS && !BUSY.includes(path)),
    priority: 0,
  },
  { paths: [HAZARDS], priority: 0 },
  // No lower: a process that gets no core misses the time limits of its own connections.
  { paths: BUSY, priority: 5 },
];
/** Of so many failures the end of the output tells again, and of each so much. */
const SHOWN_FAILURES = 20;
const SHOWN_LINES = 60;
/** What no test awaited fails the run, too. */
const UNHANDLED = "# Unhandled error between tests";

process.stdout.write(`seed ${seed} (SLUICE_TEST_SEED=${seed} replays it)\n`);
const children: ChildProcess[] = [];
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => children.forEach((each) => each.kill(signal)));
}

const services = await startServices(["TEST_DATABASE_URL", "TEST_REDIS_URL"]);
for (const line of services.missing) process.stdout.write(`${line}\n`);
const runs = picked.length > 0 || isLong ? [{ paths: picked, priority: 0 }] : RUNS;
const results = await Promise.all(runs.map(({ paths, priority }) => run(paths, priority)));
await services[Symbol.asyncDispose]();
const passed = results.reduce((sum, each) => sum + each.passed, 0);
const failed = results.reduce((sum, each) => sum + each.failed, 0);
const failures = results.flatMap((each) => each.failures);
if (failures.length > 0) process.stdout.write(`\nWhat failed:\n${failures.join("\n")}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = results.every(({ code }) => code === 0) && passed > 0 ? 0 : 1;

interface Result {
  readonly code: number;
  readonly passed: number;
  readonly failed: number;
  /** Each with what was printed of it: several runs and some thousand lines hide them. */
  readonly failures: readonly string[];
}

async function run(paths: readonly string[], priority: number): Promise<Result> {
  const env = { ...process.env, ...services.env, SLUICE_TEST_SEED: seed };
  const tests = spawn(process.execPath, ["test", `--timeout=${TIMEOUT_MS}`, ...paths], {
    stdio: ["ignore", "pipe", "pipe"],
    env: isLong ? { ...env, SLUICE_TEST_LONG: "1" } : env,
  });
  children.push(tests);
  if (priority > 0 && tests.pid !== undefined) setPriority(tests.pid, priority);
  const ended = new Promise<number>((resolve) => {
    tests.on("exit", (status) => resolve(status ?? 1));
  });

  const counts = { pass: 0, fail: 0, errors: 0 };
  const failures: string[] = [];
  const ends = await Promise.all([
    pass(tests.stdout, counts, failures),
    pass(tests.stderr, counts, failures),
  ]);
  const code = await ended;
  // A run that ended without its summary, or outside any test, has failed too.
  const unseen = code !== 0 && counts.fail === 0 ? Math.max(1, counts.errors) : 0;
  if (unseen > 0 && failures.length === 0) failures.push(...ends);
  return { code, passed: counts.pass, failed: counts.fail + unseen, failures };
}

/** The same files are tested the same wherever that is, and each change tries others. */
function seedOfTree(): string | undefined {
  const { stdout, status } = spawnSync("git", ["rev-parse", "HEAD^{tree}"], { encoding: "utf8" });
  return status === 0 ? String(Number.parseInt(stdout.slice(0, 7), 16)) : undefined;
}

function randomSeed(): string {
  return String(Math.floor(Math.random() * 2 ** 31));
}

/** The folders of a folder, and its own tests. */
function partsOf(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return [`${folder}${entry.name}/`];
    return entry.name.endsWith(".test.ts") ? [`${folder}${entry.name}`] : [];
  });
}

/**
 * Shows the lines as they come, and picks out the failures and the totals of
 * the summary. Returns what came after the last test.
 */
async function pass(
  stream: NodeJS.ReadableStream,
  counts: Record<"pass" | "fail" | "errors", number>,
  failures: string[],
): Promise<string> {
  let sinceLast: string[] = [];
  let isSummary = false;
  for await (const line of createInterface({ input: stream })) {
    process.stdout.write(`${line}\n`);
    const [, count, what] = /^\s*(\d+) (pass|fail|errors?)$/.exec(line) ?? [];
    if (what === "pass" || what === "fail") counts[what] = Number(count);
    else if (what !== undefined) counts.errors = Number(count);

    sinceLast.push(line);
    const [, result] = /^\((pass|fail|skip|todo)\) /.exec(line) ?? [];
    if (/^\d+ tests? (skipped|failed):$/.test(line)) isSummary = true;
    const isFailure = result === "fail" || (result !== undefined && sinceLast.includes(UNHANDLED));
    if (isFailure && !isSummary && failures.length < SHOWN_FAILURES) {
      failures.push(sinceLast.slice(-SHOWN_LINES).join("\n"));
    }
    if (result !== undefined) sinceLast = [];
  }
  return sinceLast.slice(-SHOWN_LINES).join("\n");
}
