import type { OutboundFormat } from "#core/operation.ts";
import type { Ranking, RerankRequest } from "#core/rerank.ts";
import { defined, memberOf } from "#lib/values.ts";
import { carry } from "#styles/carry.ts";
import { parseError } from "#styles/upstream-error.ts";
import { parseRanking, parseUsage, topOf } from "./parse-ranking.ts";

/** What it has beside what all have. */
const CARRIES = { instruct: "instruct", instruction: "instruct" };

/** What is asked and how it is to be answered stand apart. */
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
