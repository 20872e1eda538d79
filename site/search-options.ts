import type { Options } from "minisearch";

/** A section of a page, as the search index holds it. */
export interface SearchEntry {
  readonly id: number;
  readonly url: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
  readonly start: string;
}

const HAN = /[\p{Script=Han}]+/u;

/** Words, and pairs of neighbouring Chinese characters, because Chinese has no spaces. */
function tokenize(text: string): string[] {
  const words = text.match(/[\p{Script=Han}]+|[\p{L}\p{N}_-]+/gu) ?? [];
  return words.flatMap((word) => (HAN.test(word) ? pairsIn(word) : [word, ...partsOf(word)]));
}

function pairsIn(word: string): string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((second, index) => `${characters[index]}${second}`);
}

/** Names such as `first_byte_ms` are found by each of their parts. */
function partsOf(word: string): string[] {
  const parts = word.split(/[_-]+/).filter((part) => part !== "");
  return parts.length > 1 ? parts : [];
}

/** The index is built and asked with the same options. */
export const SEARCH_OPTIONS: Options<SearchEntry> = {
  fields: ["page", "heading", "text"],
  storeFields: ["url", "page", "heading", "start"],
  tokenize,
  searchOptions: {
    boost: { page: 3, heading: 4 },
    prefix: (term) => term.length > 1,
    fuzzy: (term) => (term.length > 4 && !HAN.test(term) ? 0.2 : false),
    combineWith: "AND",
  },
};
