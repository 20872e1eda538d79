#!/usr/bin/env node
// The command of the npm package: runs the gateway with the Bun that npm installed beside it.
// Data and sluice.yaml are those of the folder in which the command runs.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { firstThatRuns, GATEWAY_SETTINGS, runChild } from "./run-child.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const bunPackage = require.resolve("bun/package.json");
const bun = firstThatRuns(platformFolders(), [join(dirname(bunPackage), "bin", "bun.exe")]);
if (bun === undefined) {
  process.stderr.write(
    `npm installed no Bun for ${process.platform}-${process.arch}. Install again without --omit=optional.\n`,
  );
  process.exit(1);
}
const args = [join(folder, "program", "main.js"), ...process.argv.slice(2)];
process.exitCode = await runChild(bun, args, { cwd: process.cwd(), settings: GATEWAY_SETTINGS });

/** The package `bun` names one package for each platform; npm installs those that fit. */
function platformFolders() {
  const { optionalDependencies } = JSON.parse(readFileSync(bunPackage, "utf8"));
  const { resolve } = createRequire(bunPackage);
  return Object.keys(optionalDependencies).flatMap((name) => {
    try {
      return [dirname(resolve(`${name}/package.json`))];
    } catch {
      return [];
    }
  });
}
