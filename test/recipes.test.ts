import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { TEST_PROCESS } from "#test/process-settings.ts";
import { openScratchFolder } from "#test/scratch-folder.ts";

/** The recipes whose files and lines are complete in the document. */
const RECIPES = [
  "provider",
  "adapter",
  "setting",
  "endpoint",
  "migration",
  "stored-object",
  "style",
];

const FOLDERS = ["src", "test", "packages"];
const OTHER_FILES = ["package.json", "tsconfig.json"];
/** The compiler ends soon: collecting its garbage would take a third of its time. */
const KEEP_GARBAGE = { GOGC: "off", GOMEMLIMIT: "3GiB" };

test("a reader who follows the recipes gets code that compiles and passes its tests", () => {
  using folder = openScratchFolder();
  const root = folder.path;
  for (const name of [...FOLDERS, ...OTHER_FILES]) {
    cpSync(name, join(root, name), { recursive: true });
  }
  symlinkSync(resolve("node_modules"), join(root, "node_modules"));

  const recipes = RECIPES.map((name) => readFileSync(`docs/adding/${name}.md`, "utf8"));
  const written = recipes.flatMap((text) => stepsOf(text).map((step) => follow(step, root)));
  const tests = recipes.flatMap(testsOf);

  expect(recipes.map((text) => testsOf(text).length > 0)).toEqual(recipes.map(() => true));
  expect(typeErrorsIn(root, written)).toBe("");
  expect(outcomeOf(tests, root)).toEqual({ status: 0, failures: [] });
}, 600_000);

interface Step {
  readonly verb: string;
  readonly path: string;
  /** The line that is replaced, or after which the block is added; undefined for a new file or the end of one. */
  readonly line: string | undefined;
  readonly block: string;
}

/**
 * "Create `FILE`.", "Add to `FILE`, after `LINE`." and "Replace in `FILE` the
 * line `LINE`.", each followed by a block of code.
 */
function stepsOf(recipe: string): readonly Step[] {
  const pattern =
    /(Create|Add to|Replace in) `([^`\n]+)`(?:(?:, after| the line) `([^`\n]+)`)?\.\n\n```ts\n([^]*?\n)```/g;
  const steps = [...recipe.matchAll(pattern)].map(
    ([, verb = "", path = "", line, block = ""]): Step => ({ verb, path, line, block }),
  );
  expect(steps.length).toBe(recipe.split("```ts").length - 1);
  return steps;
}

function testsOf(recipe: string): readonly string[] {
  const [, paths = ""] = /Run `node launch\.mjs test ([^`]+)`/.exec(recipe) ?? [];
  return paths.split(" ").filter((path) => path !== "");
}

function follow({ verb, path, line, block }: Step, root: string): string {
  const file = join(root, path);
  const isNew = verb === "Create";
  if (existsSync(file) === isNew) throw new Error(`The recipe is outdated: ${path}`);
  mkdirSync(dirname(file), { recursive: true });
  const text = isNew ? "" : readFileSync(file, "utf8");
  if (line === undefined) {
    writeFileSync(file, text + block);
  } else {
    const replacement = verb === "Add to" ? `${line}\n${block}` : block;
    writeFileSync(file, replaceLine(text, line, replacement, path));
  }
  return path;
}

function replaceLine(text: string, line: string, replacement: string, path: string): string {
  const [before, ...rest] = text.split(`${line}\n`);
  if (rest.length !== 1) throw new Error(`The recipe is outdated: '${line}' in ${path}`);
  return `${before}${replacement}${rest.join("")}`;
}

/** One run of the compiler for all recipes, over their files and all that these import. */
function typeErrorsIn(root: string, files: readonly string[]): string {
  const config = {
    extends: "./tsconfig.json",
    include: ["src/**/*.d.ts"],
    files: [...new Set(files)],
  };
  writeFileSync(join(root, "tsconfig.recipes.json"), JSON.stringify(config));
  const compiler = resolve("node_modules/typescript/bin/tsc");
  // A second checker would find again most of the types of the first.
  const args = [compiler, "-p", "tsconfig.recipes.json", "--checkers", "1"];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...KEEP_GARBAGE },
  });
  return stdout + stderr;
}

function outcomeOf(tests: readonly string[], root: string) {
  const { status, stderr } = spawnSync(process.execPath, ["test", "--timeout=120000", ...tests], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...TEST_PROCESS },
  });
  const failures =
    status === 0 ? [] : stderr.split("\n").filter((line) => !line.startsWith("(pass)"));
  return { status, failures };
}
