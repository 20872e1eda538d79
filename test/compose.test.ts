import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/**
 * These tools end soon: collecting their garbage would take a third of their
 * time. The limit has them collect it before memory gets short. Each further
 * checker would find again the types that it shares with others.
 */
const SETTINGS = { GOGC: "off", GOMEMLIMIT: "3GiB", GOMAXPROCS: "1" };

/** The checks that `npm run check` makes, as tests, so that one command says it all. */
function run(tool: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("node", [`node_modules/${tool}`, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...SETTINGS },
  });
  return status === 0 ? "" : `${stdout}${stderr}`;
}

const tracked = spawnSync("git", ["ls-files", "-z"], { encoding: "utf8" })
  .stdout.split("\0")
  .filter((path) => path !== "");

/** What `npm run check` found; on a clean checkout, writing it would take a sixth of the time. */
const BUILD_INFO = "node_modules/.cache/types.tsbuildinfo";

test("the types are correct", () => {
  const how = existsSync(BUILD_INFO)
    ? ["--checkers", "2", "--incremental", "--tsBuildInfoFile", BUILD_INFO]
    : ["--checkers", "1"];

  expect(run("typescript/bin/tsc", ...how)).toBe("");
});

test("the linter reports nothing", () => {
  expect(run("oxlint/bin/oxlint")).toBe("");
});

test("every file is formatted", () => {
  expect(run("oxfmt/bin/oxfmt", "--check")).toBe("");
});

/** Put together, so that this file may be looked through, too. */
const FOLDERS = ["work", "farm", "root"].join("|");
const NOT_OURS = new RegExp(`"resolved": ${'"'}http|(^|[^A-Za-z0-9_.-])/(${FOLDERS})/`, "m");

test("no file names a registry or a home folder", () => {
  const hits = tracked.filter((path) => NOT_OURS.test(readFileSync(path, "utf8")));

  expect(hits).toEqual([]);
});

test("no test is disabled permanently", () => {
  const hits = tracked
    .filter((path) => path.endsWith(".test.ts"))
    .filter((path) => /\b(test|it|describe)\.(skip|todo|only)\(/.test(readFileSync(path, "utf8")));

  expect(hits).toEqual([]);
});
