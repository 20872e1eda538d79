import MiniSearch from "minisearch";
import { addressOf } from "./links.ts";
import { headingsOf, outsideCode } from "./markdown.ts";
import { plainOf, type DocPage } from "./pages.ts";
import { SEARCH_OPTIONS, type SearchEntry } from "./search-options.ts";

const START_CHARS = 140;
/** They do not tell how to run a gateway, and they are a third of all text. */
const LEFT_OUT = /^(decisions|adding)\/|^changelog$/;

/** The index of one language, with one entry a section, as JSON. */
export function buildSearchIndex(pages: readonly DocPage[]): string {
  const index = new MiniSearch<SearchEntry>(SEARCH_OPTIONS);
  const entries = pages.filter(({ base }) => !LEFT_OUT.test(base)).flatMap(sectionsOf);
  index.addAll(entries.map((entry, id) => ({ ...entry, id })));
  return JSON.stringify(index);
}

function sectionsOf(page: DocPage): readonly Omit<SearchEntry, "id">[] {
  const headings = headingsOf(page.markdown);
  const texts = textsOf(page.markdown);
  return headings.map(({ id, depth, text: heading }, at) => {
    const text = texts[at] ?? "";
    const anchor = depth === 1 ? "" : `#${id}`;
    const start = text.length > START_CHARS ? `${text.slice(0, START_CHARS)}…` : text;
    return { url: `${addressOf(page)}${anchor}`, page: page.title, heading, text, start };
  });
}

/** The text below each heading. Marks of tables are no words. */
function textsOf(markdown: string): readonly string[] {
  const marked = outsideCode(markdown, (text) => text.replaceAll(/^#{1,6} .*$/gm, "\u0000"));
  return marked
    .split("\u0000")
    .slice(1)
    .map((text) => plainOf(text.replaceAll(/^```.*$/gm, "").replaceAll(/\|(?:[ -]+\|)*/g, " ")));
}
