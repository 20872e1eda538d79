import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compileProgram } from "./compiled-program.ts";
import { openDatabaseTemplate } from "./database-template.ts";
import { TEST_PROCESS } from "./process-settings.ts";
import { openScratchFolder } from "./scratch-folder.ts";
import { startServices } from "./services/start.ts";
import { TestTimes } from "./test-times.ts";

/**
 * Runs every test; the last line of the output counts passed and failed tests.
 * `--long` runs the long variants of tests that have one; other arguments select
 * tests by their path.
 */
const words = process.argv.slice(2);
const isLong = words.includes("--long");
const picked = words.filter((word) => word !== "--long");
const seed = process.env["SLUICE_TEST_SEED"] ?? seedOfTree() ?? randomSeed();
const TIMEOUT_MS = isLong ? 3_600_000 : 120_000;
/** The folders of all tests; Bun distributes their files to several processes. */
const EVERYTHING = ["./test/", "./src/", "./packages/", "./bench/"];
/** What a test process may take at its end. */
const PROCESS_BYTES = 2 * 1024 ** 3;
/** More than there are cores, because a process waits for three fifths of its time. */
const PROCESSES = Math.max(
  2,
  Math.min(availableParallelism() + 3, Math.floor(totalmem() / PROCESS_BYTES)),
);
/** The files of the longest wall time, which start first, so that none runs alone at the end. */
const LONGEST = [
  "test/storage/postgres.test.ts",
  "test/hazards/fleet.test.ts",
  "packages/truth/run.test.ts",
  "test/storage/postgres-sharing.test.ts",
  "test/gateway/videos/content-copies.test.ts",
  "test/compose.test.ts",
  "test/gateway/start.test.ts",
  "test/hazards/first-content.test.ts",
  "test/gateway/assets/references.test.ts",
  "test/gateway/live-calls.test.ts",
  "test/storage/sqlite.test.ts",
  "test/console/accessibility.test.ts",
  "test/gateway/fresh-start.test.ts",
  "test/hazards/shared-videos.test.ts",
  "test/matrix/sweep/sweep.test.ts",
  "test/hazards/memory.test.ts",
  "test/cli.test.ts",
  "test/console/pseudo-language.test.ts",
  "test/hazards/large-images.test.ts",
  "test/console/security.test.ts",
  "test/gateway/assets/own-library.test.ts",
  "test/hazards/videos.test.ts",
  "test/gateway/channels.test.ts",
  "test/gateway/settings.test.ts",
  "test/storage/versions/upgrade.test.ts",
  "test/hazards/nothing-held.test.ts",
  "test/gateway/idempotency.test.ts",
  "test/console/session.test.ts",
  "test/gateway/canary.test.ts",
  "test/hazards/database.test.ts",
  "test/gateway/shared-database.test.ts",
  "test/gateway/ended-calls.test.ts",
  "test/hazards/full-disk.test.ts",
  "packages/sandbox/ark-verification-page.test.ts",
  "test/recipes.test.ts",
  "test/openapi/typed-client.test.ts",
  "test/gateway/images/dashscope.test.ts",
];
const LONG_MS = 60_000;
/** Number of failures, and lines of each, that the end of the output repeats. */
const SHOWN_FAILURES = 20;
const SHOWN_LINES = 60;
/** The times of all tests of the last run. */
const TIMES = "node_modules/.cache/sluice-test-times.txt";
/** An unhandled error outside tests also fails the run. */
const UNHANDLED = "# Unhandled error between tests";

process.stdout.write(`seed ${seed} (SLUICE_TEST_SEED=${seed} replays it)\n`);
const children: ChildProcess[] = [];
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => children.forEach((each) => each.kill(signal)));
}

