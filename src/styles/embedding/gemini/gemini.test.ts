import { describe, expect, test } from "bun:test";
import { EMBEDDING_TASKS, type EmbeddingRequest } from "#core/embedding.ts";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { batchEmbedContents, embedContent } from "./index.ts";
import { TASK_TYPES } from "./task.ts";

const AT = { model: "m" };
const ofParts = (...parts: Json[]): JsonObject => ({ content: { parts } });
const ofText = (text: string): JsonObject => ofParts({ text });

const one = (body: JsonObject, mayNameModel = false) =>
  embedContent({ mayNameModel }).inbound.read(body, AT);
const many = (...requests: JsonObject[]) => batchEmbedContents.inbound.read({ requests }, AT);

function built(question: Partial<EmbeddingRequest>) {
  const report = new LossReport();
  const whole = { model: "m", inputs: ["a"], ...question };
  return {
    body: batchEmbedContents.outbound.build(whole, { report, model: {} }),
    lost: report.fields,
  };
}

describe("the request for one embedding", () => {
  test("[A4.9-a] has the model of the path, and one text of its parts", () => {
    expect(one(ofText("a"))).toEqual({ model: "m", inputs: ["a"] });
    expect(one(ofParts({ text: "a" }, { text: "" }, { text: "b" })).inputs).toEqual(["a\nb"]);
    expect(one({ content: { role: "user", parts: { text: "a" } } }).inputs).toEqual(["a"]);
  });

  test("[A4.9-a] has a purpose, a title, and a length", () => {
    const more = { taskType: "RETRIEVAL_DOCUMENT", title: "t", outputDimensionality: 256 };
    const inSnakes = { task_type: "RETRIEVAL_DOCUMENT", title: "t", output_dimensionality: 256 };
    const expected = { task: "document", title: "t", dimensions: 256 };

    expect(one({ ...ofText("a"), ...more })).toMatchObject(expected);
    expect(one({ ...ofText("a"), ...inSnakes })).toMatchObject(expected);
    expect(one({ ...ofText("a"), taskType: "TASK_TYPE_UNSPECIFIED" }).task).toBeUndefined();
  });

  test("reports fields that no style carries", () => {
    const { extra } = one({ ...ofText("a"), auto_truncate: true });
    const batch = batchEmbedContents.inbound.read(
      { requests: [ofText("a"), { ...ofText("b"), autoTruncate: true }], labels: {} },
      AT,
    );

    expect(extra).toEqual({ native: { autoTruncate: true } });
    expect(built({ extra: batch.extra ?? {} }).lost).toEqual(["labels", "autoTruncate"]);
    expect(JSON.stringify(built({ extra: batch.extra ?? {} }).body)).not.toContain("runcate");
  });

  test.each(EMBEDDING_TASKS)("maps the task %s in both directions", (task) => {
    const taskType = TASK_TYPES[task];

    expect(one({ ...ofText("a"), taskType }).task).toBe(task);
    expect(built({ task }).body).toMatchObject({ requests: [{ taskType }] });
  });

  test("[A4.9-a] may repeat the model only if a path has one", () => {
    const named = { ...ofText("a"), model: "models/m" };

    expect(refusalOf(() => one(named))).toMatchObject({ code: "invalid_request", param: "model" });
    expect(one(named, true).model).toBe("m");
    expect(one({ ...named, model: "m" }, true).model).toBe("m");
    expect(refusalOf(() => one({ ...named, model: "other" }, true)).param).toBe("model");
  });

  test.each<[string, JsonObject, string]>([
    ["no content", {}, "content"],
    ["no parts", { content: {} }, "content.parts"],
    ["an empty list of parts", ofParts(), "content.parts"],
    ["nothing but empty texts", ofParts({ text: "" }), "content.parts"],
    ["a part that is no text", ofParts({ text: "a" }, { inlineData: {} }), "content.parts"],
    ["another task", { ...ofText("a"), taskType: "GUESSING" }, "taskType"],
    ["no vector at all", { ...ofText("a"), outputDimensionality: 0 }, "outputDimensionality"],
  ])("with %s is refused", (_, body, param) => {
    expect(refusalOf(() => one(body))).toMatchObject({ code: "invalid_request", param });
  });
});

