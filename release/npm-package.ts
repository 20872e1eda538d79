import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "#package.json" with { type: "json" };
import { buildGateway, type BuiltGateway } from "./gateway-build.ts";
import { writeNotices } from "./notices.ts";

/** Files of the repository that the package contains as they are. */
const COPIED = ["README.md", "CHANGELOG.md", "LICENSE", "run-child.mjs"];
export const NOTICES = "THIRD-PARTY-NOTICES.txt";

/**
 * Makes the folder that `npm publish` takes. The program is bundled with its
 * dependencies, so that an installation consists of it and of Bun: the
 * repository itself stays private, because it has parts that are not on npm.
 */
export async function makeNpmPackage(folder: string): Promise<BuiltGateway> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const built = await buildGateway(join(folder, "program"));
  for (const name of COPIED) cpSync(name, join(folder, name));
  cpSync("deploy/npm/sluice.mjs", join(folder, "sluice.mjs"));
  writeFileSync(join(folder, NOTICES), writeNotices(built.packages, manifest.dependencies.bun));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(published(), undefined, 2)}\n`);
  return built;
}

function published(): object {
  const { name, version, description, keywords, license, engines, dependencies } = manifest;
  return {
    name,
    version,
    description,
    keywords,
    license,
    type: "module",
    bin: { sluice: "sluice.mjs" },
    files: ["sluice.mjs", "run-child.mjs", "program", "CHANGELOG.md", NOTICES],
    engines,
    dependencies: { bun: dependencies.bun },
  };
}
