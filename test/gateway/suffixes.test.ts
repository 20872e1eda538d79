import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openBooks } from "#test/books.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

const YAML = (url: string): string => `
channels:
  - name: native
    provider: gemini
    base_url: ${url}/gemini/v1beta
    api_key: upstream-secret-of-the-operator
    models: [gemini-2.5-flash, gemini-2.5-pro, gemini-3-pro-preview, { name: own-thinking, upstream: gemini-2.5-flash }]
  - name: messages
    provider: anthropic
    base_url: ${url}/anthropic/v1
    api_key: upstream-secret-of-the-operator
    models: [claude-sonnet-4-5-20250929]
`;

describe("[A4.3-03] the suffix of a model name sets its reasoning", () => {
  let sandbox: Sandbox;
  let gateway: TestGateway;
  beforeAll(async () => {
    sandbox = await startSandbox();
    gateway = await openTestGateway({ yaml: YAML(sandbox.url) });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await sandbox.stop();
  });

  /** What of the request reached the upstream that says how to think. */
  const sent = (): unknown => {
    const body = sandbox.requests.at(-1)?.body as {
      generationConfig?: { thinkingConfig?: unknown };
      thinking?: unknown;
    };
    return body.generationConfig?.thinkingConfig ?? body.thinking;
  };
  const chat = async (model: string, more: object = {}): Promise<number> => {
    const messages = [{ role: "user", content: "Reply with exactly: ok" }];
    const answer = await gateway.post("/v1/chat/completions", { model, messages, ...more });
    await answer.text();
    return answer.status;
  };

  test.each<[string, object, object]>([
    ["gemini-2.5-flash-thinking", {}, { thinkingBudget: -1 }],
    ["gemini-2.5-flash-thinking-1024", {}, { thinkingBudget: 1024 }],
    ["gemini-2.5-flash-thinking-99999999", {}, { thinkingBudget: 24_576 }],
    ["gemini-2.5-pro-thinking-1", {}, { thinkingBudget: 128 }],
    ["gemini-2.5-flash-nothinking", {}, { thinkingBudget: 0 }],
    ["gemini-2.5-pro-nothinking", {}, { thinkingBudget: 128 }],
    ["gemini-2.5-flash-thinking-low", {}, { thinkingBudget: 4915 }],
    ["gemini-2.5-flash-thinking-high", {}, { thinkingBudget: 19_660 }],
    ["gemini-3-pro-preview-thinking-low", {}, { thinkingLevel: "LOW" }],
    ["gemini-3-pro-preview-thinking-high", {}, { thinkingLevel: "HIGH" }],
    // By share of the family's budget; the body counts for more than the ending.
    ["gemini-2.5-flash-thinking", { reasoning_effort: "low" }, { thinkingBudget: 4915 }],
    ["gemini-2.5-flash-thinking", { reasoning_effort: "medium" }, { thinkingBudget: 12_288 }],
    ["gemini-2.5-pro-thinking", { reasoning_effort: "high" }, { thinkingBudget: 26_214 }],
    [
      "gemini-2.5-flash-thinking-1024",
      { extra_body: { google: { thinking_config: { thinking_budget: 2048 } } } },
      { thinkingBudget: 2048 },
    ],
  ])("%s %j", async (model, more, expected) => {
    expect(await chat(model, more)).toBe(200);
    expect(sent()).toMatchObject(expected);
    expect(sandbox.requests.at(-1)?.path).not.toContain("thinking");
  });

  test("in the native style as well", async () => {
    const path = "/v1beta/models/gemini-2.5-flash-thinking-512:generateContent";
    const answer = await gateway.post(path, {
      contents: [{ role: "user", parts: [{ text: "Hi." }] }],
    });

    expect(answer.status).toBe(200);
    expect(sent()).toMatchObject({ thinkingBudget: 512 });
    expect(sandbox.requests.at(-1)?.path).toContain("/gemini-2.5-flash:");
  });

  test("for another family that declares it", async () => {
    expect(await chat("claude-sonnet-4-5-20250929-thinking", { max_tokens: 4_000 })).toBe(200);
    expect(sent()).toMatchObject({ type: "enabled", budget_tokens: 3_200 });
  });

  test("but is not read from an id that exists with it", async () => {
    expect(await chat("own-thinking")).toBe(200);
    expect(sent()).toBeUndefined();
  });

  test("and an undeclared suffix, or a suffix of an unknown model, is an unknown model", async () => {
    expect(await chat("gemini-2.5-flash-thinking-sometimes")).toBe(404);
    expect(await chat("nothing-thinking")).toBe(404);
  });

  test("and the price is that of the model without it", async () => {
    using books = openBooks(gateway.dataDir);
    await chat("gemini-2.5-flash-nothinking");
    await books.whenSettled();

    const record = books
      .calls()
      .findLast((each) => each["model"] === "gemini-2.5-flash-nothinking");
    expect(record).toMatchObject({ upstream_model: "gemini-2.5-flash" });
    expect(Number(record?.["cost"])).toBeGreaterThan(0);
  });
});

test("a messages client with a suffix keeps its beta features", async () => {
  await using sandbox = await startSandbox();
  await using gateway = await openTestGateway({ yaml: YAML(sandbox.url) });
  const body = {
    model: "claude-sonnet-4-5-20250929-thinking",
    max_tokens: 4_000,
    messages: [{ role: "user", content: "Hi." }],
  };

  await gateway.post("/v1/messages", body, {
    "anthropic-beta": "interleaved-thinking-2025-05-14",
  });

  expect(sandbox.requests.at(-1)?.headers["anthropic-beta"]).toContain("interleaved-thinking");
  expect(sandbox.requests.at(-1)?.headers["anthropic-version"]).toBe("2023-06-01");
});
