import { addressOf } from "./links.ts";
import { escape, type Heading } from "./markdown.ts";
import { NAVIGATION } from "./navigation.ts";
import type { DocPage } from "./pages.ts";
import { TEXTS, type Language } from "./texts.ts";

/** Addresses of the files that all pages use. */
export interface Assets {
  readonly style: string;
  readonly theme: string;
  readonly script: string;
  readonly icon: string;
  readonly index: Readonly<Record<Language, string>>;
}

interface Site {
  readonly pages: readonly DocPage[];
  readonly assets: Assets;
}

interface Content {
  readonly body: string;
  readonly headings: readonly Heading[];
}

const MARK = `<svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true"><rect width="32" height="32" rx="7" fill="currentColor"/><path d="M7 9h18v3H7zM9 14h4v9H9zM19 14h4v9h-4z"/></svg>`;

/** A whole page. It has no inline script and no inline style, which the gateway's policy forbids. */
export function renderPage(page: DocPage, content: Content, site: Site): string {
  const t = TEXTS[page.language];
  const { assets } = site;
  const title = page.base === "index" ? t.title : `${page.title} · ${t.title}`;
  return `<!doctype html>
<html lang="${t.tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escape(page.summary)}">
<title>${escape(title)}</title>
<script src="${assets.theme}"></script>
<link rel="stylesheet" href="${assets.style}">
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="alternate" type="text/markdown" href="${addressOf(page, ".md")}">
<script type="module" src="${assets.script}"></script>
</head>
<body data-index="${assets.index[page.language]}" data-nothing="${t.nothing}" data-copy="${t.copy}" data-copied="${t.copied}">
<a class="skip" href="#content">${t.skip}</a>
${bar(page, site)}
<div class="frame">
${menu(page, site)}
<main id="content">
<article>
${content.body}</article>
${turn(page, site)}
<p class="below"><a href="${addressOf(page, ".md")}">${t.markdown}</a></p>
</main>
${outline(page, content.headings)}
</div>
<dialog id="search" aria-label="${t.search}">
<input type="search" aria-label="${t.search}" placeholder="${t.search}" autocomplete="off" spellcheck="false">
<ol aria-live="polite"></ol>
</dialog>
</body>
</html>
`;
}

function bar(page: DocPage, site: Site): string {
  const t = TEXTS[page.language];
  const other: Language = page.language === "en" ? "zh" : "en";
  const translated = find(site, page.base, other) ?? find(site, "index", other);
  const language =
    translated === undefined
      ? ""
      : `<a href="${addressOf(translated)}" lang="${TEXTS[other].tag}" hreflang="${TEXTS[other].tag}">${TEXTS[other].language}</a>`;
  const home = page.language === "en" ? "/docs" : "/docs/zh";
  return `<header>
<button type="button" data-menu-button popovertarget="menu">${t.menu}</button>
<a class="brand" href="${home}">${MARK}Sluice</a>
<button type="button" data-search-button hidden>${t.search}<kbd>Ctrl K</kbd></button>
<a class="wide" href="/docs/api">${t.reference}</a>
<a class="wide" href="/">${t.console}</a>
${language}
<button type="button" data-theme-button aria-label="${t.theme}" title="${t.theme}" hidden>◐</button>
</header>`;
}

function menu(page: DocPage, site: Site): string {
  const { language } = page;
  const t = TEXTS[language];
  const sections = NAVIGATION.map(({ title, pages }) => {
    const items = pages.flatMap((base) => {
      const own = find(site, base, language);
      const shown = own ?? find(site, base, "en");
      if (shown === undefined) return [];
      const current = isBelow(page.base, base) ? ' aria-current="page"' : "";
      const hint = own === undefined ? ` <small>${t.untranslated}</small>` : "";
      const tag = own === undefined ? ' lang="en"' : "";
      return [
        `<li><a href="${addressOf(shown)}"${current}${tag}>${escape(shown.title)}${hint}</a></li>`,
      ];
    });
    return `<h2>${escape(title[language])}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
  });
  return `<nav class="menu" id="menu" popover aria-label="${t.menu}">\n${sections.join("\n")}\n</nav>`;
}

/** Pages in a folder belong to the page that lists them. */
function isBelow(base: string, listing: string): boolean {
  return base === listing || base.startsWith(`${listing}/`);
}

function outline(page: DocPage, headings: readonly Heading[]): string {
  const t = TEXTS[page.language];
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ id, depth, text }) =>
      `<li><a href="#${id}"${depth === 3 ? ' class="deeper"' : ""}>${escape(text)}</a></li>`,
  );
  return `<nav class="outline" aria-label="${t.outline}">\n<h2>${t.outline}</h2>\n<ul>\n${items.join("\n")}\n</ul>\n</nav>`;
}

/** Links to the neighbours in the order of the menu. */
function turn(page: DocPage, site: Site): string {
  const t = TEXTS[page.language];
  const order = NAVIGATION.flatMap(({ pages }) => pages)
    .map((base) => find(site, base, page.language))
    .filter((each) => each !== undefined);
  const at = order.findIndex(({ base }) => base === page.base);
  if (at < 0) return "";
  const link = (to: DocPage | undefined, word: string): string =>
    to === undefined
      ? ""
      : `<a href="${addressOf(to)}"><span>${word}</span>${escape(to.title)}</a>`;
  return `<nav class="turn" aria-label="${t.previous} / ${t.next}">${link(order[at - 1], t.previous)}${link(order[at + 1], t.next)}</nav>`;
}

function find({ pages }: Site, base: string, language: Language): DocPage | undefined {
  return pages.find((page) => page.base === base && page.language === language);
}
