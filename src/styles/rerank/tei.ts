import type { OutboundFormat } from "#core/operation.ts";
import type { Ranking, RerankRequest } from "#core/rerank.ts";
import type { Json } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import { carry } from "#styles/carry.ts";
import { parseError } from "#styles/upstream-error.ts";
import { parseRanking } from "./parse-ranking.ts";

/** Additional fields of this vendor. */
const CARRIES = {
  truncation: "truncate",
  truncate: "truncate",
  truncation_direction: "truncation_direction",
};

/**
 * The format of single-model servers, without a model name. All texts are ranked, and the response
 * is a list. Token counts are in a header.
 */
export const tei: OutboundFormat<RerankRequest, Ranking> = {
  id: "tei-rerank",
  outbound: {
    build: (question, { report }) => ({
      ...carry(question.extra, CARRIES, report),
      query: question.query,
      texts: question.documents,
      raw_scores: false,
      return_text: false,
    }),

    listAs: "ranks",

    parse: (body, question) => parseRanking(listOf(body["ranks"]).map(usual), question),

    parseError,
  },
};

function usual(rank: Json): Json {
  return {
    index: memberOf(rank, "index") ?? null,
    relevance_score: memberOf(rank, "score") ?? null,
  };
}
