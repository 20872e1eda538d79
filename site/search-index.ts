import MiniSearch from "minisearch";
import { addressOf } from "./links.ts";
import { headingsOf, outsideCode } from "./markdown.ts";
import { namedRowsIn } from "./named-rows.ts";
import { plainOf, type DocPage } from "./pages.ts";
import { SEARCH_OPTIONS, type SearchEntry } from "./search-options.ts";

const START_CHARS = 140;
/** They do not tell how to run a gateway, and they are a third of all text. */
const LEFT_OUT = /^(decisions|adding)\/|^changelog$/;

/** Readers look for single rows of their tables. */
const REFERENCE = ["configuration", "errors", "headers", "metrics"];

/** The index of one language, with one entry a section and a row of the reference, as JSON. */
export function buildSearchIndex(pages: readonly DocPage[]): string {
  const index = new MiniSearch<SearchEntry>(SEARCH_OPTIONS);
  const entries = pages.filter(({ base }) => !LEFT_OUT.test(base)).flatMap(entriesOf);
  index.addAll(entries.map((entry, id) => ({ ...entry, id })));
  return JSON.stringify(index);
}

type Entry = Omit<SearchEntry, "id">;

function entriesOf(page: DocPage): readonly Entry[] {
  return REFERENCE.includes(page.base) ? [...sectionsOf(page), ...rowsOf(page)] : sectionsOf(page);
}

function rowsOf(page: DocPage): readonly Entry[] {
  return namedRowsIn(page.markdown).map(({ name, text }) => {
    const plain = plainOf(text.replaceAll("|", " "));
    return {
      url: `${addressOf(page)}#${name}`,
      page: page.title,
      heading: name,
      text: plain,
      start: startOf(plain),
    };
  });
}

function sectionsOf(page: DocPage): readonly Entry[] {
  const headings = headingsOf(page.markdown);
  const texts = textsOf(page.markdown);
  return headings.map(({ id, depth, text: heading }, at) => {
    const text = texts[at] ?? "";
    const anchor = depth === 1 ? "" : `#${id}`;
    const url = `${addressOf(page)}${anchor}`;
    return { url, page: page.title, heading, text, start: startOf(text) };
  });
}

function startOf(text: string): string {
  return text.length > START_CHARS ? `${text.slice(0, START_CHARS)}…` : text;
}

/** The text below each heading. Marks of tables are no words. */
function textsOf(markdown: string): readonly string[] {
  const marked = outsideCode(markdown, (text) => text.replaceAll(/^#{1,6} .*$/gm, "\u0000"));
  return marked
    .split("\u0000")
    .slice(1)
    .map((text) => plainOf(text.replaceAll(/^```.*$/gm, "").replaceAll(/\|(?:[ -]+\|)*/g, " ")));
}
