import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

let gateway: TestGateway;
beforeAll(async () => {
  const channel = (provider: string, model: string): string =>
    `  - { name: ${provider}, provider: ${provider}, base_url: "http://127.0.0.1:9/v1", api_key: upstream-key, models: [${model}] }`;
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      channel("openai", "gpt-4o-mini"),
      channel("mistral", "mistral-small-latest"),
      channel("openai-compatible", "local-model"),
      channel("ollama", "llama3"),
      channel("gemini", "gemini-2.5-flash"),
      channel("anthropic", "claude-haiku-4-5"),
    ].join("\n"),
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** What an upstream would be sent. */
async function sentBy(model: string, seeds: JsonObject) {
  const answer = await gateway.post("/api/explain", {
    path: "/v1/chat/completions",
    body: { model, messages: [{ role: "user", content: "hi" }], ...seeds },
  });
  const { data } = (await answer.json()) as {
    data: { request: { body: JsonObject }; channels: { lost: string[] }[] };
  };
  return { body: data.request.body, lost: data.channels[0]?.lost };
}

test.each<[string, JsonObject, JsonObject]>([
  ["gpt-4o-mini", { random_seed: 4 }, { seed: 4 }],
  ["gpt-4o-mini", { random_seed: 4, seed: 5 }, { seed: 5 }],
  ["llama3", { random_seed: 4 }, { seed: 4 }],
  ["mistral-small-latest", { random_seed: 4 }, { random_seed: 4 }],
  ["mistral-small-latest", { seed: 4 }, { random_seed: 4 }],
  // A server that nobody knows may be of either vendor.
  ["local-model", { random_seed: 4 }, { random_seed: 4 }],
])("a seed reaches %s under its name: %p is %p", async (model, seeds, sent) => {
  const { body } = await sentBy(model, seeds);

  expect({ seed: body["seed"], random_seed: body["random_seed"] }).toEqual({
    seed: sent["seed"],
    random_seed: sent["random_seed"],
  });
});

test("a seed under its other name is translated as the seed", async () => {
  const { body } = await sentBy("gemini-2.5-flash", { random_seed: 4 });

  expect(body["generationConfig"]).toMatchObject({ seed: 4 });
  expect(JSON.stringify(body)).not.toContain("random_seed");
});

test("a lost seed is reported to the client", async () => {
  const { body, lost } = await sentBy("claude-haiku-4-5", { random_seed: 4 });

  expect([JSON.stringify(body).includes("seed"), lost]).toEqual([false, ["seed"]]);
});
