import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fillIn, generatedPages } from "./generated/generated.ts";
import type { Language } from "./texts.ts";

export interface DocPage {
  /** The path below /docs without an ending: `channels`, `zh/channels`, `providers/openai`. */
  readonly name: string;
  /** The same in all languages. */
  readonly base: string;
  readonly language: Language;
  readonly title: string;
  /** The first paragraph, as plain text. */
  readonly summary: string;
  /** With generated parts, and links as its source has them. */
  readonly markdown: string;
  /** The file, or the path that it would have, relative to the repository. */
  readonly source: string;
}

/** Documents beside the folder `docs`, by the name of their page. */
const BESIDE: Readonly<Record<string, string>> = {
  architecture: "ARCHITECTURE.md",
  contributing: "CONTRIBUTING.md",
  security: "SECURITY.md",
  changelog: "CHANGELOG.md",
};

/** All documents of the repository, and the pages that are made of its code. */
export function readPages(root: string): readonly DocPage[] {
  const files = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .toSorted()
    .map((file) => ({ name: nameOf(file), source: `docs/${file}` }));
  const beside = Object.entries(BESIDE).map(([name, source]) => ({ name, source }));
  const read = [...files, ...beside]
    .filter(({ source }) => existsSync(join(root, source)))
    .map(({ name, source }) => pageOf(name, source, readFileSync(join(root, source), "utf8")));
  const made = generatedPages().map(({ name, markdown }) =>
    pageOf(name, `docs/${name}.md`, markdown),
  );
  return [...read, ...made];
}

/** `zh/README.md` is `zh`, `decisions/README.md` is `decisions`. */
function nameOf(file: string): string {
  const name = file.replaceAll("\\", "/").replace(/\.md$/, "");
  return name.replace(/(^|\/)README$/, "") || "index";
}

function pageOf(name: string, source: string, text: string): DocPage {
  const language = name === "zh" || name.startsWith("zh/") ? "zh" : "en";
  const base = language === "zh" ? name.slice("zh/".length) || "index" : name;
  const markdown = fillIn(text, source);
  const [, title] = /^# (.+)$/m.exec(markdown) ?? [];
  if (title === undefined) throw new Error(`${source} has no title.`);
  const [summary = ""] =
    markdown
      .split(/^# .+$/m)[1]
      ?.trim()
      .split(/\n\s*\n/) ?? [];
  return { name, base, language, title, summary: plainOf(summary), markdown, source };
}

/** A sentence or two without marks. */
export function plainOf(markdown: string): string {
  return markdown
    .replaceAll(/<!--[^]*?-->/g, "")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
