import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Which folder may import which. The whole architecture is this table: a
 * change to it is a decision, not a detail.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  core: ["lib"],
  config: ["core", "lib"],
  catalog: ["core", "lib"],
  styles: ["core", "lib"],
  providers: ["styles", "core", "lib"],
  egress: ["core", "lib"],
  relay: ["providers", "styles", "egress", "core", "lib"],
  storage: ["core", "lib"],
  http: ["relay", "styles", "providers", "config", "core", "lib"],
  jobs: ["relay", "storage", "core", "lib"],
  importers: ["config", "core", "lib"],
  cli: ["config", "catalog", "importers", "relay", "storage", "core", "lib"],
  workers: ["core", "lib"],
};

/** The composition root, which may import every folder; by its files, who may import them. */
const COMPOSERS: Readonly<Record<string, readonly string[]>> = {
  "main.ts": [],
  "runtime-settings.ts": ["main.ts"],
  "start.ts": ["main.ts"],
  "version.ts": ["main.ts", "gateway.ts", "gateway"],
  "gateway.ts": ["main.ts", "start.ts"],
  gateway: ["gateway.ts", "gateway"],
};

/** Places that may use interfaces of Bun; other code runs on any runtime. */
const MAY_USE_BUN = ["http/server.ts", "egress/", "storage/", "lib/"];

/** A wire format may have the name of its vendor. */
const STYLE_NAMES = readdirSync("src/styles/text");
const VENDOR_NAMES = readdirSync("src/providers")
  .filter(
    (file) =>
      file.endsWith(".ts") &&
      !["index.ts", "provider.ts", "vendors.ts", "openai-compatible.ts"].includes(file),
  )
  .map((file) => file.replace(/(\.test)?\.ts$/, ""))
  .filter((name) => !STYLE_NAMES.includes(name));

/**
 * `simulator.ts` connects each simulated vendor to its provider. The other files
 * have settings whose public values contain a vendor's name.
 */
const MAY_NAME_VENDORS = ["gateway/simulator.ts", "config.ts", "http/api/image/shape.ts"];

const files = listSources("src").map((path) => ({
  path: path.slice("src/".length),
  text: readFileSync(path, "utf8"),
}));
const product = files.filter(({ path }) => !path.endsWith(".test.ts"));

test("a folder imports only the folders in its table row", () => {
  const violations = product
    .filter(({ path }) => !(folderOf(path) in COMPOSERS))
    .flatMap(({ path, text }) => {
      const folder = folderOf(path);
      const allowed = [folder, ...(MAY_IMPORT[folder] ?? [])];
      return importsOf(text)
        .map((target) => targetFolder(target, path))
        .filter((target) => target !== undefined && !allowed.includes(target))
        .map((target) => `${path} imports ${target}`);
    });

  expect(violations).toEqual([]);
});

test("routes use the schemas of documents, but no settings", () => {
  const violations = product
    .filter(({ path }) => folderOf(path) === "http")
    .flatMap(({ path, text }) => importsOf(text).map((target) => ({ path, target })))
    .filter(({ target }) => target.startsWith("#config"))
    .filter(({ target }) => !target.startsWith("#config/documents/"));

  expect(violations).toEqual([]);
});

test("every folder is in the table", () => {
  const folders = new Set(
    files.map(({ path }) => folderOf(path)).filter((folder) => !folder.endsWith(".ts")),
  );

  const inNone = [...folders].filter((each) => !(each in MAY_IMPORT || each in COMPOSERS));
  expect(inNone).toEqual([]);
});

test("only the program imports the composition root", () => {
  const violations = product.flatMap(({ path, text }) =>
    importsOf(text)
      .map((target) => targetFolder(target, path))
      .filter((target = "") => COMPOSERS[target]?.includes(folderOf(path)) === false)
      .map((target) => `${path} imports ${target}`),
  );

  expect(violations).toEqual([]);
});

test("only providers, the catalogue and importers name a vendor in code", () => {
  const names = new RegExp(`["'\`](${VENDOR_NAMES.join("|")})["'\`]`);
  const violations = product
    .filter(({ path }) => !/^(providers|catalog|importers)\//.test(path))
    .filter(({ path }) => !MAY_NAME_VENDORS.includes(path))
    .filter(({ text }) => names.test(withoutComments(text)));

  expect(violations.map(({ path }) => path)).toEqual([]);
});

test("only a few places use interfaces of Bun", () => {
  const violations = product
    .filter(({ path }) => !MAY_USE_BUN.some((place) => path.startsWith(place)))
    .filter(({ text }) => /\bBun\.|from "bun[:"]/.test(withoutComments(text)));

  expect(violations.map(({ path }) => path)).toEqual([]);
});

