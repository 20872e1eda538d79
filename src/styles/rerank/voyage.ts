import type { OutboundFormat } from "#core/operation.ts";
import type { Ranking, RerankQuestion } from "#core/rerank.ts";
import { defined } from "#lib/values.ts";
import { parseError } from "#styles/upstream-error.ts";
import { parseRanking, parseUsage, topOf } from "./parse-ranking.ts";

export const voyage: OutboundFormat<RerankQuestion, Ranking> = {
  id: "voyage-rerank",
  outbound: {
    build: (question) => ({
      model: question.model,
      query: question.query,
      documents: question.documents,
      ...defined({ top_k: topOf(question) }),
    }),
    parse: (body, question) => parseRanking(body["data"], question, parseUsage(body["usage"])),
    parseError,
  },
};
