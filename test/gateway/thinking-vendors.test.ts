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
      channel("deepseek", "/deepseek/v1", "deepseek-flash"),
      channel("dashscope", "/dashscope/compatible-mode/v1", "qwen3.8-max"),
      channel("zhipu", "/zhipu/api/paas/v4", "glm-5.3"),
      channel("minimax", "/minimax", "MiniMax-M3"),
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

const SCHEMA = { type: "object", properties: { city: { type: "string" } } };
const user = (text: string): JsonObject => ({ role: "user", content: text });

/** What the vendor was sent last. */
function sent(): { readonly path: string; readonly body: JsonObject } {
  const last = sandbox.requests.at(-1);
  const body = last?.body as never;
  return { path: last?.path ?? "", body: isObject(body) ? body : {} };
}

async function ask(path: string, body: JsonObject): Promise<JsonObject> {
  const answer = await gateway.post(path, body);
  const json = parseJson(await answer.text());
  expect([answer.status, json]).toMatchObject([200, {}]);
  return isObject(json) ? json : {};
}

describe("a client of the messages style", () => {
  const tools = [{ name: "find_city", description: "Finds a city.", input_schema: SCHEMA }];
  const thinking = { type: "thinking", thinking: "The user wants a city.", signature: "" };
  const messages = [
    user("Find a city"),
    { role: "assistant", content: [thinking, { type: "text", text: "Which?" }] },
    user("Any"),
  ];
  const body = (model: string): JsonObject => ({ model, max_tokens: 500, messages, tools });

  test("is served by DeepSeek, which gets the earlier reasoning", async () => {
    await ask("/v1/messages", body("deepseek-flash"));

    const [, turn] = listOf(sent().body["messages"]);
    expect(memberOf(turn, "reasoning_content")).toBe("The user wants a city.");
  });

  test("keeps the reasoning of earlier turns at vendors that drop it", async () => {
    await ask("/v1/messages", body("glm-5.3"));
    expect(sent().body["thinking"]).toEqual({ type: "enabled", clear_thinking: false });

    await ask("/v1/messages", body("qwen3.8-max"));
    expect(sent().body["preserve_thinking"]).toBe(true);
  });

  test("gets several tool calls from Qwen at once", async () => {
    const clock = { name: "read_clock", description: "Reads the clock.", input_schema: SCHEMA };
    const both = [user("Find the city Tokyo and read the clock in Tokyo")];
    const answer = await ask("/v1/messages", {
      model: "qwen3.8-max",
      max_tokens: 500,
      messages: both,
      tools: [...tools, clock],
    });

    const calls = listOf(answer["content"]).filter((each) => memberOf(each, "type") === "tool_use");
    expect(calls.map((each) => memberOf(each, "name"))).toEqual(["find_city", "read_clock"]);
  });

  test("gets one tool call from Qwen if it asks for that", async () => {
    await ask("/v1/messages", {
      ...body("qwen3.8-max"),
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    });

    expect(sent().body["parallel_tool_calls"]).toBe(false);
  });

  test("is passed through to MiniMax", async () => {
    const answer = await ask("/v1/messages", body("MiniMax-M3"));

    expect(sent().path).toBe("/minimax/anthropic/v1/messages");
    expect(answer["model"]).toBe("MiniMax-M3");
  });
});

describe("a client of the chat style", () => {
  test("gets strict tools from DeepSeek's beta address", async () => {
    const strict = { ...SCHEMA, required: ["city"], additionalProperties: false };
    const tool = {
      type: "function",
      function: { name: "find_city", strict: true, parameters: strict },
    };
    await ask("/v1/chat/completions", {
      model: "deepseek-flash",
      messages: [user("Find a city")],
      tools: [tool],
    });

    expect(sent().path).toBe("/deepseek/beta/chat/completions");
  });

  test("gets MiniMax's reasoning separate from its text", async () => {
    const answer = await ask("/v1/chat/completions", {
      model: "MiniMax-M3",
      messages: [user("Count to 3")],
    });
    const message = memberOf(listOf(answer["choices"])[0], "message");

    expect(memberOf(message, "content")).toBe("1, 2, 3");
    expect(memberOf(message, "reasoning_content")).toBeString();
  });

  test("gets Qwen's requested effort in a complete response", async () => {
    await ask("/v1/chat/completions", {
      model: "qwen3.8-max",
      messages: [user("Count to 3")],
      reasoning_effort: "xhigh",
    });

    expect(sent().body).toMatchObject({ reasoning_effort: "xhigh" });
    expect(sent().body).not.toHaveProperty("enable_thinking");
  });
});
