import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, type Toolchain } from "#test/languages/toolchains.ts";

/** What makes a typed client of the API document. It is too large for the project's own dependencies. */
export const GENERATOR: Toolchain = {
  id: "openapi",
  probe: ["npm", "--version"],
  source: join(import.meta.dir, "client"),
  files: ["package.json", "package-lock.json"],
  build: [["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]],
  run: ["node"],
};

/** Where it is installed; undefined if it is not. */
export function generatorFolder(): string | undefined {
  const folder = join(cacheFolder(process.env), GENERATOR.id);
  return existsSync(join(folder, "installed")) ? folder : undefined;
}
