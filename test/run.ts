import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * Runs every test and says, in the last line, how many passed and failed.
 * `--long` runs the long form of those that have one; other words pick tests
 * by their path.
 */
const words = process.argv.slice(2);
const isLong = words.includes("--long");
const seed = process.env["SLUICE_TEST_SEED"] ?? String(Math.floor(Math.random() * 2 ** 31));
const TIMEOUT_MS = isLong ? 3_600_000 : 120_000;

process.stdout.write(`seed ${seed} (SLUICE_TEST_SEED=${seed} replays it)\n`);
const tests = spawn(
  process.execPath,
  ["test", `--timeout=${TIMEOUT_MS}`, ...words.filter((word) => word !== "--long")],
  {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, SLUICE_TEST_SEED: seed, ...(isLong ? { SLUICE_TEST_LONG: "1" } : {}) },
  },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => tests.kill(signal));

const counts = { pass: 0, fail: 0, errors: 0 };
await Promise.all([pass(tests.stdout), pass(tests.stderr)]);
const code = await new Promise<number>((resolve) => {
  tests.on("exit", (status) => resolve(status ?? 1));
  if (tests.exitCode !== null) resolve(tests.exitCode);
});

// A run that ended without its summary, or outside any test, has failed too.
const unseen = code !== 0 && counts.fail === 0 ? Math.max(1, counts.errors) : 0;
process.stdout.write(`${counts.pass} passed, ${counts.fail + unseen} failed\n`);
process.exitCode = code === 0 && counts.pass > 0 ? 0 : 1;

/** Shows the lines as they come, and picks the totals out of the summary. */
async function pass(stream: NodeJS.ReadableStream): Promise<void> {
  for await (const line of createInterface({ input: stream })) {
    process.stdout.write(`${line}\n`);
    const [, count, what] = /^\s*(\d+) (pass|fail|errors?)$/.exec(line) ?? [];
    if (what === "pass" || what === "fail") counts[what] = Number(count);
    else if (what !== undefined) counts.errors = Number(count);
  }
}
