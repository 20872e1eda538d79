import type { OutboundFormat } from "#core/operation.ts";
import type { Ranking, RerankRequest } from "#core/rerank.ts";
import { defined, memberOf } from "#lib/values.ts";
import { carry } from "#styles/carry.ts";
import { parseError } from "#styles/upstream-error.ts";
import { parseRanking, parseUsage, topOf } from "./parse-ranking.ts";

/** Additional fields of this vendor. */
const CARRIES = { instruct: "instruct", instruction: "instruct" };

/** Input and parameters are separate objects. */
export const dashscope: OutboundFormat<RerankRequest, Ranking> = {
  id: "dashscope-rerank",
  outbound: {
    build: (question, { report }) => ({
      model: question.model,
      input: { query: question.query, documents: question.documents },
      parameters: {
        ...carry(question.extra, CARRIES, report),
        return_documents: false,
        ...defined({ top_n: topOf(question) }),
      },
    }),
    parse: (body, question) =>
      parseRanking(memberOf(body["output"], "results"), question, parseUsage(body["usage"])),
    parseError,
  },
};
