import type { InboundFormat, OutboundFormat, OperationResult } from "#core/operation.ts";
import type { Ranking, RerankRequest } from "#core/rerank.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, memberOf } from "#lib/values.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { carry } from "#styles/carry.ts";
import { parseError } from "#styles/upstream-error.ts";
import type { RerankDialect } from "./dialect.ts";
import { parseRanking, parseUsage, topOf, withSearches } from "./parse-ranking.ts";
import { readQuestion } from "./read-question.ts";

type RerankFormat = InboundFormat<RerankRequest, Ranking> & OutboundFormat<RerankRequest, Ranking>;

/** The dialect that every server of the format supports. */
const DEFAULT_DIALECT: RerankDialect = { carries: {} };

/** The format that most rerank servers share, and that the gateway's clients use. */
export const jina: RerankFormat = {
  id: "jina-rerank",
  inbound: {
    read: readQuestion,

    write: (answer, question) => write(answer, question, (text) => text),

    buildError,
  },
  outbound: {
    build(question, { report, dialect: own }) {
      const { carries }: RerankDialect = { ...DEFAULT_DIALECT, ...own };
      return {
        ...carry(question.extra, carries, report),
        model: question.model,
        query: question.query,
        documents: question.documents,
        // Some servers return the documents by default; the gateway already has them.
        return_documents: false,
        ...defined({ top_n: topOf(question) }),
      };
    },

    parse: (body, question) =>
      parseRanking(body["results"], question, withSearches(usageIn(body), body, question)),

    parseError,
  },
};

/** The same for clients that expect documents as objects. */
export const objectDocuments: RerankFormat = {
  ...jina,
  inbound: {
    ...jina.inbound,
    write: (answer, question) => write(answer, question, (text) => ({ text })),
  },
};

function write(
  { results, usage }: Ranking & Required<OperationResult>,
  { model, documents, withDocuments }: RerankRequest,
  shown: (text: string) => Json,
): JsonObject {
  return {
    model,
    results: results.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(withDocuments ? { document: shown(documents[index] ?? "") } : {}),
    })),
    usage: { total_tokens: usage.inputTokens + usage.outputTokens },
    // Clients of a similar format read it.
    meta: {},
  };
}

function usageIn({ usage, tokens, meta }: JsonObject) {
  return parseUsage(usage) ?? parseUsage(tokens) ?? parseUsage(memberOf(meta, "tokens"));
}
