import { stems } from "./words.ts";

/** How soon more of the same word adds nothing, and how much long documents pay for their length. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

/** How well each document answers a query, from 0 to 1: BM25, as a share of what could be had. */
export function bm25(query: string, documents: readonly string[]): readonly number[] {
  const bags = documents.map(termsOf);
  const meanLength = bags.reduce((sum, { length }) => sum + length, 0) / bags.length;
  const terms = [...new Set(termsOf(query))].map((term) => ({
    term,
    rarity: rarityOf(term, bags),
  }));
  const most = terms.reduce((sum, { rarity }) => sum + rarity * (SATURATION + 1), 0);

  return bags.map((bag) => {
    const pace = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * (bag.length / (meanLength || 1)));
    const score = terms.reduce((sum, { term, rarity }) => {
      const count = bag.filter((each) => each === term).length;
      return sum + (count === 0 ? 0 : (rarity * count * (SATURATION + 1)) / (count + pace));
    }, 0);
    return most === 0 ? 0 : score / most;
  });
}

function rarityOf(term: string, bags: readonly (readonly string[])[]): number {
  const having = bags.filter((bag) => bag.includes(term)).length;
  return Math.log(1 + (bags.length - having + 0.5) / (having + 0.5));
}

/** An ideograph is a word. */
function termsOf(text: string): readonly string[] {
  return stems(text.replaceAll(/\p{sc=Han}/gu, " $& "));
}
