import type { InboundFormat, OutboundFormat } from "#core/operation.ts";
import type { Ranking, RerankQuestion } from "#core/rerank.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, memberOf } from "#lib/values.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { parseError } from "#styles/upstream-error.ts";
import { parseRanking, parseUsage, topOf, withSearches } from "./parse-ranking.ts";
import { readQuestion } from "./read-question.ts";

type RerankFormat = InboundFormat<RerankQuestion, Ranking> &
  OutboundFormat<RerankQuestion, Ranking>;

/** The format that most rerank servers share, and that our callers speak. */
export const jina: RerankFormat = {
  id: "jina-rerank",
  inbound: {
    read: readQuestion,

    write: ({ results, usage }, { model, documents, withDocuments }) => ({
      model,
      results: results.map(({ index, score }) => ({
        index,
        relevance_score: score,
        ...(withDocuments ? { document: documents[index] ?? "" } : {}),
      })),
      usage: { total_tokens: usage.inputTokens + usage.outputTokens },
      // Clients of a like format look into it.
      meta: {},
    }),

    buildError,
  },
  outbound: {
    build: (question) => ({
      model: question.model,
      query: question.query,
      documents: question.documents,
      // Some repeat them where nothing is said, and we have them.
      return_documents: false,
      ...defined({ top_n: topOf(question) }),
    }),

    parse: (body, question) =>
      parseRanking(body["results"], question, withSearches(usageIn(body), body, question)),

    parseError,
  },
};

function usageIn({ usage, tokens, meta }: JsonObject) {
  return parseUsage(usage) ?? parseUsage(tokens) ?? parseUsage(memberOf(meta, "tokens"));
}