describe("the request for several embeddings", () => {
  test("[A4.9-b] is a list of contents, each of which may name the model of the path", () => {
    const question = many(ofText("a"), { ...ofText("b"), model: "models/m" });

    expect(question).toEqual({ model: "m", inputs: ["a", "b"] });
  });

  test("[A4.9-b] may name no other model", () => {
    const refusal = refusalOf(() => many(ofText("a"), { ...ofText("b"), model: "other" }));

    expect(refusal).toMatchObject({ code: "invalid_request", param: "requests[1].model" });
  });

  test("has equal options for all, since they are requested together", () => {
    const query = { ...ofText("a"), taskType: "RETRIEVAL_QUERY" };

    expect(many(query, query).task).toBe("query");
    expect(refusalOf(() => many(query, ofText("b")))).toMatchObject({
      code: "not_carried",
      param: "requests[1].taskType",
    });
  });

  test.each<[string, JsonObject, string]>([
    ["no requests", {}, "requests"],
    ["an empty list", { requests: [] }, "requests"],
    ["an empty text", { requests: [ofText("a"), ofText("")] }, "requests[1].content.parts"],
  ])("with %s is refused", (_, body, param) => {
    const refusal = refusalOf(() => batchEmbedContents.inbound.read(body, AT));

    expect(refusal).toMatchObject({ code: "invalid_request", param });
  });
});

describe("a response", () => {
  const usage = { ...NO_USAGE, inputTokens: 7 };
  const metadata = { usage: { prompt_tokens: 7, total_tokens: 7 } };
  const vectors = [Float32Array.of(0.5, -1)];
  const question = { model: "m", inputs: ["a"] };

  test("[A2.7] is one embedding, with its usage", () => {
    const answer = embedContent({ mayNameModel: true }).inbound.write({ vectors, usage }, question);

    expect(answer).toEqual({ embedding: { values: [0.5, -1] }, metadata });
  });

  test("[A4.9-b] is a list of them if several were requested", () => {
    const answer = batchEmbedContents.inbound.write({ vectors, usage }, question);

    expect(answer).toEqual({ embeddings: [{ values: [0.5, -1] }], metadata });
  });
});

describe("an upstream", () => {
  const parse = (body: JsonObject) =>
    batchEmbedContents.outbound.parse(body, { model: "m", inputs: ["a", "b"] });

  test("gets a batch request, for one and for many", () => {
    const question = { inputs: ["a", "b"], task: "query", title: "t", dimensions: 8 } as const;
    const said = { taskType: "RETRIEVAL_QUERY", title: "t", outputDimensionality: 8 };

    expect(built({}).body).toEqual({ requests: [{ model: "models/m", ...ofText("a") }] });
    expect(built({ ...question, user: "u" })).toEqual({
      body: {
        requests: ["a", "b"].map((text) => ({ model: "models/m", ...ofText(text), ...said })),
      },
      lost: ["user"],
    });
  });

  test("gets no embeddings of tokens", () => {
    expect(refusalOf(() => built({ inputs: [[1]] })).code).toBe("not_carried");
  });

  test("answers in the order of the inputs, and may report usage", () => {
    const embeddings = [{ values: [1] }, { values: [2] }];

    expect(parse({ embeddings })).toEqual({ vectors: [Float32Array.of(1), Float32Array.of(2)] });
    expect(parse({ embeddings, usageMetadata: { promptTokenCount: 4 } }).usage).toMatchObject({
      inputTokens: 4,
      outputTokens: 0,
    });
  });

  test.each<[string, JsonObject]>([
    ["too few vectors", { embeddings: [{ values: [1] }] }],
    ["an invalid embedding", { embeddings: [{ values: [1] }, {}] }],
    ["none", {}],
  ])("that answers with %s has failed", (_, body) => {
    expect(refusalOf(() => parse(body)).code).toBe("upstream_failed");
  });
});

function refusalOf(action: () => unknown): GatewayError {
  try {
    action();
  } catch (cause) {
    return GatewayError.from(cause);
  }
  throw new Error("Nothing was refused.");
}
