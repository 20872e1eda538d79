import { expect, test } from "bun:test";
import { bm25 } from "./bm25.ts";

const DOCUMENTS = [
  "The giant panda is a bear that lives in China.",
  "Paris is the capital of France.",
  "Pandas, pandas and more pandas: a bear, in short.",
  "",
];

function order(query: string): readonly number[] {
  const scores = bm25(query, DOCUMENTS);
  return scores
    .map((score, index) => ({ score, index }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ index }) => index);
}

test("documents with more and rarer words of the query score higher", () => {
  expect(order("panda bears")).toEqual([2, 0]);
  expect(order("capital of France")[0]).toBe(1);
  expect(order("pandas in China")[0]).toBe(0);
});

test("scores are between 0 and 1, and 0 without a match", () => {
  for (const score of bm25("panda panda bear the is", DOCUMENTS)) {
    expect(score).toBeGreaterThanOrEqual(0);
    expect(score).toBeLessThanOrEqual(1);
  }
  expect(bm25("submarine", DOCUMENTS)).toEqual([0, 0, 0, 0]);
  expect(bm25("?!", DOCUMENTS)).toEqual([0, 0, 0, 0]);
  expect(bm25("panda", [""])).toEqual([0]);
});

test("ideographs are words", () => {
  const scores = bm25("法国的首都", ["熊猫生活在中国", "巴黎是法国的首都"]);

  expect(scores[1]).toBeGreaterThan(scores[0] ?? 1);
});
