import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import manifest from "#package.json" with { type: "json" };
import { releaseChangelog } from "./changelog.ts";
import { nextVersion } from "./version.ts";
import { writeVersion } from "./versioned-files.ts";

/** Checks the tree, and writes the next version into it; returns the version. Commits nothing. */
export function prepareRelease(word: string, hasTests: boolean): string {
  const version = nextVersion(manifest.version, word);
  const changed = run("git", ["status", "--porcelain"], "pipe");
  if (changed !== "")
    throw new Error("There are changes that are not committed. Commit them first.");
  const changelog = releaseChangelog(readFileSync("CHANGELOG.md", "utf8"), version, today());
  run("node", ["launch.mjs", "check"]);
  if (hasTests) run("node", ["launch.mjs", "test"]);
  writeFileSync("CHANGELOG.md", changelog);
  writeVersion(manifest.version, version);
  return version;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function run(
  program: string,
  words: readonly string[],
  output: "inherit" | "pipe" = "inherit",
): string {
  const { status, stdout } = spawnSync(program, words, {
    encoding: "utf8",
    stdio: ["ignore", output, "inherit"],
  });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} failed.`);
  return stdout ?? "";
}
