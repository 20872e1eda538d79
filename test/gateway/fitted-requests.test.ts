import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { listOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import type { AskedTool, Caller, Seen } from "../matrix/caller.ts";
import { chatCaller } from "../matrix/callers/chat.ts";
import { messagesCaller } from "../matrix/callers/messages.ts";
import { nativeCaller } from "../matrix/callers/native.ts";
import { responsesCaller } from "../matrix/callers/responses.ts";

const CALLERS = [chatCaller, responsesCaller, messagesCaller, nativeCaller];

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  const channel = (provider: string, path: string, models: string, more = ""): string =>
    `  - { name: ${provider}${more === "" ? "" : "-2"}, provider: ${provider}, base_url: "${sandbox.url}${path}", api_key: upstream-secret-of-the-operator, models: [${models}]${more} }`;
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      channel("openai", "/openai/v1", "gpt-4o, gpt-5, o3", ", style: chat"),
      channel("openai", "/openai/v1", "gpt-4.1, gpt-5-mini"),
      channel("deepseek", "/openai/v1", "deepseek-chat"),
      channel(
        "anthropic",
        "/anthropic/v1",
        "claude-opus-5, claude-fable-5, claude-sonnet-4-5, claude-3-5-haiku-latest",
      ),
      channel(
        "gemini",
        "/gemini/v1beta",
        "gemini-2.5-flash, gemini-2.5-flash-lite, gemini-3-flash-preview",
      ),
      channel("dashscope", "/dashscope/compatible-mode/v1", "qwq-plus, qwen-plus"),
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

function read(caller: Caller, text: string, isStream: boolean): Seen {
  if (isStream) return caller.readStream(text);
  const json = parseJson(text);
  return caller.readWhole(isObject(json) ? json : {});
}

/** What the vendor was sent last. */
function sent(): JsonObject {
  const body = sandbox.requests.at(-1)?.body;
  return isObject(body as never) ? (body as JsonObject) : {};
}

async function ask(
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
  path = "/v1/chat/completions",
): Promise<{ readonly status: number; readonly lost: string; readonly json: JsonObject }> {
  const messages = [{ role: "user", content: "Reply with exactly: pong" }];
  const question = "input" in body ? body : { messages, ...body };
  const answer = await gateway.post(path, question, headers);
  const json = parseJson(await answer.text());
  const lost = (answer.headers.get("sluice-lossy") ?? "").split(", ").toSorted().join(", ");
  return { status: answer.status, lost, json: isObject(json) ? json : {} };
}

describe("a tool whose name is longer than the vendor takes", () => {
  const NAME = "get_weather__a_very_long_server_name_of_some_company__of_the_weather_in_a_city_v2";
  const DOTTED = `get_weather.${"ü".repeat(20)}`;
  const SCHEMA: JsonObject = {
    type: "object",
    properties: { city: { type: "string", description: "The city." } },
    required: ["city"],
    additionalProperties: false,
  };

  const NATIVE: Readonly<Record<string, readonly string[]>> = {
    chat: ["gpt-4o", "gpt-4.1"],
    responses: ["gpt-4.1"],
    messages: ["claude-sonnet-4-5"],
    gemini: ["gemini-2.5-flash"],
  };
  for (const caller of CALLERS) {
    for (const model of ["gpt-4o", "gpt-4.1", "gemini-2.5-flash", "claude-sonnet-4-5"]) {
      // Letters that a style does not allow are its vendors' to refuse.
      const isForeign = !NATIVE[caller.id]?.includes(model);
      test.each(isForeign ? [NAME, DOTTED] : [NAME])(
        `is called under its name: ${caller.id} on ${model}: %s`,
        async (name) => {
          const tool: AskedTool = {
            name,
            description: "Tells the weather in a city.",
            schema: SCHEMA,
          };
          for (const stream of [true, false]) {
            const turns = [{ role: "user", text: "What is the weather in Paris?" } as const];
            const first = caller.request({ model, turns, stream, tools: [tool] });
            const answer = await gateway.post(first.path, first.body);
            const seen = read(caller, await answer.text(), stream);

            expect(seen.error).toBeUndefined();
            expect(seen.calls.map((call) => call.name)).toEqual([name]);

            const results = seen.calls.map((call) => ({ call, text: "Sunny" }));
            const more = [
              ...turns,
              { role: "assistant", own: seen.own } as const,
              { role: "tool", results } as const,
            ];
            const second = caller.request({ model, turns: more, stream, tools: [tool] });
            const reply = await gateway.post(second.path, second.body);
            const said = read(caller, await reply.text(), stream);

            expect([said.error, said.text.includes("Sunny")]).toEqual([undefined, true]);
          }
        },
      );
    }
  }
});

describe("a tool whose name is longer than the vendor takes is sent under a short name", () => {
  const NAME = `get_weather__${"of_some_company__".repeat(8)}v2`;
  const SHORT = "get_weather";
  const schema: JsonObject = { type: "object", properties: {} };
  const tool = (name: string): JsonObject => ({
    type: "function",
    function: { name, parameters: schema },
  });
  const called = { name: NAME, arguments: "{}" };
  const result = { role: "tool", tool_call_id: "call_1", content: "Sunny" };
  const after = (...turns: JsonObject[]): JsonObject => ({
    messages: [{ role: "user", content: "And?" }, ...turns],
  });
  const calls = {
    role: "assistant",
    tool_calls: [{ id: "call_1", type: "function", function: called }],
  };

  const CASES: [string, string, string, JsonObject][] = [
    [
      "a chosen function",
      "/v1/chat/completions",
      "gpt-4o",
      { tools: [tool(NAME)], tool_choice: { type: "function", function: { name: NAME } } },
    ],
    [
      "an allowed function",
      "/v1/chat/completions",
      "gpt-4o",
      {
        tools: [tool(NAME)],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: NAME } }] },
        },
      },
    ],
    [
      "a chosen tool of free text",
      "/v1/chat/completions",
      "gpt-4o",
      {
        tools: [{ type: "custom", custom: { name: NAME } }],
        tool_choice: { type: "custom", custom: { name: NAME } },
      },
    ],
    [
      "the older form",
      "/v1/chat/completions",
      "gpt-4o",
      { functions: [{ name: NAME, parameters: schema }], function_call: { name: NAME } },
    ],
    [
      "an earlier call of the older form",
      "/v1/chat/completions",
      "gpt-4o",
      after(
        { role: "assistant", content: null, function_call: called },
        { role: "function", name: NAME, content: "Sunny" },
      ),
    ],
    [
      "an earlier call of a tool that is gone",
      "/v1/chat/completions",
      "gpt-4o",
      { ...after(calls, result), tools: [tool(SHORT)] },
    ],
    [
      "a result that names its tool",
      "/v1/chat/completions",
      "gpt-4o",
      { ...after(calls, { ...result, name: NAME }), tools: [tool(NAME)] },
    ],
    [
      "an earlier item",
      "/v1/responses",
      "gpt-4.1",
      {
        input: [
          { role: "user", content: "And?" },
          { type: "function_call", call_id: "call_1", name: NAME, arguments: "{}" },
          { type: "function_call_output", call_id: "call_1", output: "Sunny" },
        ],
      },
    ],
    [
      "an earlier block",
      "/v1/messages",
      "claude-sonnet-4-5",
      {
        max_tokens: 100,
        tools: [{ name: SHORT, input_schema: schema }],
        ...after(
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "toolu_1", name: NAME, input: {} }],
          },
          {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Sunny" }],
          },
        ),
      },
    ],
    [
      "an earlier part",
      "/v1beta/models/gemini-2.5-flash:generateContent",
      "gemini-2.5-flash",
      {
        contents: [
          { role: "user", parts: [{ text: "And?" }] },
          { role: "model", parts: [{ functionCall: { name: NAME, args: {} } }] },
          { role: "user", parts: [{ functionResponse: { name: NAME, response: { a: 1 } } }] },
        ],
      },
    ],
  ];
  test.each(CASES)("%s", async (_, path, model, fields) => {
    const messages = [{ role: "user", content: "And?" }];
    const isNative = path.includes("generateContent");
    const base = "input" in fields || isNative ? {} : { messages };

    const answer = await gateway.post(path, { ...base, ...(isNative ? {} : { model }), ...fields });

    expect([answer.status, answer.headers.get("sluice-lossy")]).toEqual([200, null]);
    const names = JSON.stringify(sent()).match(/get_weather__[\w-]+/g) ?? [];
    expect(names.length).toBeGreaterThan(0);
    const max = model.startsWith("claude") ? 128 : 64;
    expect(names.filter(({ length }) => length > max)).toEqual([]);
    expect(new Set(names).size).toBe(1);
  });
});

