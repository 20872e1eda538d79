import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * Builds the documentation into one file, which the gateway serves at /docs and an executable
 * embeds. Does nothing if no source has changed. `--html` also writes the site as a folder.
 */
const root = join(import.meta.dir, "..");
const dist = join(import.meta.dir, "dist");
const pack = join(dist, "docs.pack");
const folder = process.argv.includes("--html") ? join(dist, "html") : undefined;

const sources = digestOfSources();
if (folder !== undefined || !isBuilt()) await build();

async function build(): Promise<void> {
  // Loading the gateway's code takes longer than finding that nothing changed.
  const { makeSite } = await import("./site.ts");
  const { writePack } = await import("./pack.ts");
  const { files, redirects, inputs, problems, pages } = await makeSite(root);
  if (problems.length > 0) {
    process.stderr.write(`The documentation was not built:\n${problems.join("\n")}\n`);
    process.exitCode = 1;
    return;
  }
  mkdirSync(dist, { recursive: true });
  // A release names the packages that its files contain.
  writeFileSync(join(dist, "inputs.json"), JSON.stringify(inputs));
  writePack(pack, files, { sources, redirects });
  if (folder === undefined) return;
  rmSync(folder, { recursive: true, force: true });
  for (const { name, content } of files) {
    const path = join(folder, "docs", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  process.stdout.write(
    `${pages} pages. \`npm start\` serves them at /docs; ${relative(root, folder)} has them as files.\n`,
  );
}

function isBuilt(): boolean {
  if (!existsSync(pack)) return false;
  const bytes = readFileSync(pack);
  return bytes.subarray(0, bytes.indexOf(10)).includes(sources);
}

/** Pages are made of documents and of the gateway's code, and link to files for operators. */
function digestOfSources(): string {
  const hash = createHash("sha256");
  const folders = ["docs", "deploy", "site", "src"].flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const beside = readdirSync(root)
    .filter((name) => /\.(md|ya?ml)$|^package.*\.json$/.test(name))
    .map((name) => join(root, name));
  const all = [...folders, ...beside].filter((path) => !path.startsWith(dist));
  for (const path of all.toSorted()) hash.update(relative(root, path)).update(readFileSync(path));
  return hash.digest("hex");
}
