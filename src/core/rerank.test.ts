import fc from "fast-check";
import { describe, expect, test } from "bun:test";
import { SEED } from "#test/seed.ts";
import { rerank, type Ranked, type RerankRequest } from "./rerank.ts";
import { usageOf } from "./usage.ts";

const scored = (score: fc.Arbitrary<number>) =>
  fc.record({
    scores: fc.array(score, { minLength: 1, maxLength: 60 }),
    maxInputs: fc.integer({ min: 1, max: 20 }),
    topN: fc.option(fc.integer({ min: 1, max: 80 }), { nil: undefined }),
  });
const probability = fc.double({ min: 0, max: 1, noNaN: true });
const logit = fc.double({ min: -30, max: 30, noNaN: true });

function asked(documents: number, topN?: number): RerankRequest {
  return {
    model: "m",
    query: "q",
    documents: Array.from({ length: documents }, (_, index) => `document ${index}`),
    withDocuments: false,
    ...(topN === undefined ? {} : { topN }),
  };
}

/** As upstreams would: each is asked its part, and knows a document by its words alone. */
function answered(question: RerankRequest, scores: readonly number[], maxInputs: number) {
  const parts = rerank.split(question, maxInputs).map((part) => ({
    question: part,
    answer: {
      results: part.documents.map((document, index) => ({
        index,
        score: scores[question.documents.indexOf(document)] ?? Number.NaN,
      })),
      ...counted(part.documents.length),
    },
  }));
  return rerank.join(parts, question);
}

function counted(inputTokens: number) {
  const usage = usageOf({ inputTokens, outputTokens: 0 });
  return usage === undefined ? {} : { usage };
}

const isSorted = (results: readonly Ranked[]): boolean =>
  results.every(({ score }, at) => at === 0 || score <= (results[at - 1]?.score ?? 0));

describe(`[A2.8] [A4.10] a ranking (seed ${SEED})`, () => {
  test("is sorted by score, has the requested number of results, and keeps their scores", () => {
    fc.assert(
      fc.property(scored(probability), ({ scores, maxInputs, topN }) => {
        const { results, usage } = answered(asked(scores.length, topN), scores, maxInputs);

        expect(results.length).toBe(Math.min(topN ?? Infinity, scores.length));
        expect(isSorted(results)).toBe(true);
        for (const { index, score } of results) expect(score).toBe(scores[index] ?? -1);
        const best = [...scores].sort((one, other) => other - one).slice(0, results.length);
        expect(results.map(({ score }) => score)).toEqual(best);
        expect(usage?.inputTokens).toBe(scores.length);
      }),
      { seed: SEED },
    );
  });

  test("is the same for one request and for several parts, even with logits", () => {
    fc.assert(
      fc.property(scored(logit), ({ scores, maxInputs, topN }) => {
        const question = asked(scores.length, topN);

        const whole = answered(question, scores, scores.length);

        expect(answered(question, scores, maxInputs)).toEqual(whole);
        expect(isSorted(whole.results)).toBe(true);
        for (const { score } of whole.results) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
        }
      }),
      { seed: SEED },
    );
  });

  test("of logits has probabilities, converted alike for all documents", () => {
    const { results } = answered(asked(3), [0.5, -4, 9], 1);

    expect(results.map(({ index }) => index)).toEqual([2, 0, 1]);
    expect(results.map(({ score }) => score.toFixed(4))).toEqual(["0.9999", "0.6225", "0.0180"]);
  });

  test("keeps the order of documents with equal scores", () => {
    const { results } = answered(asked(4), [0.5, 0.7, 0.5, 0.7], 2);

    expect(results.map(({ index }) => index)).toEqual([1, 3, 0, 2]);
  });

  test("is reserved for by the query once per document, plus the documents", () => {
    const question = { ...asked(0), query: "abc", documents: ["abcdef", "abc"] };

    expect(rerank.sizeOf(question)).toBe(1 * 2 + 2 + 1);
  });
});

test("a list of more than a hundred documents counts as several searches", () => {
  const searches = (count: number) =>
    rerank.unitsOf?.({
      model: "m",
      query: "q",
      documents: Array.from({ length: count }, String),
      withDocuments: false,
    });

  expect([1, 100, 101, 1_000].map(searches)).toEqual([
    { searches: 1 },
    { searches: 1 },
    { searches: 2 },
    { searches: 10 },
  ]);
});
