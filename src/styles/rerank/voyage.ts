import type { OutboundFormat } from "#core/operation.ts";
import type { Ranking, RerankRequest } from "#core/rerank.ts";
import { defined } from "#lib/values.ts";
import { carry } from "#styles/carry.ts";
import { parseError } from "#styles/upstream-error.ts";
import { parseRanking, parseUsage, topOf } from "./parse-ranking.ts";

/** Additional fields of this vendor. */
const CARRIES = { truncation: "truncation" };

export const voyage: OutboundFormat<RerankRequest, Ranking> = {
  id: "voyage-rerank",
  outbound: {
    build: (question, { report }) => ({
      ...carry(question.extra, CARRIES, report),
      model: question.model,
      query: question.query,
      documents: question.documents,
      ...defined({ top_k: topOf(question) }),
    }),
    parse: (body, question) => parseRanking(body["data"], question, parseUsage(body["usage"])),
    parseError,
  },
};
