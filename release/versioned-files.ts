import { readFileSync, writeFileSync } from "node:fs";

/** Files that name the version, with the text around it. */
export const VERSIONED: readonly (readonly [path: string, before: string, after: string])[] = [
  ["package.json", '"version": "', '"'],
  ["package.json", '"@sluice/sandbox": "', '"'],
  ["packages/sandbox/package.json", '"version": "', '"'],
  ["console/package.json", '"version": "', '"'],
  ["Dockerfile", "ARG VERSION=", "\n"],
  ["compose.yaml", "${SLUICE_VERSION:-", "}"],
  ["compose.full.yaml", "${SLUICE_VERSION:-", "}"],
  ["docs/install.md", "sluice:", " "],
  ["docs/install.md", "sluice:", "\n"],
  ["docs/install-and-run.md", "sluice-", ".tgz"],
  ["deploy/helm/sluice/Chart.yaml", "\nversion: ", "\n"],
  ["deploy/helm/sluice/Chart.yaml", "appVersion: ", "\n"],
];

interface Lockfile {
  version: string;
  readonly packages: Record<string, { version?: string; dependencies?: Record<string, string> }>;
}

/** Writes the new version everywhere. */
export function writeVersion(from: string, to: string): void {
  for (const [path, before, after] of VERSIONED) {
    const text = readFileSync(path, "utf8");
    const written = replaceVersion(text, `${before}${from}${after}`, `${before}${to}${after}`);
    if (written === undefined) throw new Error(`${path} does not name version ${from}.`);
    writeFileSync(path, written);
  }
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lockfile;
  writeFileSync("package-lock.json", `${JSON.stringify(relock(lock, to), undefined, 2)}\n`);
}

function replaceVersion(text: string, written: string, now: string): string | undefined {
  return text.includes(written) ? text.replaceAll(written, now) : undefined;
}

function relock(lock: Lockfile, version: string): Lockfile {
  lock.version = version;
  for (const path of ["", "packages/sandbox", "console"]) {
    const entry = lock.packages[path];
    if (entry !== undefined) entry.version = version;
  }
  const dependencies = lock.packages[""]?.dependencies;
  if (dependencies !== undefined) dependencies["@sluice/sandbox"] = version;
  return lock;
}
