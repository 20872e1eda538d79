import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  const channel = (provider: string, path: string, models: string): string =>
    `  - { name: ${provider}, provider: ${provider}, base_url: "${sandbox.url}${path}", api_key: upstream-secret-of-the-operator, models: [${models}] }`;
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      channel("openai", "/openai/v1", "gpt-5.6-sol, gpt-4o-mini, gpt-6-astra"),
      channel("anthropic", "/anthropic/v1", "claude-opus-4-8"),
      channel("gemini", "/gemini/v1beta", "gemini-2.5-flash"),
      channel("dashscope", "/dashscope/compatible-mode/v1", "qwen3.8-max"),
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

async function complete(fields: JsonObject): Promise<{
  readonly text: unknown;
  readonly lossy: string | null;
  readonly sent: JsonObject;
}> {
  const answer = await gateway.post("/v1/completions", { prompt: "Once upon a time", ...fields });
  const json = parseJson(await answer.text());
  expect([answer.status, json]).toMatchObject([200, { object: "text_completion" }]);
  const sent = sandbox.requests.at(-1)?.body as never;
  return {
    text: memberOf(listOf(memberOf(json, "choices"))[0], "text"),
    lossy: answer.headers.get("sluice-lossy"),
    sent: isObject(sent) ? sent : {},
  };
}

describe("text completions of a reasoning model", () => {
  test.each(["gpt-5.6-sol", "claude-opus-4-8", "gemini-2.5-flash", "qwen3.8-max"])(
    "use their limit for text: %s",
    async (model) => {
      const { text, lossy } = await complete({ model, max_tokens: 8 });

      expect(text).not.toBe("");
      expect(lossy).toBeNull();
    },
  );

  test("reason as little as possible if reasoning cannot be turned off", async () => {
    const { sent } = await complete({ model: "gpt-6-astra", max_tokens: 300 });

    expect(sent).toMatchObject({ reasoning_effort: "low" });
  });

  test("reason if the model name's suffix requests it", async () => {
    const { sent } = await complete({ model: "gpt-5.6-sol-high", max_tokens: 300 });

    expect(sent).toMatchObject({ reasoning_effort: "high" });
  });
});

test("text completions of other models send no reasoning options", async () => {
  const { sent } = await complete({ model: "gpt-4o-mini", max_tokens: 8 });

  expect(Object.keys(sent)).not.toContain("reasoning_effort");
});
