import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";

const FIRST_LOAD_BYTES = 100 * 1_024;

interface PackedFile {
  readonly name: string;
  readonly identity: readonly [number, number];
  readonly gzip?: readonly [number, number];
}

let files: readonly PackedFile[];
let contents: Buffer;

beforeAll(() => {
  const pack = readFileSync("console/dist/console.pack");
  const end = pack.indexOf(10);
  ({ files } = JSON.parse(pack.subarray(0, end).toString()) as { files: readonly PackedFile[] });
  contents = pack.subarray(end + 1);
});

for (const page of ["login", "home", "logs", "keys", "channels", "models", "playground", "docs"])
  test(`the first load of the page ${page} is at most 100 KB compressed`, () => {
    const loaded = withImports(["index.html", ...namedIn("index.html"), ...named(page)]);
    const bytes = loaded.reduce((sum, name) => sum + weightOf(file(name)), 0);

    // The lower bound: else the page would have been counted without its script.
    expect(bytes).toBeGreaterThan(50 * 1_024);
    expect(bytes).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
  });

for (const part of ["chart", "playground", "docs"])
  test(`the part ${part} is loaded only when it is opened`, () => {
    const own = named(part);

    expect(own).toHaveLength(1);
    for (const page of ["home", "logs", "keys", "login"])
      expect(withImports(["index.html", ...namedIn("index.html"), ...named(page)])).not.toContain(
        own[0],
      );
  });

/** The script that has the name of a page. */
function named(part: string): readonly string[] {
  const found = files.map(({ name }) => name).filter((name) => name.startsWith(`${part}-`));
  if (found.length === 0) throw new Error(`The pack has no script of ${part}.`);
  return found;
}

/** Files of the pack that a file names. */
function namedIn(name: string): readonly string[] {
  const text = textOf(file(name));
  return files.map((each) => each.name).filter((each) => each !== name && text.includes(each));
}

/** These files and the scripts that they import at once: `import("...")` is later. */
function withImports(names: readonly string[]): readonly string[] {
  const all = new Set(names);
  for (const name of all) {
    if (!name.endsWith(".js")) continue;
    const text = textOf(file(name));
    for (const [, imported = ""] of text.matchAll(
      /(?:\bfrom|\bimport)\s*"(?:\.|\/console)?\/([^"]+)"/g,
    ))
      all.add(imported);
  }
  return [...all];
}

function file(name: string): PackedFile {
  const found = files.find((each) => each.name === name);
  if (found === undefined) throw new Error(`The pack has no ${name}.`);
  return found;
}

function textOf({ identity: [from, length] }: PackedFile): string {
  return contents.subarray(from, from + length).toString();
}

function weightOf({ gzip, identity }: PackedFile): number {
  return (gzip ?? identity)[1];
}