describe("a model that only streams", () => {
  test.each(CALLERS)("gives $id a complete response", async (caller) => {
    const turns = [{ role: "user", text: "Reply with exactly: pong" } as const];
    const { path, body } = caller.request({ model: "qwq-plus", turns, stream: false });
    const answer = await gateway.post(path, body);
    const seen = read(caller, await answer.text(), false);

    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(seen).toMatchObject({ text: "pong", finish: "stop", error: undefined });
    expect(seen.usage?.output).toBeGreaterThan(0);
    expect(sent()["stream"]).toBe(true);
  });

  test("fails like a complete response", async () => {
    const content = "Count from 1 to 50. [[fault:streamerror after=12]]";
    const { status } = await ask({ model: "qwq-plus", messages: [{ role: "user", content }] });

    expect(status).toBe(502);
  });
});

describe("options that a model refuses are not sent, and reported as lost", () => {
  test.each<[string, JsonObject, string, string]>([
    [
      "samplers",
      { model: "claude-opus-5", temperature: 0.2, top_p: 0.5, top_k: 3 },
      "temperature, top_k, top_p",
      "",
    ],
    ["a limit above its maximum", { model: "gpt-4o", max_tokens: 64_000 }, "max_tokens", ""],
    [
      "a limit above that of a retired model",
      { model: "deepseek-chat", max_tokens: 4_000_000 },
      "max_tokens",
      "",
    ],
    ["the older limit, which is no loss", { model: "o3", max_tokens: 500 }, "", ""],
    [
      "samplers of a model that reasons",
      { model: "gpt-5", temperature: 0.2, stop: ["x"] },
      "temperature",
      "",
    ],
    [
      "a schema for its answer",
      { model: "deepseek-chat", response_format: schemaFormat() },
      "response_format",
      "",
    ],
    ["a foreign tier", { model: "gpt-4o", service_tier: "on_demand" }, "service_tier", ""],
    ["no tools at all", { model: "gpt-4o", tools: [], tool_choice: "auto" }, "", ""],
    [
      "JSON without the word JSON in the prompt",
      { model: "gpt-4o", response_format: { type: "json_object" } },
      "",
      "",
    ],
    [
      "a prefill",
      {
        model: "claude-opus-5",
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", content: "Well," },
        ],
      },
      "messages.prefill",
      "",
    ],
    [
      "thinking without an end",
      { model: "claude-fable-5", max_tokens: 100, thinking: { type: "disabled" } },
      "reasoning",
      "/v1/messages",
    ],
    [
      "tokens to think for",
      {
        model: "claude-opus-5",
        max_tokens: 4_000,
        thinking: { type: "enabled", budget_tokens: 2_000 },
      },
      "thinking.budget_tokens",
      "/v1/messages",
    ],
    [
      "thinking of a model that cannot",
      {
        model: "claude-3-5-haiku-latest",
        max_tokens: 4_000,
        thinking: { type: "enabled", budget_tokens: 2_000 },
      },
      "reasoning",
      "/v1/messages",
    ],
  ])("%s", async (_, body, lost, path) => {
    const where = path === "" ? "/v1/chat/completions" : path;
    const answer = await ask(body, {}, where);
    expect([answer.status, answer.lost]).toEqual([200, lost]);

    const strict = await ask(body, { "sluice-strict": "true" }, where);
    expect(strict.status).toBe(lost === "" ? 200 : 400);
  });

  test("a response format that cannot be enforced beside tools is requested by an instruction", async () => {
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
    await ask({ model: "deepseek-chat", response_format: schemaFormat(), tools });

    expect(sent()["response_format"]).toEqual({ type: "json_object" });
    expect(JSON.stringify(sent()["messages"])).toContain("must conform to this schema");
  });

  test("a video for a vendor that accepts none is refused by the gateway", async () => {
    const before = sandbox.requests.length;
    const content = [
      { type: "text", text: "hi" },
      { type: "video_url", video_url: { url: "data:video/mp4;base64,AAAA" } },
    ];
    const { status, json } = await ask({ model: "gpt-4o", messages: [{ role: "user", content }] });

    expect([status, json["error"]]).toMatchObject([400, { param: "messages[0].content" }]);
    expect(sandbox.requests.length).toBe(before);
  });
});

