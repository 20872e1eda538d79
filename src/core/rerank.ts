import type { JsonObject } from "#lib/json.ts";
import { estimateTokens } from "./count.ts";
import {
  usageOfAll,
  type OperationRequest,
  type OperationKind,
  type OperationResult,
} from "./operation.ts";

/** Documents to be put in the order of how well they answer a query. */
export interface RerankRequest extends OperationRequest {
  readonly query: string;
  readonly documents: readonly string[];
  /** How many of the best are wanted; all where absent. */
  readonly topN?: number;
  /** The answer is to repeat the documents. */
  readonly withDocuments: boolean;
  /** Fields of the caller's that have no place above. */
  readonly extra?: JsonObject;
}

/** The best first, and no document twice. */
export interface Ranking extends OperationResult {
  readonly results: readonly Ranked[];
}

export interface Ranked {
  /** Among the documents of the question. */
  readonly index: number;
  /** From 0 to 1, once the parts of an answer are joined; until then as the model says it. */
  readonly score: number;
}

/** Vendors who charge by the search count a longer list as several. */
const DOCUMENTS_PER_SEARCH = 100;

export const rerank: OperationKind<RerankRequest, Ranking> = {
  sizeOf: ({ query, documents }) =>
    estimateTokens(query) * documents.length +
    documents.reduce((sum, document) => sum + estimateTokens(document), 0),

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

  /** Scores of one model compare, whichever documents they were given beside. */
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

/** One score outside shows that a model says logits, and so that all its scores are. */
function betweenZeroAndOne(results: readonly Ranked[]): readonly Ranked[] {
  if (results.every(({ score }) => score >= 0 && score <= 1)) return results;
  return results.map(({ index, score }) => ({ index, score: 1 / (1 + Math.exp(-score)) }));
}
