import { createCohere } from "@ai-sdk/cohere";
import { rerank } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CohereClient, CohereClientV2, CohereError } from "cohere-ai";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { json, openVendor, type Seen, type Vendor } from "#test/adapter/vendor.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";

const QUERY = "Which document is about France?";
const DOCUMENTS = ["Athens is in Greece.", "Paris is in France."];

interface Kind {
  readonly provider: string;
  readonly path: string;
  /** What it says of texts whose places are these, with these scores. */
  answer(results: readonly { index: number; score: number }[]): unknown;
}

const scored = (results: readonly { index: number; score: number }[]) =>
  results.map(({ index, score }) => ({ index, relevance_score: score }));

/** An upstream of each format. */
const KINDS: readonly Kind[] = [
  {
    provider: "openai-compatible",
    path: "/rerank",
    answer: (results) => ({ results: scored(results), usage: { total_tokens: 12 } }),
  },
  {
    provider: "cohere",
    path: "/rerank",
    answer: (results) => ({ id: "1", results: scored(results), meta: {} }),
  },
  {
    provider: "voyage",
    path: "/rerank",
    answer: (results) => ({ object: "list", data: scored(results), usage: { total_tokens: 12 } }),
  },
  {
    provider: "dashscope",
    path: "/api/v1/services/rerank/text-rerank/text-rerank",
    answer: (results) => ({ output: { results: scored(results) }, usage: { total_tokens: 12 } }),
  },
  { provider: "tei", path: "/rerank", answer: (results) => results },
];

/** A document is as good as it has to do with France. */
function respond({ answer, path }: Kind, seen: Seen): Response {
  if (!seen.path.endsWith(path)) return json({ message: "Nothing here." }, 404);
  const { body } = seen;
  const documents = listOf(
    body["texts"] ?? body["documents"] ?? memberOf(body["input"], "documents"),
  );
  const results = documents.map((document, index) => ({
    index,
    score: (textOf(document) ?? "").includes("France") ? 0.8 : 0.1,
  }));
  return json(answer(results));
}

describe.each(KINDS.map((kind) => [kind.provider, kind] as const))(
  "the official clients, unmodified, on an upstream such as %s",
  (provider, kind) => {
    let vendor: Vendor;
    let gateway: TestGateway;
    beforeAll(async () => {
      vendor = openVendor((seen) => respond(kind, seen));
      gateway = await openTestGateway({
        yaml: `channels: [{ name: one, provider: ${provider}, base_url: "${vendor.url}/compatible-mode/v1", api_key: upstream-secret, models: [ranker] }]`,
      });
    });
    afterAll(async () => {
      await gateway[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    });

    const options = () => ({ environment: gateway.url, token: KEY, maxRetries: 0 });
    const question = { model: "ranker", query: QUERY, documents: DOCUMENTS };

    test("[A4.10] the AI SDK ranks, and gets a refusal as its own error class", async () => {
      const cohere = createCohere({ baseURL: `${gateway.url}/v2`, apiKey: KEY });
      const ask = (model: string) =>
        rerank({
          model: cohere.reranking(model),
          query: QUERY,
          documents: DOCUMENTS,
          topN: 1,
          maxRetries: 0,
        });

      const { ranking, response } = await ask("ranker");
      const refusal = await ask("unknown").catch((cause: unknown) => cause);

      expect(ranking).toEqual([{ originalIndex: 1, score: 0.8, document: "Paris is in France." }]);
      expect(response.id).toBeString();
      expect(refusal).toMatchObject({
        statusCode: 404,
        message: expect.stringContaining("'unknown'"),
      });
    });

    test("[A4.10] the one of the second version ranks", async () => {
      const client = new CohereClientV2(options());

      const { id, results } = await client.rerank({ ...question, topN: 2 });

      expect(id).toBeString();
      expect(results).toEqual([
        { index: 1, relevanceScore: 0.8 },
        { index: 0, relevanceScore: 0.1 },
      ]);
    });

    test("[A4.10] the one of the first version ranks objects, and gets them back", async () => {
      const client = new CohereClient(options());
      const documents = [
        { title: "Athens", text: "It is in Greece." },
        { title: "Paris", text: "It is in France." },
      ];

      const { results } = await client.rerank({
        ...question,
        documents,
        rankFields: ["title", "text"],
        topN: 1,
        returnDocuments: true,
      });

      const document = { text: "title: Paris\ntext: It is in France." };
      expect(results).toEqual([{ document, index: 1, relevanceScore: 0.8 }]);
    });

    test("they get refusals in their own error classes", async () => {
      const second = new CohereClientV2(options());
      const stranger = new CohereClientV2({ ...options(), token: "sk-nobody" });
      const told = async (asking: PromiseLike<unknown>) => {
        try {
          await asking;
        } catch (cause) {
          return cause instanceof CohereError ? [cause.statusCode, cause.body] : cause;
        }
        return "nothing";
      };

      expect(await told(second.rerank({ ...question, topN: 0 }))).toEqual([
        400,
        expect.objectContaining({ message: expect.stringContaining("'top_n'") }),
      ]);
      expect(await told(stranger.rerank(question))).toEqual([
        401,
        expect.objectContaining({ message: expect.any(String) }),
      ]);
    });
  },
);

test("the chunk option of the first version, and the token option of the second, reach upstreams that support them", async () => {
  await using vendor = openVendor(() => json({ results: [{ index: 0, relevance_score: 1 }] }));
  const channel = (provider: string) =>
    `{ name: ${provider}, provider: ${provider}, base_url: "${vendor.url}", api_key: upstream-secret, models: [of-${provider}] }`;
  await using gateway = await openTestGateway({
    yaml: `channels: [${channel("cohere")}, ${channel("siliconflow")}]`,
  });
  const options = { environment: gateway.url, token: KEY, maxRetries: 0 };
  const question = { query: QUERY, documents: DOCUMENTS };

  await new CohereClientV2(options).rerank({
    ...question,
    model: "of-cohere",
    maxTokensPerDoc: 512,
  });
  await new CohereClient(options).rerank({
    ...question,
    model: "of-siliconflow",
    maxChunksPerDoc: 4,
  });

  expect(vendor.seen.map(({ body }) => body)).toMatchObject([
    { max_tokens_per_doc: 512 },
    { max_chunks_per_doc: 4 },
  ]);
});