describe("a reasoning switch is translated to the parameter of the vendor's family", () => {
  test.each<[string, JsonObject, JsonObject, string]>([
    [
      "thinking",
      { model: "gpt-5", thinking: { type: "disabled" } },
      { reasoning_effort: "minimal" },
      "reasoning",
    ],
    [
      "enable_thinking",
      { model: "gpt-5", enable_thinking: true, thinking_budget: 3_000 },
      { reasoning_effort: "low" },
      "reasoning.budget_tokens",
    ],
    [
      "an effort",
      { model: "qwen-plus", reasoning_effort: "high", stream: true },
      { enable_thinking: true, thinking_budget: 65_536 },
      "",
    ],
    [
      "thinking for a switch",
      { model: "qwen-plus", thinking: { type: "enabled" }, stream: true },
      { enable_thinking: true },
      "",
    ],
    ["off", { model: "qwen-plus", reasoning_effort: "none" }, { enable_thinking: false }, ""],
    [
      "on, in a complete response, for a vendor that only streams it",
      { model: "qwen-plus", enable_thinking: true },
      { enable_thinking: false },
      "enable_thinking",
    ],
    [
      "off, for a model that always reasons",
      { model: "qwq-plus", enable_thinking: false, stream: true },
      {},
      "enable_thinking",
    ],
  ])("%s", async (_, body, members, lost) => {
    const answer = await ask(body);
    const names = ["reasoning_effort", "enable_thinking", "thinking_budget", "thinking"];
    const said = Object.entries(sent()).filter(([name]) => names.includes(name));

    expect([answer.status, answer.lost]).toEqual([200, lost]);
    expect(Object.fromEntries(said)).toEqual(members);
  });

  test("an effort leaves room for text beside a small limit", async () => {
    await ask({ model: "gemini-2.5-flash", reasoning_effort: "high", max_tokens: 100 });
    const small = sent()["generationConfig"];
    const { lost } = await ask({
      model: "gemini-2.5-flash-lite",
      reasoning_effort: "high",
      max_tokens: 20,
    });

    expect(small).toMatchObject({ thinkingConfig: { thinkingBudget: 60 } });
    expect([sent()["generationConfig"], lost]).toMatchObject([
      { thinkingConfig: { thinkingBudget: 0 } },
      "reasoning",
    ]);
  });
});