test("requests leave only through egress", () => {
  const violations = product
    // The command line is a client of the management API.
    .filter(({ path }) => !path.startsWith("egress/") && path !== "cli/client.ts")
    .filter(({ text }) => /(?<![.\w])fetch\(|node:https?"|\bundici\b/.test(withoutComments(text)));

  expect(violations.map(({ path }) => path)).toEqual([]);
});

test("no code starts programs or evaluates text", () => {
  const violations = product
    // It starts the gateway itself.
    .filter(({ path }) => path !== "workers/worker-process.ts")
    .filter(({ text }) => /child_process|\bnew Function\b|\beval\(/.test(withoutComments(text)));

  expect(violations.map(({ path }) => path)).toEqual([]);
});

test("only storage contains SQL", () => {
  const violations = product
    .filter(({ path }) => !path.startsWith("storage/"))
    .filter(({ text }) =>
      /\b(SELECT .* FROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b/.test(withoutComments(text)),
    );

  expect(violations.map(({ path }) => path)).toEqual([]);
});

test("the simulators import no code of the gateway", () => {
  const violations = listSources("packages").filter((path) =>
    importsOf(readFileSync(path, "utf8")).some(
      (each) => each.startsWith("#") || each.includes("/src/"),
    ),
  );

  expect(violations).toEqual([]);
});

test("the measurement of other gateways runs without this project's packages", () => {
  const violations = listSources("packages/truth")
    .filter((path) => !path.endsWith(".test.ts"))
    .filter((path) =>
      importsOf(readFileSync(path, "utf8")).some((each) => !/^(node:|\.\.?\/)/.test(each)),
    );

  expect(violations).toEqual([]);
});

function listSources(root: string): string[] {
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function importsOf(text: string): string[] {
  const pattern = /(?:from|import)\s*\(?\s*["']([^"']+)["']/g;
  return [...text.matchAll(pattern)].map(([, target]) => target ?? "");
}

/** The folder of `src` that an import leads to; undefined for packages. */
function targetFolder(target: string, from: string): string | undefined {
  if (target.startsWith("#")) return folderOf(target.slice(1));
  return target.startsWith(".") ? folderOf(join(dirname(from), target)) : undefined;
}

function folderOf(path: string): string {
  const [first = "", ...rest] = path.split("/");
  return rest.length === 0 ? first.replace(/^config\.ts$/, "config") : first;
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

test("every export is imported by another file", () => {
  const folders = ["src", "test", "bench", "packages", "release", "site"];
  const sources = folders.flatMap(listSources).filter((path) => !path.includes("/dist/"));
  const imported = importedNames([...sources, "build.ts"]);
  const unused = sources.flatMap((path) => {
    const names = imported.get(path);
    return [...readFileSync(path, "utf8").matchAll(EXPORTED)]
      .map(([, name = ""]) => name)
      .filter((name) => names?.has(name) !== true && names?.has("*") !== true)
      .map((name) => `${path} exports ${name}`);
  });

  expect(unused).toEqual([]);
});

const IMPORT = /(?:import|export)\s+([^;"']*?)\s*from\s*["']([^"']+)["']/g;
const DYNAMIC_IMPORT = /import\(\s*["']([^"']+)["']\s*\)/g;
const EXPORTED =
  /^export (?:abstract |async )*(?:class|interface|type|function\*?|const|let) ([\w$]+)/gm;

/** The imported names of each file; `*` if a file is imported as a whole. */
function importedNames(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const imported = new Map<string, Set<string>>();
  const note = (target: string, importer: string, name: string): void => {
    const file = fileOf(target, importer);
    imported.set(file, (imported.get(file) ?? new Set()).add(name));
  };
  for (const path of paths) {
    const text = readFileSync(path, "utf8");
    for (const [, list = "", target = ""] of text.matchAll(IMPORT)) {
      const members = /\{([^}]*)\}/.exec(list)?.[1];
      for (const name of members?.split(",") ?? ["*"]) {
        note(
          target,
          path,
          name
            .trim()
            .replace(/^type /, "")
            .split(" as ")[0] ?? "",
        );
      }
    }
    for (const [, target = ""] of text.matchAll(DYNAMIC_IMPORT)) note(target, path, "*");
  }
  return imported;
}

/** The path of an imported file; of a package, its name. */
function fileOf(target: string, importer: string): string {
  if (target.startsWith("#test/")) return `test/${target.slice("#test/".length)}`;
  if (target.startsWith("@sluice/sandbox/")) {
    return `packages/sandbox/${target.slice("@sluice/sandbox/".length)}`;
  }
  if (target.startsWith("#")) return `src/${target.slice(1)}`;
  return join(dirname(importer), target);
}
