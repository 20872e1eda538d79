// Runs a program with Bun for launch.mjs and for the command of the npm package.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Bun reads these variables once, before the program starts. */
export const RUNTIME_SETTINGS = {
  // Its default is 256.
  BUN_CONFIG_MAX_HTTP_REQUESTS: "20000",
};

export const GATEWAY_SETTINGS = {
  ...RUNTIME_SETTINGS,
  // By how much memory there is, Bun lets garbage gather, as if all of the machine's were ours:
  // with this, a busy gateway holds a quarter less, and is no slower.
  BUN_JSC_forceRAMSize: "300000000",
  // More threads that mark a small heap mostly wait for each other.
  BUN_JSC_numberOfGCMarkers: "1",
};

const BUN = process.platform === "win32" ? "bun.exe" : "bun";

/**
 * The first Bun that runs. The `bun` command itself is a stub if install scripts are disabled, but
 * then the platform's package holds the real one; otherwise its script moved the program away.
 * Several may be installed (with and without AVX2, glibc and musl).
 */
export function firstThatRuns(platformFolders, others = []) {
  return [...platformFolders.map((folder) => join(folder, "bin", BUN)), ...others].find(
    (path) => existsSync(path) && spawnSync(path, ["--version"]).status === 0,
  );
}

/** Hands signals on, and resolves to the exit code. */
export function runChild(program, args, { cwd, settings }) {
  const child = spawn(program, args, {
    cwd,
    stdio: "inherit",
    // The gateway stops if this process ends without sending it a signal.
    env: { ...settings, ...process.env, SLUICE_LAUNCHER_PID: String(process.pid) },
  });
  endWithNpm(child);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on("error", () => resolve(1));
    child.on("exit", (code, signal) => resolve(signal === null ? code : 1));
  });
}

/**
 * npm starts a shell and hands a signal to it alone, and the shell dies of it
 * without handing it on. So what npm started ends if npm or its shell is gone.
 */
function endWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const before = startedBy();
  const watch = setInterval(() => {
    if (startedBy() === before) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, 500);
  watch.unref();
}

/** The parent and, if that is a shell between npm and us, its parent as well. */
function startedBy() {
  const { ppid } = process;
  try {
    const [, name, parent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${ppid}/stat`, "utf8"));
    return /^(ba|da|a|z|k)?sh$/.test(name) ? `${ppid} ${parent}` : `${ppid}`;
  } catch {
    return `${ppid}`;
  }
}
