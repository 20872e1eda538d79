import { expect, test } from "bun:test";
import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseJson } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { openWithRoot, ROOT } from "#test/accounts.ts";
import { runLimited } from "#test/agents/limited-run.ts";
import { writeDocument } from "./document.ts";

/** The console has the generator. */
const GENERATOR = resolve("console/node_modules/openapi-typescript/bin/cli.js");
/** A native program, which takes a third of the time of the generator's own TypeScript. */
const COMPILER = resolve("node_modules/typescript/bin/tsc");

test("a typed client generated from the API document compiles, and its calls return the declared types", async () => {
  using document = writeDocument();
  const cwd = document.folder;
  const run = async (...args: readonly string[]): Promise<string> => {
    const ended = await runLimited("node", args, { cwd, env: process.env, limitMs: 120_000 });
    if (ended.code !== 0) throw new Error(ended.stdout + ended.stderr);
    return ended.stdout;
  };
  await run(GENERATOR, document.path, "-o", "api.d.ts");
  writeFileSync(join(cwd, "package.json"), '{"type":"module"}');
  symlinkSync(resolve("node_modules"), join(cwd, "node_modules"));
  copyFileSync(join(import.meta.dir, "client", "calls.ts"), join(cwd, "calls.ts"));
  const strict = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes"];
  const modules = ["--module", "nodenext", "--target", "esnext", "--allowImportingTsExtensions"];
  await run(
    COMPILER,
    "--outDir",
    "built",
    ...strict,
    ...modules,
    "--rewriteRelativeImportExtensions",
    "--skipLibCheck",
    "--checkers",
    "1",
    "calls.ts",
  );

  await using gateway = await openWithRoot();
  const printed = await run("built/calls.js", gateway.url, ROOT.email, ROOT.password);
  const calls = printed
    .trim()
    .split("\n")
    .map((line) => parseJson(line));

  expect(calls.filter((call) => memberOf(call, "isGood") !== true)).toEqual([]);
  const operations = new Set(calls.map((call) => textOf(memberOf(call, "operation"))));
  expect(operations.size).toBeGreaterThanOrEqual(10);
}, 180_000);
