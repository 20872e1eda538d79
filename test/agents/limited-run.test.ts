import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "#test/wait.ts";
import { runLimited } from "./limited-run.ts";

function shell(script: string, limitMs = 30_000) {
  return runLimited("/bin/sh", ["-c", script], {
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"], ONLY: "this" },
    limitMs,
  });
}

test("the exit status and the output of a program are reported", async () => {
  expect(await shell("echo out; echo err >&2; exit 3")).toEqual({
    code: 3,
    isOutOfTime: false,
    stdout: "out\n",
    stderr: "err\n",
  });
});

test("a program has no input, and only the given environment", async () => {
  const { stdout } = await shell('cat; echo "$ONLY $HOME"');

  expect(stdout).toBe("this \n");
});

test("a program is ended at its time limit, with all its child processes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-limited-"));
  const note = join(folder, "pid");

  const ended = await shell(`sleep 60 & echo $! > ${note}; wait`, 500);
  const pid = Number(readFileSync(note, "utf8"));
  rmSync(folder, { recursive: true });

  expect(ended).toMatchObject({ code: null, isOutOfTime: true });
  await waitFor(() => !isAlive(pid));
});

test("child processes that a program leaves behind are ended, too, and not awaited", async () => {
  const { stdout, isOutOfTime } = await shell("sleep 60 & echo $!");

  expect(isOutOfTime).toBe(false);
  await waitFor(() => !isAlive(Number(stdout)));
});

test("the end of endless output is kept", async () => {
  const { stdout } = await shell("head -c 3000000 /dev/zero | tr '\\\\0' x; echo end");

  expect(stdout.length).toBeLessThanOrEqual(1_000_000);
  expect(stdout).toEndWith("end\n");
});

test("a program that cannot be started is an error", async () => {
  const started = runLimited("/no/such/program", [], { cwd: tmpdir(), env: {}, limitMs: 1_000 });

  expect(await started.then(String, (cause: unknown) => String(cause))).toContain("ENOENT");
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // Where the system tells: what has ended, but was not yet collected by whoever adopted it.
  const status = `/proc/${pid}/status`;
  return !existsSync(status) || !/^State:\s+Z/m.test(readFileSync(status, "utf8"));
}
