import { parse } from "@babel/parser";
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Counts at the last change of this file. Lower them when the code gets better; never raise them. */
const AT_MOST = { vagueWordsInComments: 581, usesOfNamesNotToUse: 0 };

const DOCUMENT_TARGETS = { longestSentence: 30, meanSentence: 16, vaguePer100Words: 1.5 };
const LONGEST_CHANGELOG_ENTRY = 30;

/** Words that stand for a noun which the reader needs; see "Rules for language" in CONTRIBUTING.md. */
const VAGUE =
  /(?<!\$)\b(what|whatever|whoever|whom|whose|whichever|wherever|nobody|somebody|anybody|of those|that which|(?:is|are|has|have) none|where there (?:is|are)|thereof)\b/gi;

/** Words of metaphors and riddles, for which the glossary has a term. */
const NOT_IN_TEST_NAMES =
  /(?<!\$)\b(what|whatever|whoever|whom|whichever|wherever|however|nobody|somebody|anybody|there is none|for ever|all the same|anew|wish(?:es|ed)?|asked after|(?:taken|given|gives|takes) back|let in|go(?:es)? on|handed (?:on|over)|in one piece|proofs?|thoughts?|notices|as good as)\b/i;

const SEARCH_TERMS = [
  "self-hosted",
  "LLM gateway",
  "AI proxy",
  "OpenAI-compatible",
  "Anthropic",
  "Gemini",
  "load balancing",
  "fallback",
  "virtual keys",
  "budgets",
  "usage tracking",
];

const SECTIONS = ["Added", "Changed", "Fixed", "Security", "Upgrade"];

const tracked = spawnSync("git", ["ls-files", "-z"], { encoding: "utf8" })
  .stdout.split("\0")
  .filter((path) => path !== "" && existsSync(path));

interface Document {
  readonly path: string;
  readonly text: string;
}

const allDocuments: readonly Document[] = tracked
  .filter((path) => /^(docs\/.*|README|ARCHITECTURE|CONTRIBUTING|SECURITY)\.?.*\.md$/.test(path))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

/** The rules for words are those of English. */
const documents = allDocuments.filter(({ path }) => !path.startsWith("docs/zh/"));

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length;
}

function vagueWordsIn(text: string): number {
  return text.match(VAGUE)?.length ?? 0;
}

function withoutCode(text: string): string {
  return text.replace(/^ *```[^]*?^ *```/gm, "").replace(/<!--[^]*?-->/g, "");
}

/** Sentences of paragraphs and list items; headings and tables have none. */
function sentencesOf(text: string): readonly string[] {
  return withoutCode(text)
    .replace(/^(#|\|).*$/gm, "")
    .replace(/\]\([^)]*\)/g, "]")
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .flatMap((block) => block.split(/(?<=[.!?][*)]*)\s+/))
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => wordsIn(sentence) > 0);
}

/** The part of an address that leads to a heading, as repository hosts make it. */
function anchorsOf(text: string): readonly string[] {
  return withoutCode(text)
    .split("\n")
    .filter((line) => line.startsWith("#"))
    .map((line) =>
      line
        .replace(/^#+ /, "")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-"),
    );
}

function brokenLinksOf({ path, text }: Document): readonly string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => {
      const [file = "", anchor] = target.split("#");
      const found = file === "" ? path : join(dirname(path), file);
      if (!existsSync(found)) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(found, "utf8")).includes(anchor);
    })
    .map((target) => `${path}: ${target}`);
}