const stack = new AsyncDisposableStack();
const folder = stack.use(openScratchFolder()).path;
const cpuPath = join(folder, "cpu.tsv");
const times = new TestTimes();
process.env["TMPDIR"] = folder;
const [services, program] = await Promise.all([
  startServices(["TEST_DATABASE_URL", "TEST_REDIS_URL"]),
  picked.length > 0 ? "" : compileProgram(folder),
  writeConsoleTypes(),
]);
stack.use(services);
for (const line of services.missing) process.stdout.write(`${line}\n`);
const made = await prepare();
const { code, passed, failed, failures } = await run();
times.write(TIMES, cpuPath);
await stack.disposeAsync();
process.stdout.write(`\n${times.summary(isLong)}\nThe times of all tests: ${TIMES}\n`);
if (failures.length > 0) {
  // The names come last: often only the end of a long output is kept.
  const names = failures.map((each) => each.slice(each.lastIndexOf("\n") + 1));
  process.stdout.write(`\nFailures:\n${failures.join("\n")}\n\n${names.join("\n")}\n`);
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = code === 0 && passed > 0 ? 0 : 1;

interface Result {
  readonly code: number;
  readonly passed: number;
  readonly failed: number;
  /** Each with its output, which is hard to find among thousands of lines. */
  readonly failures: readonly string[];
}

/** Creates the database template once for all tests. */
async function prepare(): Promise<Readonly<Record<string, string>>> {
  if (picked.length > 0) return {};
  const server = services.env["TEST_DATABASE_URL"] ?? process.env["TEST_DATABASE_URL"] ?? "";
  const made = { TEST_PROGRAM: program };
  if (server === "") return made;
  return { ...made, TEST_DATABASE_TEMPLATE: stack.use(await openDatabaseTemplate(server)).name };
}

/** Type checks of the console, which some tests run, need them. */
async function writeConsoleTypes(): Promise<void> {
  const written = Bun.spawn([process.execPath, "console/types.ts"], { stderr: "pipe" });
  if ((await written.exited) !== 0) throw new Error(await new Response(written.stderr).text());
}

/** Arguments that distribute the files; selected tests are few and run in one process. */
function shares(): readonly string[] {
  if (picked.length > 0 || isLong) return picked;
  const timings = join(folder, "timings.json");
  const files = Object.fromEntries(
    LONGEST.map((path, place) => [path, LONG_MS + LONGEST.length - place]),
  );
  writeFileSync(timings, JSON.stringify({ version: 1, files }));
  // Without `--no-isolate`, every file would load the whole gateway again.
  return [`--parallel=${PROCESSES}`, "--no-isolate", `--timings=${timings}`, ...EVERYTHING];
}

async function run(): Promise<Result> {
  const env = {
    ...process.env,
    ...services.env,
    ...made,
    ...TEST_PROCESS,
    TEST_PROCESS_SETTINGS: Object.keys(TEST_PROCESS).join(","),
    SLUICE_TEST_SEED: seed,
    TEST_CPU_FILE: cpuPath,
  };
  const preloads = ["measure-cpu", "reused-threads"].map((name) => `--preload=./test/${name}.ts`);
  const args = ["test", ...preloads, `--timeout=${TIMEOUT_MS}`, ...shares()];
  const tests = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: isLong ? { ...env, SLUICE_TEST_LONG: "1" } : env,
  });
  children.push(tests);
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
  // A run without a summary, or with an error outside tests, has failed too.
  const unseen = code !== 0 && counts.fail === 0 ? Math.max(1, counts.errors) : 0;
  if (unseen > 0 && failures.length === 0) failures.push(...ends);
  return { code, passed: counts.pass, failed: counts.fail + unseen, failures };
}

/** One commit is tested the same everywhere, and each change tries other cases. */
function seedOfTree(): string | undefined {
  const { stdout, status } = spawnSync("git", ["rev-parse", "HEAD^{tree}"], { encoding: "utf8" });
  return status === 0 ? String(Number.parseInt(stdout.slice(0, 7), 16)) : undefined;
}

function randomSeed(): string {
  return String(Math.floor(Math.random() * 2 ** 31));
}

/**
 * Prints the lines, and collects the failures and the totals of the summary.
 * Returns the output after the last test.
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
    times.read(line);
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
