import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { NAVIGATION } from "../../site/navigation.ts";

const FIRST = 10;
const first = NAVIGATION.flatMap(({ pages }) => pages).slice(0, FIRST);

/** The index lists fewer pages. */
const translated = first.filter((name) => name !== "index");

test("the first ten pages are in Chinese", () => {
  const files = ["docs/zh/README.md", ...translated.map((name) => `docs/zh/${name}.md`)];

  expect(files.length).toBe(FIRST);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test("a translated page has the sections, tables and examples of the English one", () => {
  const different = translated.filter((name) => {
    const [english, chinese] = [`docs/${name}.md`, `docs/zh/${name}.md`].map((path) =>
      outlineOf(readFileSync(path, "utf8")),
    );
    return JSON.stringify(english) !== JSON.stringify(chinese);
  });

  expect(different).toEqual([]);
});

/** Depths of headings, rows of tables, and examples. Texts within them may be translated. */
function outlineOf(text: string) {
  const examples = [...text.matchAll(/^```(\w*)[^\n]*\n([^]*?)^```/gm)];
  const around = text.replaceAll(/^```[^]*?^```/gm, "");
  return {
    headings: around.match(/^#+(?= )/gm) ?? [],
    rows: around.match(/^\|/gm)?.length ?? 0,
    examples: examples.map(([, kind = "", code = ""]) => [kind, code.replaceAll("你好", "Hello")]),
  };
}
