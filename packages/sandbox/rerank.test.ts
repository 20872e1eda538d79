import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "./server.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ apiKeys: ["sk-test"] });
});
afterAll(() => sandbox.stop());

async function ask(path: string, body: unknown, key = "sk-test") {
  const response = await fetch(sandbox.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  return { status: response.status, answer };
}

const QUERY = "Which document is about France?";
const DOCUMENTS = ["Athens is in Greece.", "Paris is in France.", "Lima is in Peru."];

describe("the shared protocol", () => {
  const body = { model: "jina-reranker-v3", query: QUERY, documents: DOCUMENTS };
  const rank = (more: object = {}, key?: string) =>
    ask("/jina/v1/rerank", { ...body, ...more }, key);

  test("ranks documents and repeats them by default", async () => {
    const { status, answer } = await rank({ top_n: 1 });
    const { answer: silent } = await rank({ return_documents: false });

    expect(status).toBe(200);
    expect(answer).toEqual({
      model: "jina-reranker-v3",
      object: "list",
      usage: { total_tokens: expect.any(Number) },
      results: [
        { index: 1, relevance_score: expect.any(Number), document: { text: DOCUMENTS[1] } },
      ],
    });
    expect(silent).toMatchObject({ results: [{ index: 1 }, { index: 0 }, { index: 2 }] });
    expect(JSON.stringify(silent)).not.toContain("Paris");
  });

  const refused: [string, object, number][] = [
    ["another model", { model: "gpt-4o" }, 422],
    ["no query", { query: "" }, 422],
    ["no documents", { documents: [] }, 422],
    ["a number among the documents", { documents: ["a", 1] }, 422],
    ["no results", { top_n: 0 }, 422],
  ];
  test.each(refused)("refuses %s", async (_what, more, status) => {
    expect(await rank(more)).toEqual({ status, answer: { detail: expect.any(String) } });
  });

  test("makes embeddings, too, of the requested length", async () => {
    const input = ["a cat", { text: "a cat" }, "revenue"];
    const embed = (more: object) =>
      ask("/jina/v1/embeddings", { model: "jina-embeddings-v3", input, ...more });

    const { status, answer } = await embed({ task: "retrieval.query", dimensions: 8 });
    const long = await embed({ model: "jina-embeddings-v4", input: "a cat" });

    const { data, usage } = answer as { data: { embedding: number[] }[]; usage: object };
    expect([status, data.map(({ embedding }) => embedding.length)]).toEqual([200, [8, 8, 8]]);
    expect(data[0]?.embedding).toEqual(data[1]?.embedding ?? []);
    expect(data[0]?.embedding).not.toEqual(data[2]?.embedding ?? []);
    expect(usage).toEqual({ total_tokens: expect.any(Number), prompt_tokens: expect.any(Number) });
    expect(long.answer).toMatchObject({ data: [{ embedding: { length: 2_048 } }] });
    for (const wrong of [
      { model: "jina-reranker-v3" },
      { input: [] },
      { input: ["a", ""] },
      { input: [1] },
      { task: "guessing" },
      { dimensions: 1_025 },
      { dimensions: 0 },
      { truncate: "END" },
    ]) {
      expect([wrong, await embed(wrong)]).toEqual([
        wrong,
        { status: 422, answer: { detail: expect.any(String) } },
      ]);
    }
  });

  test("refuses another key, and other paths", async () => {
    expect((await rank({}, "sk-other")).status).toBe(401);
    expect((await ask("/jina/v1/chat/completions", {})).status).toBe(404);
  });
});

describe("the nested protocol", () => {
  const path = "/dashscope/api/v1/services/rerank/text-rerank/text-rerank";
  const body = { model: "gte-rerank-v2", input: { query: QUERY, documents: DOCUMENTS } };

  test("ranks documents, and repeats them on request", async () => {
    const { answer } = await ask(path, { ...body, parameters: { top_n: 2 } });
    const { answer: shown } = await ask(path, { ...body, parameters: { return_documents: true } });

    expect(answer).toEqual({
      output: {
        results: [
          { index: 1, relevance_score: expect.any(Number) },
          { index: 0, relevance_score: expect.any(Number) },
        ],
      },
      usage: { total_tokens: expect.any(Number) },
      request_id: expect.any(String),
    });
    expect(shown).toMatchObject({
      output: { results: [{ document: { text: DOCUMENTS[1] } }, {}, {}] },
    });
  });

  const refused: [string, object][] = [
    ["another model", { model: "qwen-plus" }],
    ["no query", { input: { documents: DOCUMENTS } }],
    ["documents that are no texts", { input: { query: QUERY, documents: [{ text: "a" }] } }],
    ["too many documents", { input: { query: QUERY, documents: Array(501).fill("a") } }],
    ["no results", { parameters: { top_n: 0 } }],
  ];
  test.each(refused)("refuses %s", async (_what, more) => {
    expect(await ask(path, { ...body, ...more })).toEqual({
      status: 400,
      answer: {
        code: "InvalidParameter",
        message: expect.any(String),
        request_id: expect.any(String),
      },
    });
  });

  test("refuses another key", async () => {
    expect((await ask(path, body, "sk-other")).status).toBe(401);
  });
});
