import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { basename, extname, join, relative, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import tailwind from "bun-plugin-tailwind";
import { writeAbout } from "./about.ts";
import { firstRequestsOf, PAGE_PATHS } from "./src/paths.ts";

/**
 * Builds the console into one file, which the gateway serves and an executable
 * embeds: a line of JSON that lists the files, then their bytes, each as it is
 * and compressed. Does nothing if the sources have not changed.
 */
interface PackedFile {
  /** The name below /console/; of the page itself, `index.html`. */
  readonly name: string;
  readonly type: string;
  /** Offset and length after the first line. */
  readonly identity: readonly [number, number];
  readonly gzip?: readonly [number, number];
  readonly br?: readonly [number, number];
}

/** The modules of React, and those of Preact that replace them. */
const PREACT: Readonly<Record<string, string>> = {
  react: "preact/compat",
  "react/jsx-runtime": "preact/jsx-runtime",
  "react-dom": "preact/compat",
  "react-dom/client": "preact/compat/client",
};

const folder = import.meta.dir;
const pack = join(folder, "dist", "console.pack");
const about = writeAbout();
const sources = digestOfSources();
if (existsSync(pack) && readFirstLine(pack).includes(sources)) process.exit(0);

const built = await Bun.build({
  entrypoints: [join(folder, "src", "index.html")],
  minify: true,
  splitting: true,
  target: "browser",
  publicPath: "/console/",
  plugins: [tailwind, preactAsReact()],
  define: { "process.env.NODE_ENV": '"production"' },
  naming: {
    chunk: "[name]-[hash].[ext]",
    entry: "[name]-[hash].[ext]",
    asset: "[name]-[hash].[ext]",
  },
  metafile: true,
  throw: false,
});
if (!built.success) {
  process.stderr.write(
    `The console was not built: ${built.logs.map(({ message }) => message).join("\n")}\n`,
  );
  process.exit(1);
}

const parts: Uint8Array[] = [];
let offset = 0;
const files: PackedFile[] = [];
for (const output of built.outputs) {
  const bytes = Buffer.from(await output.arrayBuffer());
  const compressed = {
    gzip: gzipSync(bytes, { level: 9 }),
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  };
  const isSmaller = compressed.gzip.length < bytes.length;
  files.push({
    name: nameOf(output.path),
    type: output.type,
    identity: put(bytes),
    ...(isSmaller ? { gzip: put(compressed.gzip), br: put(compressed.br) } : {}),
  });
}
mkdirSync(join(folder, "dist"), { recursive: true });
// A release names the packages that its files contain.
writeFileSync(join(folder, "dist", "inputs.json"), JSON.stringify(inputsOf(built)));
const texts = new Map(
  await Promise.all(
    built.outputs.map(async (each) => [nameOf(each.path), await each.text()] as const),
  ),
);
const pages = PAGE_PATHS.map((path) => ({
  path,
  scripts: scriptsOf(path),
  requests: firstRequestsOf(path),
}));
const head = Buffer.from(`${JSON.stringify({ sources, pages, files })}\n`);
// Other processes may read the pack meanwhile.
writeFileSync(`${pack}.new`, Buffer.concat([head, ...parts]));
renameSync(`${pack}.new`, pack);

/**
 * Pages and libraries import React. Preact has the same interface in a fifth of its size, which
 * phones notice at the first load.
 */
function preactAsReact(): Bun.BunPlugin {
  return {
    name: "preact-as-react",
    setup(build) {
      build.onResolve({ filter: /^react(-dom)?(\/.+)?$/ }, ({ path }) => {
        const meant = PREACT[path];
        if (meant === undefined) throw new Error(`Preact has no module for '${path}'.`);
        return { path: Bun.resolveSync(meant, folder) };
      });
    },
  };
}

/** The paths of all files that are part of the build, relative to the repository. */
function inputsOf({ metafile }: Bun.BuildOutput): readonly string[] {
  const repository = join(folder, "..");
  const modules = Object.keys(metafile?.inputs ?? {}).map((path) => resolve(path));
  // The plugin compiles it into the styles, which the list of modules does not show.
  const styles = Bun.resolveSync("tailwindcss/index.css", folder);
  return [...modules, styles].map((path) => relative(repository, path));
}

function put(bytes: Uint8Array): readonly [number, number] {
  parts.push(bytes);
  offset += bytes.length;
  return [offset - bytes.length, bytes.length];
}

function nameOf(path: string): string {
  return extname(path) === ".html" ? "index.html" : basename(path);
}

/** The script that has the name of a page, and those that it imports at once. */
function scriptsOf(path: string): readonly string[] {
  const [name = ""] = path === "/" ? ["home"] : path.slice(1).split("/");
  const own = files.find((file) => file.name.startsWith(`${name}-`) && file.name.endsWith(".js"));
  const all = new Set(own === undefined ? [] : [own.name]);
  for (const each of all) {
    const imports = (texts.get(each) ?? "").matchAll(
      /(?:\bfrom|\bimport)\s*"(?:\.|\/console)?\/([^"]+)"/g,
    );
    for (const [, imported = ""] of imports) all.add(imported);
  }
  // The page itself names the common script.
  const html = texts.get("index.html") ?? "";
  return [...all].filter((each) => !html.includes(each));
}

function digestOfSources(): string {
  const hash = createHash("sha256").update(about);
  const names = readdirSync(join(folder, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const all = [...names, join(folder, "build.ts"), join(folder, "package.json")];
  for (const name of all.toSorted())
    hash.update(name.slice(folder.length)).update(readFileSync(name));
  return hash.digest("hex");
}

function readFirstLine(path: string): string {
  const bytes = readFileSync(path);
  return bytes.subarray(0, bytes.indexOf(10)).toString();
}
