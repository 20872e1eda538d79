import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { BunPlugin } from "bun";
import { ENTRY_POINTS } from "../entry-points.ts";
import { packagesOf, type IncludedPackage } from "./included-packages.ts";

/** Options of both kinds of builds: the program of the npm package, and the executable. */
export const BUILD_OPTIONS = {
  entrypoints: ENTRY_POINTS,
  minify: true,
  define: { "process.env.NODE_ENV": '"production"' },
} as const;

export interface BuiltGateway {
  /** Packages with files in the program or in its pages. */
  readonly packages: readonly IncludedPackage[];
}

/** Builds the program for an installed Bun; an executable consists of the same files. */
export async function buildGateway(folder: string): Promise<BuiltGateway> {
  const { success, logs, metafile } = await Bun.build({
    ...BUILD_OPTIONS,
    target: "bun",
    root: "src",
    outdir: folder,
    splitting: true,
    naming: { entry: "[dir]/[name].[ext]", chunk: "[name]-[hash].[ext]" },
    plugins: [filesBeside(folder)],
    metafile: true,
    throw: false,
  });
  if (!success) {
    const reasons = logs.map(({ message }) => message).join("\n");
    throw new Error(`The gateway was not built: ${reasons}`);
  }
  const pageInputs = ["console", "site"].flatMap(
    (name) => JSON.parse(readFileSync(`${name}/dist/inputs.json`, "utf8")) as string[],
  );
  return { packages: packagesOf([...Object.keys(metafile?.inputs ?? {}), ...pageInputs]) };
}

/**
 * Copies imported files into the folder of the program. Without it, their paths in the program are
 * relative to the folder in which the command runs.
 */
function filesBeside(folder: string): BunPlugin {
  return {
    name: "files beside the program",
    setup(build) {
      build.onLoad({ filter: /\.(pack|tiktoken)$/ }, ({ path }) => {
        const name = basename(path);
        mkdirSync(folder, { recursive: true });
        copyFileSync(path, join(folder, name));
        return { loader: "js", contents: pathModule(name) };
      });
    },
  };
}

/** An entry point is up to two folders below the files. */
function pathModule(name: string): string {
  return `
    import { existsSync } from "node:fs";
    import { join } from "node:path";
    export default ["", "..", "../.."]
      .map((up) => join(import.meta.dirname, up, ${JSON.stringify(name)}))
      .find((path) => existsSync(path));
  `;
}