const folders = readdirSync("src", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const CODE_PATH = new RegExp(
  `\`((?:src|test|sandbox|bench|${folders.join("|")})/[\\w./-]*(?:\\.\\w+|/))\``,
  "g",
);

function missingPathsOf({ path, text }: Document): readonly string[] {
  return (
    [...withoutCode(text).matchAll(CODE_PATH)]
      .map(([, named = ""]) => named)
      .filter((named) => !existsSync(named) && !existsSync(join("src", named)))
      // A recipe creates files that do not exist yet.
      .filter((named) => !text.includes(`Create \`${named}\``))
      .map((named) => `${path}: ${named}`)
  );
}

describe("documents", () => {
  test("have no sentence of more than thirty words", () => {
    const long = documents.flatMap(({ path, text }) =>
      sentencesOf(text)
        .filter((sentence) => wordsIn(sentence) > DOCUMENT_TARGETS.longestSentence)
        .map((sentence) => `${path}: ${sentence}`),
    );

    expect(long).toEqual([]);
  });

  test("have short sentences on average", () => {
    const all = documents.flatMap(({ text }) => sentencesOf(text));

    const mean = all.reduce((sum, sentence) => sum + wordsIn(sentence), 0) / all.length;
    expect(mean).toBeLessThan(DOCUMENT_TARGETS.meanSentence);
  });

  test("name things instead of using vague words", () => {
    const text = documents.map((document) => withoutCode(document.text)).join("\n");

    expect((100 * vagueWordsIn(text)) / wordsIn(text)).toBeLessThan(
      DOCUMENT_TARGETS.vaguePer100Words,
    );
  });

  test("say in the first sentence who they are for", () => {
    const pages = documents.filter(({ path }) => /^docs\/(?!decisions\/0)/.test(path));

    const others = pages
      .filter(({ text }) => !/^# .+\n\nThis (page|recipe) (is for|lists) /.test(text))
      .map(({ path }) => path);
    expect(others).toEqual([]);
  });

  test("link to files and headings that exist", () => {
    expect(allDocuments.flatMap(brokenLinksOf)).toEqual([]);
  });

  test("name only files that exist", () => {
    expect(allDocuments.flatMap(missingPathsOf)).toEqual([]);
  });

  test("are all listed in the index", () => {
    const index = readFileSync("docs/README.md", "utf8");

    const missing = documents
      .map(({ path }) => /^docs\/([\w-]+\.md)$/.exec(path)?.[1])
      .filter((file) => file !== undefined && file !== "README.md")
      .filter((file) => !index.includes(`(${file})`));
    expect(missing).toEqual([]);
  });
});

test("the first screen of the README has the words that people search for", () => {
  const screen = readFileSync("README.md", "utf8")
    .split("\n")
    .slice(0, 40)
    .join("\n")
    .toLowerCase();

  expect(SEARCH_TERMS.filter((term) => !screen.includes(term.toLowerCase()))).toEqual([]);
});

describe("the changelog", () => {
  const lines = readFileSync("CHANGELOG.md", "utf8").split("\n");

  test("has versions with a date, and entries by kind of change", () => {
    const wrong = lines
      .filter((line) => line.startsWith("## ") || line.startsWith("### "))
      .filter((line) => !/^## \[(Unreleased\]|\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d)$/.test(line))
      .filter((line) => !SECTIONS.some((section) => line === `### ${section}`));

    expect(wrong).toEqual([]);
  });

  test("has one short line an entry", () => {
    const entries = lines.slice(1).filter((line) => line !== "" && !line.startsWith("#"));
    const [introduction = "", ...others] = entries;

    expect(introduction).toContain("Keep a Changelog");
    expect(others.filter((line) => !line.startsWith("- "))).toEqual([]);
    expect(others.filter((line) => wordsIn(line) > LONGEST_CHANGELOG_ENTRY)).toEqual([]);
  });
});

interface Token {
  readonly type: { readonly label?: string };
  readonly value?: unknown;
}

interface SourceFile {
  readonly comments: readonly string[];
  readonly names: ReadonlySet<string>;
  readonly testNames: readonly string[];
}

/** A test's name is the first argument of a call, and a function follows it. */
function testNamesIn(tokens: readonly Token[]): readonly string[] {
  const label = (at: number): string | undefined => tokens[at]?.type.label;
  return tokens.flatMap(({ type, value }, at) => {
    if (type.label !== "string" || label(at - 1) !== "(" || label(at + 1) !== ",") return [];
    const isFunction = label(at + 2) === "(" || tokens[at + 2]?.value === "async";
    return isFunction && typeof value === "string" ? [value] : [];
  });
}

/** The parts of a source file that have words of ours. */
function partsOf(path: string): SourceFile {
  const { comments, tokens } = parse(readFileSync(path, "utf8"), {
    sourceType: "module",
    plugins: ["typescript"],
    tokens: true,
    errorRecovery: true,
  });
  const names = new Set<string>();
  const listed = (tokens ?? []) as Token[];
  for (const [at, { type, value }] of listed.entries()) {
    // After a dot it may be a member of a library's object.
    const isMember = [".", "?."].includes(listed[at - 1]?.type.label ?? "");
    if (type.label === "name" && typeof value === "string" && !isMember) names.add(value);
  }
  return {
    comments: (comments ?? []).map(({ value }) => value),
    names,
    testNames: testNamesIn(listed),
  };
}

function namesNotToUse(): readonly string[] {
  const [, table = ""] = readFileSync("CONTRIBUTING.md", "utf8").split("## Names not to use");
  const rows = table.split("\n## ")[0]?.match(/^\|[^|]+\|/gm) ?? [];
  return rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
}

describe("code", () => {
  const files = tracked
    .filter((path) => path.endsWith(".ts"))
    .map((path) => ({ path, ...partsOf(path) }));

  test("refers only to documents that exist", () => {
    const missing = tracked
      .filter((path) => path.endsWith(".ts"))
      .flatMap((path) => readFileSync(path, "utf8").match(/(?<![\w/.])docs\/[\w/-]+\.md/g) ?? [])
      .filter((named) => !existsSync(named));

    expect(missing).toEqual([]);
  });

  test("uses the names that CONTRIBUTING.md replaces no more than before", () => {
    const replaced = namesNotToUse();
    const uses = files.flatMap(({ path, names }) =>
      replaced.filter((name) => names.has(name)).map((name) => `${path}: ${name}`),
    );

    expect(replaced.length).toBeGreaterThan(50);
    expect(uses.length, uses.join("\n")).toBeLessThanOrEqual(AT_MOST.usesOfNamesNotToUse);
  });

  test("has no more vague words in the gateway's comments than before", () => {
    const counts = files
      .filter(({ path }) => path.startsWith("src/") && !path.endsWith(".test.ts"))
      .map(({ path, comments }) => ({ path, count: vagueWordsIn(comments.join("\n")) }));

    const sum = counts.reduce((total, { count }) => total + count, 0);
    const worst = counts.toSorted((a, b) => b.count - a.count).slice(0, 20);
    const list = worst.map(({ path, count }) => `${path}: ${count}`).join("\n");
    expect(sum, list).toBeLessThanOrEqual(AT_MOST.vagueWordsInComments);
  });

  test("names its tests in terms of the glossary", () => {
    const all = files
      .filter(({ path }) => /^(bench|packages|src|test)\//.test(path))
      .flatMap(({ path, testNames }) => testNames.map((name) => ({ path, name })));

    expect(all.length).toBeGreaterThan(6_000);
    expect(all.filter(({ name }) => NOT_IN_TEST_NAMES.test(name))).toEqual([]);
  });
});
