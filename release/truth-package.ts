import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SOURCES = "packages/truth";

/** The measurement of other gateways as a package of JavaScript, which Node runs without this repository. */
export async function makeTruthPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const built = await Bun.build({
    entrypoints: [join(SOURCES, "main.ts"), join(SOURCES, "template/gateway.ts")],
    root: SOURCES,
    target: "node",
    outdir: join(folder, "dist"),
    banner: "#!/usr/bin/env node",
  });
  if (!built.success) throw new Error(built.logs.map(({ message }) => message).join("\n"));
  copyFileSync(join(SOURCES, "README.md"), join(folder, "README.md"));
  // The template is to be copied, so its source is a part of the package.
  mkdirSync(join(folder, "adapters"));
  copyFileSync(join(SOURCES, "adapters/template.ts"), join(folder, "adapters/template.ts"));
  const manifest = JSON.parse(readFileSync(join(SOURCES, "package.json"), "utf8")) as object;
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ ...manifest, private: undefined }, null, 2)}\n`,
  );
}
