import { bm25 } from "./bm25.ts";
import { countTokens } from "./tokens.ts";

interface Ranked {
  readonly index: number;
  readonly score: number;
  readonly document: string;
}

/** Documents in the order of how well they answer a query, the best first. */
export function rank(query: string, documents: readonly string[], top: number): readonly Ranked[] {
  const scores = bm25(query, documents);
  return documents
    .map((document, index) => ({ index, score: scores[index] ?? 0, document }))
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, top);
}

/** The query is read again with each document. */
export function countRanked(query: string, documents: readonly string[]): number {
  const read = documents.reduce((sum, document) => sum + countTokens(document), 0);
  return countTokens(query) * documents.length + read;
}
