import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The most lines that two places may have in common. */
const MAX_SHARED_LINES = 10;
const RUN = MAX_SHARED_LINES + 1;

interface Source {
  readonly path: string;
  readonly text: string;
}

interface Line {
  readonly id: number;
  readonly number: number;
}

interface Place {
  readonly path: string;
  readonly lines: readonly Line[];
  readonly start: number;
}

test("no two places of the code share more than ten lines", () => {
  const sources = sourcesIn("src");

  expect(sources.length).toBeGreaterThan(1_000);
  expect(duplicatesIn(sources)).toEqual([]);
});

test("no two places differ only in names and values for more than ten lines", () => {
  expect(duplicatesIn(sourcesIn("src"), shapeOf)).toEqual([]);
});

test("a copy with other names and values is found; a second table of values is allowed", () => {
  const step = (name: string, at: number) =>
    `  const ${name}${at} = f(${"x, ".repeat(at)}"${name}");`;
  const row = (name: string, at: number) => `  ${name}${at}: z.string("${name}"),`;
  const both = (make: typeof row, count: number) =>
    ["a", "other"].map((name) => ({
      path: `${name}.ts`,
      text: Array.from({ length: count }, (_, at) => make(name, at)).join("\n"),
    }));

  expect(duplicatesIn(both(step, 11))).toEqual([]);
  expect(duplicatesIn(both(step, 11), shapeOf)).toEqual(["a.ts:1 ~ other.ts:1"]);
  expect(duplicatesIn(both(step, 10), shapeOf)).toEqual([]);
  expect(duplicatesIn(both(row, 20), shapeOf)).toEqual([]);
});

test("a long copy is found, in another file or in the same one", () => {
  const block = (count: number) =>
    Array.from({ length: count }, (_, at) => `  const value${at} = read(${at});`).join("\n");
  const first = { path: "a.ts", text: `function one() {\n${block(11)}\n}` };
  const copy = `// Not code.\n\n${block(11).replaceAll("  ", "    ")}\n}\n`;

  expect(duplicatesIn([first, { path: "b.ts", text: copy }])).toEqual(["a.ts:2 ~ b.ts:3"]);
  expect(duplicatesIn([{ path: "a.ts", text: `${first.text}\n\n${copy}` }])).toEqual([
    "a.ts:2 ~ a.ts:17",
  ]);
  expect(duplicatesIn([first, { path: "b.ts", text: block(10) }])).toEqual([]);
});

test("imports, comments and lines of punctuation do not count", () => {
  const names = Array.from({ length: 20 }, (_, at) => `  name${at},`).join("\n");
  const text = `import {\n${names}\n} from "./names.ts";\n${"// A comment.\n".repeat(20)}${"}\n".repeat(20)}`;

  expect(
    duplicatesIn([
      { path: "a.ts", text },
      { path: "b.ts", text },
    ]),
  ).toEqual([]);
});

function sourcesIn(folder: string): readonly Source[] {
  return (
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.name.endsWith(".ts"))
      .map((entry) => join(entry.parentPath, entry.name))
      // A migration never changes, so it shares no code that may.
      .filter((path) => !path.startsWith("src/storage/migrations/"))
      .sort()
      .map((path) => ({ path, text: readFileSync(path, "utf8") }))
  );
}

/** What two lines are compared by; undefined for a line that does not count. */
type Key = (line: string) => string | undefined;

const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[A-Za-z_$#][\w$]*|\d[\w.]*/g;
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "as async await break case catch class const continue do else export extends finally for " +
    "function if in instanceof interface let new of readonly return static switch this throw try " +
    "type typeof undefined using void while yield"
  ).split(" "),
);
/** A row of a table, or a member of one: only values. */
const ROW = /^(?:N: )?[[\]{},V\s]*$/;

/** A line with other names and values has the same shape. */
function shapeOf(line: string): string | undefined {
  const shape = line.replaceAll(TOKEN, (token) => {
    if (/^["'`\d]|^(true|false|null)$/.test(token)) return "V";
    return KEYWORDS.has(token) ? token : "N";
  });
  return ROW.test(shape) ? undefined : shape;
}

/** The first lines of each two places that share a run; a longer run is one pair. */
function duplicatesIn(sources: readonly Source[], keyOf: Key = (line) => line): readonly string[] {
  const ids = new Map<string, number>();
  const seen = new Map<number, Place>();
  const found: string[] = [];
  for (const { path, text } of sources) {
    const lines = linesOf(text, ids, keyOf);
    let end = 0;
    for (let start = 0; start + RUN <= lines.length; start++) {
      if (isTable(lines, start)) continue;
      const hash = hashOf(lines, start);
      const known = seen.get(hash);
      if (known === undefined) {
        seen.set(hash, { path, lines, start });
      } else if (start >= end && runOf(known, lines, start) >= RUN) {
        found.push(
          `${known.path}:${known.lines[known.start]?.number} ~ ${path}:${lines[start]?.number}`,
        );
        end = start + runOf(known, lines, start);
      }
    }
  }
  return found;
}

/** The lines of code, each as the number of its key. */
function linesOf(text: string, ids: Map<string, number>, keyOf: Key): readonly Line[] {
  const lines: Line[] = [];
  const code = text.replaceAll(/^import [^;]*;/gm, (each) => each.replaceAll(/[^\n]/g, ""));
  for (const [at, raw] of code.split("\n").entries()) {
    const line = raw.trim();
    if (!/\w/.test(line) || /^(\/\/|\/\*|\*)/.test(line)) continue;
    const key = keyOf(line);
    if (key === undefined) continue;
    const id = ids.get(key) ?? ids.size;
    ids.set(key, id);
    lines.push({ id, number: at + 1 });
  }
  return lines;
}

/** Most of a run is lines of a few shapes: the rows of a table, which are alike on purpose. */
function isTable(lines: readonly Line[], start: number): boolean {
  const ids = lines.slice(start, start + RUN).map(({ id }) => id);
  return new Set(ids).size <= RUN / 2;
}

function hashOf(lines: readonly Line[], start: number): number {
  let hash = 0;
  for (let at = start; at < start + RUN; at++) {
    hash = Math.imul(hash ^ (lines[at]?.id ?? 0), 0x9e_37_79_b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

/** How many lines two places share. */
function runOf(known: Place, lines: readonly Line[], start: number): number {
  let count = 0;
  const idAt = (at: number) => lines[start + at]?.id;
  while (idAt(count) !== undefined && known.lines[known.start + count]?.id === idAt(count)) count++;
  return count;
}
