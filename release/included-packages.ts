import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A package of npm whose files are part of a build. */
export interface IncludedPackage {
  readonly name: string;
  readonly version: string;
  /** The identifier of its license, as the package declares it. */
  readonly license: string;
  readonly homepage: string | undefined;
  /** The texts of its license and notice files. */
  readonly texts: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly homepage?: string;
}

const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
const LEGAL_FILE = /^(licen[cs]e|copying|notice)(\.|-|$)/i;

/** The packages that hold these files, each version once, by name. */
export function packagesOf(paths: readonly string[]): readonly IncludedPackage[] {
  const folders = new Set(paths.flatMap((path) => PACKAGE_FOLDER.exec(path)?.[0] ?? []));
  const byId = new Map<string, IncludedPackage>();
  for (const folder of folders) {
    const found = readPackage(folder);
    byId.set(`${found.name}@${found.version}`, found);
  }
  return [...byId.keys()].toSorted().flatMap((id) => byId.get(id) ?? []);
}

function readPackage(folder: string): IncludedPackage {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const { name, version, license, homepage } = manifest;
  if (typeof license !== "string") throw new Error(`${folder}/package.json names no license.`);
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LEGAL_FILE.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), "utf8").trim());
  return { name, version, license, homepage, texts };
}
