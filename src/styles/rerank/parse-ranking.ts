import { rerank, type Ranked, type Ranking, type RerankRequest } from "#core/rerank.ts";
import { clampCount, usageOf, type Usage } from "#core/usage.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, memberOf, numberOf } from "#lib/values.ts";
import { noAnswer } from "#styles/no-answer.ts";

/** Results in the common list form, validated against the requested documents. */
export function parseRanking(
  list: Json | undefined,
  question: RerankRequest,
  usage?: Usage,
): Ranking {
  const seen = new Set<number>();
  const results = listOf(list).map((item) => {
    const ranked = parseRanked(item, question.documents.length);
    if (seen.has(ranked.index)) throw noAnswer("ranks a document twice");
    seen.add(ranked.index);
    return ranked;
  });
  if (results.length === 0) throw noAnswer("ranks no document");
  return { results, ...defined({ usage }) };
}

function parseRanked(item: Json, documents: number): Ranked {
  const index = integerOf(memberOf(item, "index")) ?? -1;
  const score = numberOf(memberOf(item, "relevance_score")) ?? Number.NaN;
  if (index < 0 || index >= documents) throw noAnswer("ranks a document that it was not given");
  if (!Number.isFinite(score)) throw noAnswer("gives a document no score");
  return { index, score };
}

/** All tokens are input: rerank has no output. `undefined` if the response has no count. */
export function parseUsage(counts: Json | undefined): Usage | undefined {
  const inputTokens =
    integerOf(memberOf(counts, "total_tokens")) ??
    sum(memberOf(counts, "input_tokens"), memberOf(counts, "output_tokens")) ??
    integerOf(memberOf(counts, "prompt_tokens")) ??
    0;
  return inputTokens === 0 ? undefined : usageOf({ inputTokens, outputTokens: 0 });
}

function sum(input: Json | undefined, output: Json | undefined): number | undefined {
  const tokens = integerOf(input);
  return tokens === undefined ? undefined : tokens + (integerOf(output) ?? 0);
}

/** Vendors that count searches often count no tokens: estimate them. */
export function withSearches(
  counted: Usage | undefined,
  { usage, meta }: JsonObject,
  question: RerankRequest,
): Usage | undefined {
  const searches =
    integerOf(memberOf(memberOf(meta, "billed_units"), "search_units")) ??
    integerOf(memberOf(usage, "search_units"));
  if (searches === undefined) return counted;
  const inputTokens = counted?.inputTokens ?? clampCount(rerank.sizeOf(question));
  const used = usageOf({ inputTokens, outputTokens: 0, searches });
  return used && { ...used, isEstimated: counted === undefined };
}

/** Undefined to request all results: vendors differ if the number exceeds the documents. */
export function topOf({ topN, documents }: RerankRequest): number | undefined {
  return topN === undefined || topN >= documents.length ? undefined : topN;
}
