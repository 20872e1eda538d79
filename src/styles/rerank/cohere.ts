import type { OutboundFormat } from "#core/operation.ts";
import type { Ranking, RerankRequest } from "#core/rerank.ts";
import { defined } from "#lib/values.ts";
import { carry } from "#styles/carry.ts";
import { parseError } from "#styles/upstream-error.ts";
import { parseRanking, topOf, withSearches } from "./parse-ranking.ts";

/** Additional fields of this vendor. */
const CARRIES = { max_tokens_per_doc: "max_tokens_per_doc", priority: "priority" };

/** Version 2 of this format. Its servers count searches, not tokens. */
export const cohere: OutboundFormat<RerankRequest, Ranking> = {
  id: "cohere-rerank",
  outbound: {
    build: (question, { report }) => ({
      ...carry(question.extra, CARRIES, report),
      model: question.model,
      query: question.query,
      documents: question.documents,
      ...defined({ top_n: topOf(question) }),
    }),
    parse: (body, question) =>
      parseRanking(body["results"], question, withSearches(undefined, body, question)),
    parseError,
  },
};
