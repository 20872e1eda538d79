import { expect, test } from "bun:test";
import type { EmbeddingRequest } from "#core/embedding.ts";
import { LossReport } from "#core/lossy.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { embedTexts } from "./index.ts";

function built(question: Partial<EmbeddingRequest>) {
  const report = new LossReport();
  const whole = { model: "m", inputs: ["a", "b"], ...question };
  return { body: embedTexts.outbound.build(whole, { report, model: {} }), lost: report.fields };
}

const parse = (float: Json, meta: Json = null) =>
  embedTexts.outbound.parse({ embeddings: { float }, meta }, { model: "m", inputs: ["a", "b"] });

test("texts are documents if the request names no purpose", () => {
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

test("every kind of question is a query", () => {
  for (const task of ["query", "question_answering", "fact_verification", "code_query"] as const) {
    expect(built({ task })).toMatchObject({ body: { input_type: "search_query" }, lost: [] });
  }
});

test("fields that the vendor does not support are reported", () => {
  expect(built({ task: "similarity", title: "t", user: "u" })).toMatchObject({
    body: { input_type: "search_document" },
    lost: ["task", "title", "user"],
  });
});

test("an input of tokens is refused, since the vendor requires texts", () => {
  expect(() => built({ inputs: [[1]] })).toThrow("'input' cannot be carried");
});

test("a response has an embedding for each text, and the billed tokens", () => {
  const { vectors, usage } = parse([[1], [2]], { billed_units: { input_tokens: 9 } });

  expect(vectors).toEqual([Float32Array.of(1), Float32Array.of(2)]);
  expect(usage?.inputTokens).toBe(9);
  expect(parse([[1], [2]]).usage).toBeUndefined();
});

test("a response with a missing embedding, or with none, is a failure", () => {
  expect(() => parse([[1]])).toThrow("1 vectors for 2 inputs");
  expect(() => parse(null)).toThrow("no list of vectors");
});

test("vendor-specific fields are carried, and unknown fields are reported", () => {
  const extra = {
    texts: { truncate: "END", x: 1 },
    embeddings: { max_tokens: 9 },
    native: { truncate: true },
  };

  expect(built({ extra })).toMatchObject({
    body: { truncate: "END", max_tokens: 9 },
    lost: ["x", "truncate"],
  });
});

const read = (more: JsonObject = {}) =>
  embedTexts.inbound.read({ model: "m", texts: ["a", "b"], ...more }, {});

test("[A2.7] a client of the format sets the purpose, length and encoding of embeddings", () => {
  expect(read()).toEqual({ model: "m", inputs: ["a", "b"] });
  expect(
    read({
      input_type: "search_query",
      output_dimension: 8,
      embedding_types: ["base64"],
      truncate: "END",
    }),
  ).toEqual({
    model: "m",
    inputs: ["a", "b"],
    task: "query",
    dimensions: 8,
    encoding: "base64",
    extra: { texts: { truncate: "END" } },
  });
  expect(read({ input_type: "clustering", embedding_types: ["float"] })).toEqual({
    model: "m",
    inputs: ["a", "b"],
    task: "clustering",
  });
});

test.each<[string, JsonObject, string]>([
  ["no texts", { texts: [] }, "'texts' must be a list of 1 to"],
  ["an empty text", { texts: ["a", ""] }, "'texts[1]' must be a string that is not empty"],
  ["pictures", { images: ["data:image/png;base64,AAAA"] }, "'images' cannot be carried"],
  ["texts and images together", { inputs: [] }, "'inputs' cannot be carried"],
  ["whole numbers", { embedding_types: ["int8"] }, "'embedding_types[0]' must be one of"],
  ["two ways at once", { embedding_types: ["float", "base64"] }, "must be a list of 0 to 1 items"],
  ["another purpose", { input_type: "image" }, "'input_type' must be one of"],
  ["no vector at all", { output_dimension: 0 }, "'output_dimension' must be an integer from 1"],
])("a client of the format that requests %s is refused", (_, more, message) => {
  expect(() => read(more)).toThrow(message);
});

test("a response in the format has the embeddings, the texts, and the billed units", () => {
  const vectors = [Float32Array.of(0.5), Float32Array.of(2)];
  const answer = { vectors, usage: { ...NO_USAGE, inputTokens: 7 } };
  const about = {
    texts: ["a", "b"],
    response_type: "embeddings_by_type",
    meta: { api_version: { version: "2" }, billed_units: { input_tokens: 7 } },
  };

  expect(embedTexts.inbound.write(answer, read())).toEqual({
    embeddings: { float: [[0.5], [2]] },
    ...about,
  });
  expect(embedTexts.inbound.write(answer, read({ embedding_types: ["base64"] }))).toEqual({
    embeddings: { base64: ["AAAAPw==", "AAAAQA=="] },
    ...about,
  });
});
