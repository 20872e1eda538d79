import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname, join, relative, resolve } from "node:path";
import { addressOf, Links } from "./links.ts";
import { writeLlms } from "./llms.ts";
import { headingsOf, linkedMarkdown, renderMarkdown } from "./markdown.ts";
import { LISTED_ELSEWHERE, NAVIGATION } from "./navigation.ts";
import type { SiteFile } from "./pack.ts";
import { readPages, type DocPage } from "./pages.ts";
import { operationIds } from "./generated/operations.ts";
import { buildSearchIndex } from "./search-index.ts";
import { renderPage, type Assets } from "./template.ts";
import { TEXTS, type Language } from "./texts.ts";

interface BuiltSite {
  readonly files: readonly SiteFile[];
  /** Former addresses below /docs/, and the paths to which they lead. */
  readonly redirects: Readonly<Record<string, string>>;
  /** Paths of all files that are part of the scripts, relative to the repository. */
  readonly inputs: readonly string[];
  readonly problems: readonly string[];
  readonly pages: number;
}

const HTML = "text/html;charset=utf-8";
const MARKDOWN = "text/markdown;charset=utf-8";
const TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};
const LANGUAGES = Object.keys(TEXTS) as readonly Language[];

export async function makeSite(root: string): Promise<BuiltSite> {
  const pages = readPages(root);
  const headings = new Map(pages.map((page) => [page.name, headingsOf(page.markdown)]));
  const anchors = [...headings].map(
    ([name, each]) => [name, new Set(each.map(({ id }) => id))] as const,
  );
  const links = new Links(root, pages, new Map(anchors));
  const { assets, files: assetFiles, inputs } = await makeAssets(root, pages);
  const site = { pages, assets };
  const html = pages.map((page) => ({
    name: `${page.name}.html`,
    type: HTML,
    content: renderPage(
      page,
      { body: renderMarkdown(page, links), headings: headings.get(page.name) ?? [] },
      site,
    ),
  }));
  const markdown = pages.map((page) => ({
    name: `${page.name}.md`,
    type: MARKDOWN,
    content: linkedMarkdown(page, links),
  }));
  const linked = [...links.files].map(([name, path]) => ({
    name,
    type: TYPES[extname(path)] ?? "text/plain;charset=utf-8",
    content: readFileSync(path),
  }));
  const missing = LANGUAGES.map((language) => ({
    name: `404.${language}.html`,
    type: HTML,
    content: renderPage(notFound(language), notFoundContent(language), site),
  }));
  const llms = { name: "llms.txt", type: "text/plain;charset=utf-8", content: writeLlms(pages) };
  return {
    files: [...html, ...markdown, ...missing, llms, ...linked, ...assetFiles],
    redirects: Object.fromEntries(operationIds().map((id) => [id, `/docs/api/${id}`])),
    inputs,
    problems: [...links.problems, ...misplaced(pages)],
    pages: pages.length,
  };
}

function misplaced(pages: readonly DocPage[]): readonly string[] {
  const listed = NAVIGATION.flatMap((section) => section.pages);
  const bases = new Set(pages.map(({ base }) => base));
  const english = new Set(pages.filter((each) => each.language === "en").map(({ base }) => base));
  const isListed = (base: string): boolean =>
    listed.some((each) => base === each || base.startsWith(`${each}/`)) ||
    LISTED_ELSEWHERE.some((each) => base.startsWith(each));
  return [
    ...listed.filter((base) => !english.has(base)).map((base) => `There is no page '${base}'`),
    ...[...bases].filter((base) => !isListed(base)).map((base) => `No section has '${base}'`),
    ...[...bases].filter((base) => !english.has(base)).map((base) => `'${base}' is not in English`),
  ];
}

function notFound(language: Language): DocPage {
  const t = TEXTS[language];
  const home = language === "en" ? "index" : language;
  return {
    name: home,
    base: "",
    language,
    title: t.notFound,
    summary: t.notFoundHint,
    markdown: "",
    source: "",
  };
}

function notFoundContent(language: Language) {
  const t = TEXTS[language];
  const home = addressOf(notFound(language));
  const body = `<h1>${t.notFound}</h1>\n<p>${t.notFoundHint}</p>\n<p><a href="${home}">${t.title}</a></p>\n`;
  return { body, headings: [] };
}

/** Names contain a digest of the content, so that browsers may keep the files. */
async function makeAssets(root: string, pages: readonly DocPage[]) {
  const client = join(root, "site", "client");
  const files: SiteFile[] = [];
  const add = (stem: string, ending: string, type: string, content: string): string => {
    const digest = createHash("sha256").update(content).digest("hex").slice(0, 10);
    const name = `assets/${stem}-${digest}.${ending}`;
    files.push({ name, type, content });
    return `/docs/${name}`;
  };
  const script = await bundle(join(client, "main.ts"));
  const theme = await bundle(join(client, "theme.ts"));
  const style = readFileSync(join(client, "style.css"), "utf8");
  const icon = readFileSync(join(root, "console", "src", "icon.svg"), "utf8");
  const index = LANGUAGES.map((language) => {
    const own = pages.filter((page) => page.language === language);
    const address = add(`search-${language}`, "json", "application/json", buildSearchIndex(own));
    return [language, address] as const;
  });
  const assets: Assets = {
    style: add("style", "css", "text/css;charset=utf-8", style),
    theme: add("theme", "js", "text/javascript;charset=utf-8", theme.text),
    script: add("main", "js", "text/javascript;charset=utf-8", script.text),
    icon: add("icon", "svg", "image/svg+xml", icon),
    index: Object.fromEntries(index) as Record<Language, string>,
  };
  const inputs = script.inputs.map((path) => relative(root, resolve(path)));
  return { assets, files, inputs };
}

async function bundle(entry: string) {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [entry],
    target: "browser",
    format: "esm",
    minify: true,
    metafile: true,
  });
  const [output] = outputs;
  if (output === undefined) throw new Error(`${entry} was not built.`);
  return { text: await output.text(), inputs: Object.keys(metafile?.inputs ?? {}) };
}
