#!/usr/bin/env node
// Starts any command of the project on a machine that has only Node 20 and npm:
// installs the packages of a changed lockfile, and runs the command with their
// Bun. For Node, as all .mjs files, because it runs before Bun is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { firstThatRuns, GATEWAY_SETTINGS, runChild, RUNTIME_SETTINGS } from "./run-child.mjs";

const root = dirname(fileURLToPath(import.meta.url));
const modules = join(root, "node_modules");
const BUILD_INFO = join(modules, ".cache", "types.tsbuildinfo");
const CONSOLE_INFO = join(modules, ".cache", "console.tsbuildinfo");
const [command = "start", ...rest] = process.argv.slice(2);

setUp();
const bun = findBun();
// The console and the documentation; nothing happens if their sources have not changed.
const buildPages = ["console/build.ts", "site/build.ts"]
  .filter((path) => existsSync(join(root, path)))
  .map((path) => [bun, path]);
const consoleTypes = [bun, "console/types.ts"];
const steps = {
  start: [...buildPages, [bun, "src/main.ts", "start", ...rest]],
  dev: [...buildPages, [bun, "--watch", "src/main.ts", "start", "--dev", ...rest]],
  test: [...buildPages, [bun, "test/run.ts", ...rest]],
  bench: [[bun, "bench/main.ts", ...rest]],
  "bench:console": [...buildPages, [bun, "bench/console/main.ts", ...rest]],
  docs: [[bun, "site/build.ts", "--html"]],
  ladder: [[bun, "bench/main.ts", "--ladder", ...rest]],
  matrix: [[bun, "test/matrix/main.ts", ...rest]],
  sweep: [[bun, "test/matrix/sweep/main.ts", ...rest]],
  agents: [[bun, "test/agents/main.ts", ...rest]],
  mutate: [[bun, "test/mutation/main.ts", ...rest]],
  truth: [...buildPages, [bun, "packages/truth/main.ts", ...ownProgram(), ...rest]],
  clients: [[bun, "test/languages/main.ts", ...rest]],
  build: [...buildPages, [bun, "build.ts", ...rest]],
  release: [...buildPages, [bun, "release/main.ts", ...rest]],
  sluice: [[bun, "src/main.ts", ...rest]],
  check: [tool("oxlint", "oxlint")],
  fix: [tool("oxlint", "oxlint", "--fix"), tool("oxfmt", "oxfmt")],
}[command];
if (steps === undefined) {
  process.stderr.write(`Unknown command '${command}'.\n`);
  process.exit(2);
}

if (command === "check") {
  // The first often uses one core only. The linter reads the console's types, too.
  const own = runInOrder([checkTypes(BUILD_INFO)]);
  const others = runInOrder([
    consoleTypes,
    checkTypes(CONSOLE_INFO, "-p", "console"),
    tool("typescript", "tsc", "-p", "site/client"),
    tool("oxfmt", "oxfmt", "--check"),
  ]);
  exitOnFailure((await own) || (await others));
}
exitOnFailure(await runInOrder(steps));

/** Returns the exit code of the first command that fails; those after it do not run. */
async function runInOrder(commands) {
  for (const [program, ...args] of commands) {
    const status = await runChild(program, args, { cwd: root, settings: settingsOf(command) });
    if (status !== 0) return status;
  }
  return 0;
}

function exitOnFailure(status) {
  if (status !== 0) process.exit(status);
}

/**
 * What it found in unchanged files is read from the file of its last run. Each checker finds
 * again the types that it shares with others, so the default of four costs a fifth more.
 */
function checkTypes(info, ...args) {
  const stored = ["--incremental", "--tsBuildInfoFile", info];
  return tool("typescript", "tsc", ...args, "--checkers", "2", ...stored);
}

/** The gateway of these sources, unless another gateway is asked for. */
function ownProgram() {
  const isOther = rest.some((each) => /^--(gateway|adapter|program)\b/.test(each));
  return isOther ? [] : [`--program=${bun} ${join(root, "src", "main.ts")}`];
}

/** Does nothing if the stamp in node_modules names the current lockfile. */
function setUp() {
  const stamp = join(modules, ".sluice-setup");
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  if (isInstalled()) return writeFileSync(stamp, lock);

  process.stderr.write("Setting up (first start, or the dependencies changed)...\n");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const install = spawnSync(
    npm,
    ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    {
      cwd: root,
      stdio: ["ignore", 2, 2],
      shell: process.platform === "win32",
    },
  );
  if (install.status !== 0) {
    process.stderr.write("npm could not install the dependencies. Its messages are above.\n");
    process.exit(install.status ?? 1);
  }
  mkdirSync(modules, { recursive: true });
  writeFileSync(stamp, lock);
}

/** Whether the installed packages equal the lockfile, except packages for other platforms. */
function isInstalled() {
  try {
    const wanted = packagesIn(join(root, "package-lock.json"));
    const found = packagesIn(join(modules, ".package-lock.json"));
    const isSame = ([path, { version, optional }]) =>
      path === "" || (found[path] === undefined ? optional : found[path].version === version);
    return Object.entries(wanted).every(isSame) && existsSync(join(modules, "@oven"));
  } catch {
    return false;
  }
}

function packagesIn(path) {
  return JSON.parse(readFileSync(path, "utf8")).packages;
}

function findBun() {
  const scope = join(modules, "@oven");
  const folders = existsSync(scope) ? readdirSync(scope).sort() : [];
  const found = firstThatRuns(folders.map((each) => join(scope, each)));
  if (found !== undefined) return found;
  process.stderr.write(
    `The dependencies contain no Bun for ${process.platform}-${process.arch}.\n`,
  );
  process.exit(1);
}

/** What the runtime of the command reads once, before the program starts. */
function settingsOf(command) {
  const isGateway = ["start", "dev", "sluice", "truth"].includes(command);
  const isCheck = ["check", "fix"].includes(command);
  return {
    ...(isGateway ? GATEWAY_SETTINGS : RUNTIME_SETTINGS),
    // The checking tools end soon: garbage is collected only if memory gets short.
    ...(isCheck ? { GOGC: "off", GOMEMLIMIT: "3GiB" } : {}),
  };
}

/** The checking tools' launchers are Node scripts. */
function tool(packageName, bin, ...args) {
  return [process.execPath, join(modules, packageName, "bin", bin), ...args];
}