describe("a response that the client has begun", () => {
  const messages: JsonObject[] = [
    { role: "user", content: "What is the capital of Norway?" },
    { role: "assistant", content: "It is Os" },
  ];

  test.each([
    ["gpt-4o", "messages", { role: "user", content: "Continue." }],
    ["qwen-plus", "messages", { role: "user", content: "Continue." }],
  ])("is continued by %s with an instruction", async (model, member, last) => {
    const body = { model, max_tokens: 400, messages };
    const { status, lost, json } = await ask(body, {}, "/v1/messages");

    expect([status, lost]).toEqual([200, "messages.prefill"]);
    expect(listOf(sent()[member]).at(-1)).toMatchObject(last);
    expect(json["content"]).toMatchObject([{ type: "text", text: "lo." }]);
  });

  test("is continued by Gemini without an instruction", async () => {
    const body = { model: "gemini-2.5-flash", max_tokens: 400, messages };
    const { lost, json } = await ask(body, {}, "/v1/messages");

    expect(lost).toBe("");
    expect(json["content"]).toMatchObject([{ type: "text", text: "lo." }]);
  });
});

describe("supported options are not reported as lost", () => {
  test("verbosity and metadata of a responses client", async () => {
    const body = { model: "gpt-5", input: "hi", text: { verbosity: "low" }, metadata: { a: "b" } };
    const { status, lost, json } = await ask(body, {}, "/v1/responses");

    expect([status, lost, sent()["verbosity"]]).toEqual([200, "", "low"]);
    expect(json["metadata"]).toEqual({ a: "b" });
  });

  test("strict tools", async () => {
    const parameters = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    };
    const tools = [{ type: "function", function: { name: "f", strict: true, parameters } }];
    const { status, lost } = await ask({ model: "claude-sonnet-4-5", tools });

    expect([status, lost, sent()["tools"]]).toMatchObject([200, "", [{ strict: true }]]);
  });
});

function schemaFormat(): JsonObject {
  const schema = {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  };
  return { type: "json_schema", json_schema: { name: "city", strict: true, schema } };
}
