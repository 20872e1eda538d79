import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "#package.json" with { type: "json" };
import { createBill } from "./bill-of-materials.ts";
import { releaseNotes } from "./changelog.ts";
import { compileGateway, TARGETS } from "./executables.ts";
import { makeNpmPackage, NOTICES } from "./npm-package.ts";

/**
 * Makes all files of the release of the current version. Returns the platforms whose executable
 * could not be made, each with the reason.
 */
export async function makeArtifacts(folder: string): Promise<readonly string[]> {
  const { version } = manifest;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const npmFolder = join(folder, "npm");
  const { packages } = await makeNpmPackage(npmFolder);
  run("npm", ["pack", `./${npmFolder}`, "--pack-destination", folder]);
  copyFileSync(join(npmFolder, NOTICES), join(folder, NOTICES));
  rmSync(npmFolder, { recursive: true });
  const bill = createBill(packages, version, manifest.dependencies.bun);
  writeJson(join(folder, `sluice-${version}.cdx.json`), bill);
  writeFileSync(
    join(folder, "NOTES.md"),
    releaseNotes(readFileSync("CHANGELOG.md", "utf8"), version),
  );
  const missing = await makeExecutables(folder, version);
  writeFileSync(join(folder, "SHA256SUMS"), checksums(folder));
  return missing;
}

async function makeExecutables(folder: string, version: string): Promise<readonly string[]> {
  const work = join(folder, "executable");
  const missing: string[] = [];
  for (const [platform, target] of Object.entries(TARGETS)) {
    mkdirSync(work);
    for (const name of ["LICENSE", "CHANGELOG.md"]) copyFileSync(name, join(work, name));
    copyFileSync(join(folder, NOTICES), join(work, NOTICES));
    const fault = await compileGateway(join(work, "sluice"), target);
    if (fault === undefined) pack(work, join(folder, `sluice-${version}-${platform}.tar.gz`));
    else missing.push(`${platform}: ${fault}`);
    rmSync(work, { recursive: true });
  }
  return missing;
}

function pack(work: string, archive: string): void {
  run("tar", ["-czf", archive, "-C", work, "sluice", "LICENSE", "CHANGELOG.md", NOTICES]);
}

/** In the form that `sha256sum --check` reads. */
function checksums(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted()
    .map((name) => `${digestOf(join(folder, name))}  ${name}\n`)
    .join("");
}

function digestOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}

function run(program: string, words: readonly string[]): void {
  const { status, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} failed: ${stderr}`);
}
