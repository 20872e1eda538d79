import { expect, test } from "bun:test";
import type { EmbeddingQuestion } from "#core/embedding.ts";
import { LossReport } from "#core/lossy.ts";
import type { Json } from "#lib/json.ts";
import { embedTexts } from "./index.ts";

function built(question: Partial<EmbeddingQuestion>) {
  const report = new LossReport();
  const whole = { model: "m", inputs: ["a", "b"], ...question };
  return { body: embedTexts.outbound.build(whole, { report, model: {} }), lost: report.fields };
}

const parse = (float: Json, meta: Json = null) =>
  embedTexts.outbound.parse({ embeddings: { float }, meta }, { model: "m", inputs: ["a", "b"] });

test("texts are documents where nobody says what they are for", () => {
  expect(built({ dimensions: 256 })).toEqual({
    body: {
      model: "m",
      texts: ["a", "b"],
      input_type: "search_document",
      embedding_types: ["float"],
      output_dimension: 256,
    },
    lost: [],
  });
});

test("a question is a query, whatever it is a question of", () => {
  for (const task of ["query", "question_answering", "fact_verification", "code_query"] as const) {
    expect(built({ task })).toMatchObject({ body: { input_type: "search_query" }, lost: [] });
  }
});

test("what the vendor has no word for is reported", () => {
  expect(built({ task: "similarity", title: "t", user: "u" })).toMatchObject({
    body: { input_type: "search_document" },
    lost: ["task", "title", "user"],
  });
});

test("tokens are not taken for texts", () => {
  expect(() => built({ inputs: [[1]] })).toThrow("'input' cannot be carried");
});

test("an answer has a vector for each text, and the tokens that are billed", () => {
  const { vectors, usage } = parse([[1], [2]], { billed_units: { input_tokens: 9 } });

  expect(vectors).toEqual([Float32Array.of(1), Float32Array.of(2)]);
  expect(usage?.inputTokens).toBe(9);
  expect(parse([[1], [2]]).usage).toBeUndefined();
});

test("an answer with a vector too few, or with none, is a failure", () => {
  expect(() => parse([[1]])).toThrow("1 vectors for 2 inputs");
  expect(() => parse(null)).toThrow("no list of vectors");
});
