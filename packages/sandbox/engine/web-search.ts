import { seededRandom } from "./random.ts";
import { contentWords } from "./words.ts";

/** A page that exists nowhere but in the sandbox. */
export interface WebPage {
  readonly title: string;
  readonly url: string;
}

export interface WebSearch {
  readonly query: string;
  readonly pages: readonly WebPage[];
}

/** Whether the user's words ask for something that has to be looked up. */
export function asksForSearch(text: string): boolean {
  return /\b(?:search|look (?:it )?up|google|web|internet|online|news|latest|today|current(?:ly)?|recent(?:ly)?)\b/i.test(
    text,
  );
}

/** Finds the same pages for the same words. */
export function searchWeb(text: string): WebSearch {
  const words = contentWords(text).filter((word) => !asksForSearch(word));
  const query = words.slice(0, 8).join(" ") || "the web";
  const random = seededRandom(query);
  const slug = query.replaceAll(/[^\p{L}\p{N}]+/gu, "-");
  const pages = SITES.map((site) => ({
    title: `${query} - ${site}`,
    url: `https://${site}.example/${encodeURIComponent(slug)}/${random.between(100, 999)}`,
  }));
  return { query, pages };
}

const SITES: readonly string[] = ["almanac", "gazette", "handbook"];

/** "The answer. ([almanac.example](https://almanac.example/tides/214))" */
export function withCitations(text: string, pages: readonly WebPage[]): string {
  return [text, ...pages.slice(0, CITED).map(linkTo)].join(" ");
}

const CITED = 2;

interface Citation {
  readonly page: WebPage;
  /** In UTF-16 units; the end is the first after it. */
  readonly start: number;
  readonly end: number;
}

/** Where in an answer the pages are named; a link that the token limit cut in two is none. */
export function citationsIn(text: string, pages: readonly WebPage[]): readonly Citation[] {
  return pages.flatMap((page) => {
    const start = text.indexOf(linkTo(page));
    return start < 0 ? [] : [{ page, start, end: start + linkTo(page).length }];
  });
}

function linkTo({ url }: WebPage): string {
  return `([${new URL(url).hostname}](${url}))`;
}
