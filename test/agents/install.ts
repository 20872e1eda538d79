import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Release } from "./agent.ts";
import { lastLine } from "./evidence.ts";
import { runLimited } from "./limited-run.ts";

/** What is installed stays there for the next time; several gigabytes of agents are no dependency. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env["SLUICE_AGENTS_DIR"] ?? join("node_modules", ".cache", "sluice-agents"));
}

/**
 * The path of a release's program. Rejects with the reason where it cannot be
 * installed or does not start on this machine. No install script runs.
 */
export async function installRelease(release: Release, cache: string): Promise<string> {
  const folder = join(cache, folderName(release));
  const stamp = join(folder, "installed");
  if (!existsSync(stamp)) await installInto(folder, release);
  const program = await findProgram(folder, release);
  // What does not start is installed anew the next time: its registry may have lacked a part of it.
  writeFileSync(stamp, "");
  return program;
}

/** "@openai/codex" 1.2.3 is in "openai-codex-1.2.3". */
export function folderName({ package: name, version }: Release): string {
  return `${name.replace("@", "").replace("/", "-")}-${version}`;
}

async function installInto(folder: string, { package: name, version }: Release): Promise<void> {
  mkdirSync(folder, { recursive: true });
  // Without one of its own, npm would install into the folder above.
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const { code, isOutOfTime, stderr } = await runLimited(
    "npm",
    [
      "install",
      "--prefix",
      folder,
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      `${name}@${version}`,
    ],
    { cwd: folder, env: process.env, limitMs: INSTALL_LIMIT_MS },
  );
  if (isOutOfTime) throw new Error(`npm took more than ${INSTALL_LIMIT_MS / 60_000} minutes`);
  if (code !== 0) throw new Error(npmReason(stderr));
}

const INSTALL_LIMIT_MS = 600_000;

/** The first line that says what went wrong, without the code that npm puts first. */
export function npmReason(stderr: string): string {
  const lines = stderr
    .split("\n")
    .filter((line) => line.startsWith("npm error "))
    .map((line) => line.slice("npm error ".length).trim())
    .filter((line) => line !== "" && !/^code\b/.test(line));
  return lines[0] ?? lastLine(stderr) ?? "npm gave no reason";
}

async function findProgram(folder: string, { programs }: Release): Promise<string> {
  let reason = "its package brings no program for this machine";
  for (const program of programs.map((each) => join(folder, "node_modules", each))) {
    if (!existsSync(program)) continue;
    const { code, isOutOfTime, stderr } = await runLimited(program, ["--version"], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder },
      limitMs: START_LIMIT_MS,
    });
    if (code === 0) return program;
    reason = isOutOfTime
      ? "it does not tell its version in time"
      : (lastLine(stderr) ?? `ended with ${code}`);
  }
  throw new Error(`it does not start: ${reason}`);
}

const START_LIMIT_MS = 60_000;
