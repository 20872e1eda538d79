import { createCohere } from "@ai-sdk/cohere";
import { rerank } from "ai";
import { expect, test } from "bun:test";
import { KEY, openTestGateway, simulatedChannel } from "#test/harness.ts";

/** An official client of one rerank format, unmodified, over an upstream of another. */
test("[A4.10] a client ranks documents through the gateway, and is told of a refusal", async () => {
  using upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      Response.json({
        output: {
          results: [
            { index: 0, relevance_score: 0.1 },
            { index: 1, relevance_score: 0.8 },
          ],
        },
        usage: { total_tokens: 12 },
      }),
  });
  const channel = simulatedChannel(
    "nested",
    `http://127.0.0.1:${upstream.port}`,
    "models: [gte-rerank-v2]",
    "dashscope",
  );
  await using gateway = await openTestGateway({ yaml: `channels:\n${channel}` });
  const cohere = createCohere({ baseURL: `${gateway.url}/v2`, apiKey: KEY });
  const ask = (model: string) =>
    rerank({
      model: cohere.reranking(model),
      query: "Which document is about France?",
      documents: ["Athens is in Greece.", "Paris is in France."],
      topN: 1,
      maxRetries: 0,
    });

  const { ranking, response } = await ask("gte-rerank-v2");
  const refusal = await ask("unknown").catch((cause: unknown) => cause);

  expect(ranking).toEqual([{ originalIndex: 1, score: 0.8, document: "Paris is in France." }]);
  expect(response.id).toBeString();
  expect(refusal).toMatchObject({ statusCode: 404 });
});
