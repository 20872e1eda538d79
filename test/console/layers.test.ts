import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const ROOT = "console/src";
/** What a folder of the console may import, besides itself and packages. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  api: ["../generated"],
  ui: ["api", "app/language.ts"],
  app: ["api", "ui", "pages", "../generated"],
  pages: ["api", "ui", "app", "../generated"],
};

const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(ROOT, name), "utf8") }));

test("a folder of the console imports only the folders in its table row", () => {
  const violations = files.flatMap(({ name, text }) => {
    const folder = name.split("/")[0] ?? "";
    const allowed = MAY_IMPORT[folder];
    if (allowed === undefined) return [];
    return importsOf(name, text)
      .filter(
        (target) =>
          ![folder, ...allowed].some((each) => target === each || target.startsWith(`${each}/`)),
      )
      .map((target) => `${name} imports ${target}`);
  });

  expect(violations).toEqual([]);
});

test("a page imports no other page", () => {
  const violations = files.flatMap(({ name, text }) => {
    const page = /^pages\/[^/]+\//.exec(name)?.[0];
    if (page === undefined) return [];
    return importsOf(name, text)
      .filter((target) => target.startsWith("pages/") && !target.startsWith(page))
      .map((target) => `${name} imports ${target}`);
  });

  expect(violations).toEqual([]);
});

test("no two pages are opened by the same key", () => {
  const pages = readFileSync(join(ROOT, "app/pages.ts"), "utf8");
  const keys = [...pages.matchAll(/^ {4}key: "(.)",$/gm)].map(([, key]) => key);

  expect(keys.length).toBeGreaterThan(10);
  expect(new Set(keys).size).toBe(keys.length);
});

test("the console imports nothing of the gateway but the types of its API", () => {
  const violations = files.filter(({ text }) => /from "(#|(\.\.\/)+src\/)/.test(text));

  expect(violations.map(({ name }) => name)).toEqual([]);
});

test("the console never interprets a text as HTML", () => {
  const violations = files.filter(({ text }) =>
    /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(/.test(text),
  );

  expect(violations.map(({ name }) => name)).toEqual([]);
});

/** Relative imports, as paths from the sources' folder. */
function importsOf(name: string, text: string): readonly string[] {
  return [...text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(([, target]) =>
    relative(ROOT, join(ROOT, dirname(name), target ?? "")),
  );
}
