import { spawnSync } from "node:child_process";
import { makeArtifacts } from "./artifacts.ts";
import { makeNpmPackage } from "./npm-package.ts";
import { makeTruthPackage } from "./truth-package.ts";
import { prepareRelease } from "./prepare.ts";

const PACKAGE = "dist/npm";
const TRUTH = "dist/truth";
const ARTIFACTS = "dist/release";
const USAGE = `Usage:
  npm run release -- major|minor|patch|VERSION [--no-tests]
      checks the tree, writes the next version and its changelog, and makes the files of the release
  npm run release -- artifacts   makes the files of the current version in ${ARTIFACTS}
  npm run release -- package     makes the npm package in ${PACKAGE}
  npm run release -- truth       makes the npm package gateway-truth in ${TRUTH}
`;

const [command, ...options] = process.argv.slice(2);
try {
  process.exitCode = await run();
} catch (cause) {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = 1;
}

async function run(): Promise<number> {
  switch (command) {
    case undefined:
    case "help":
    case "--help":
      process.stdout.write(USAGE);
      return command === undefined ? 2 : 0;
    case "package":
      await makeNpmPackage(PACKAGE);
      process.stdout.write(`${PACKAGE}: publish it with \`npm publish ./${PACKAGE}\`\n`);
      return 0;
    case "truth":
      await makeTruthPackage(TRUTH);
      process.stdout.write(`${TRUTH}: publish it with \`npm publish ./${TRUTH}\`\n`);
      return 0;
    case "artifacts":
      return report(await makeArtifacts(ARTIFACTS));
    default:
      return prepare(command);
  }
}

function prepare(word: string): number {
  const version = prepareRelease(word, !options.includes("--no-tests"));
  // A new process reads the new version.
  const made = spawnSync("node", ["launch.mjs", "release", "artifacts"], { stdio: "inherit" });
  process.stdout.write(
    `Version ${version} is written. Read CHANGELOG.md, then:\n` +
      `  git commit -am "release: ${version}" && git tag v${version}\n` +
      "  git push --follow-tags\n",
  );
  return made.status ?? 1;
}

function report(missing: readonly string[]): number {
  for (const each of missing) process.stderr.write(`No executable for ${each}\n`);
  process.stdout.write(`${ARTIFACTS}: ${missing.length === 0 ? "complete" : "incomplete"}\n`);
  return missing.length === 0 ? 0 : 1;
}
