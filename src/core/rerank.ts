import type { JsonObject } from "#lib/json.ts";
import { estimateTokens } from "./count.ts";
import {
  usageOfAll,
  type OperationRequest,
  type OperationKind,
  type OperationResult,
} from "./operation.ts";

/** Ranks documents by their relevance to a query. */
export interface RerankRequest extends OperationRequest {
  readonly query: string;
  readonly documents: readonly string[];
  /** Number of top results to return; all if absent. */
  readonly topN?: number;
  /** The response repeats the documents. */
  readonly withDocuments: boolean;
  /** Client fields without an equivalent above. */
  readonly extra?: JsonObject;
}

/** Ordered by score, highest first; each document appears at most once. */
export interface Ranking extends OperationResult {
  readonly results: readonly Ranked[];
}

export interface Ranked {
  /** Index among the documents of the request. */
  readonly index: number;
  /** From 0 to 1 once the parts are joined; before that the model's own score. */
  readonly score: number;
}

/** Vendors that charge per search count a longer list as several searches. */
const DOCUMENTS_PER_SEARCH = 100;

export const rerank: OperationKind<RerankRequest, Ranking> = {
  sizeOf: ({ query, documents }) =>
    estimateTokens(query) * documents.length +
    documents.reduce((sum, document) => sum + estimateTokens(document), 0),

  wordsOf: ({ query, documents }) => [
    { words: [query], times: documents.length },
    { words: documents, times: 1 },
  ],

  unitsOf: ({ documents }) => ({ searches: Math.ceil(documents.length / DOCUMENTS_PER_SEARCH) }),

  split(question, maxInputs) {
    const { documents, topN: _, ...rest } = question;
    if (documents.length <= maxInputs) return [question];
    const parts: RerankRequest[] = [];
    for (let at = 0; at < documents.length; at += maxInputs) {
      parts.push({ ...rest, documents: documents.slice(at, at + maxInputs) });
    }
    return parts;
  },

  /** Scores of one model are comparable across the parts. */
  join(parts, { documents, topN = documents.length }) {
    const usage = usageOfAll(parts.map(({ answer }) => answer));
    const results: Ranked[] = [];
    let start = 0;
    for (const { question, answer } of parts) {
      for (const { index, score } of answer.results) results.push({ index: start + index, score });
      start += question.documents.length;
    }
    results.sort((one, other) => other.score - one.score || one.index - other.index);
    return {
      results: betweenZeroAndOne(results).slice(0, topN),
      ...(usage === undefined ? {} : { usage }),
    };
  },
};

/**
 * One score outside 0 to 1 shows that the model returns logits, so all its
 * scores are converted.
 */
function betweenZeroAndOne(results: readonly Ranked[]): readonly Ranked[] {
  if (results.every(({ score }) => score >= 0 && score <= 1)) return results;
  return results.map(({ index, score }) => ({ index, score: 1 / (1 + Math.exp(-score)) }));
}
