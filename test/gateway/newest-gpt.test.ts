import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openBooks } from "#test/books.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import type { AskedTool, Caller, Seen, Turn } from "../matrix/caller.ts";
import { chatCaller } from "../matrix/callers/chat.ts";
import { messagesCaller } from "../matrix/callers/messages.ts";
import { nativeCaller } from "../matrix/callers/native.ts";
import { responsesCaller } from "../matrix/callers/responses.ts";

const CALLERS = [chatCaller, responsesCaller, messagesCaller, nativeCaller];
const MODELS = [
  "gpt-5.4",
  "gpt-5.6-sol",
  "gpt-6-astra",
  "gpt-6-luna",
  "gpt-6.1-sol",
  "gpt-6.2-sol",
];

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  const channel = (name: string, provider: string, models: string, more = ""): string =>
    `  - { name: ${name}, provider: ${provider}, base_url: "${sandbox.url}/openai/v1", api_key: upstream-secret-of-the-operator, models: [${models}]${more} }`;
  const renamed = (prefix: string, ...models: string[]): string =>
    models.map((model) => `{ name: ${prefix}-${model}, upstream: ${model} }`).join(", ");
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      channel("own", "openai", `${MODELS.join(", ")}, gpt-6-sol, gpt-5, gpt-6.3-sol`),
      channel("chatty", "openai", renamed("chatty", "gpt-6-astra"), ", style: chat"),
      channel("cloud", "azure-openai", renamed("cloud", "gpt-6-sol")),
      channel(
        "proxy",
        "openai-compatible",
        renamed("proxy", "gpt-6-sol", "gpt-5"),
        ', options: { responses: "tools, web_search" }',
      ),
      channel("all", "openai-compatible", renamed("all", "gpt-5"), ", options: { responses: any }"),
      channel("plain", "openai-compatible", renamed("plain", "gpt-5")),
      channel("claude", "anthropic", "claude-opus-5").replace("/openai/", "/anthropic/"),
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

/** What the vendor was sent last, and where. */
function sent(): { readonly path: string; readonly body: JsonObject } {
  const { path = "", body } = sandbox.requests.at(-1) ?? {};
  return {
    path: path.replace(/^\/\w+\/v1/, ""),
    body: isObject(body as never) ? (body as JsonObject) : {},
  };
}

const WEATHER: AskedTool = {
  name: "get_weather",
  description: "Tells the weather in a city.",
  schema: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};
const CHAT_TOOL = {
  type: "function",
  function: { name: WEATHER.name, parameters: WEATHER.schema },
};

async function ask(
  caller: Caller,
  model: string,
  turns: readonly Turn[],
  stream: boolean,
): Promise<Seen> {
  const { path, body } = caller.request({ model, turns, stream, tools: [WEATHER] });
  const text = await (await gateway.post(path, body)).text();
  if (stream) return caller.readStream(text);
  const json = parseJson(text);
  return caller.readWhole(isObject(json) ? json : {});
}

async function chat(
  more: JsonObject,
): Promise<{ readonly status: number; readonly json: JsonObject }> {
  const messages = [{ role: "user", content: "Reply with exactly: pong" }];
  const answer = await gateway.post("/v1/chat/completions", { messages, ...more });
  const json = parseJson(await answer.text());
  return { status: answer.status, json: isObject(json) ? json : {} };
}

describe("tools of a model that supports them in responses only", () => {
  for (const caller of CALLERS) {
    for (const model of MODELS) {
      test(`${caller.id} on ${model}: are called and answered, and the reasoning continues`, async () => {
        for (const stream of [true, false]) {
          const turns: Turn[] = [{ role: "user", text: "What is the weather in Paris and Rome?" }];
          const seen = await ask(caller, model, turns, stream);

          expect([seen.error, seen.faults, seen.finish]).toEqual([undefined, [], "calls"]);
          expect(seen.calls.map(({ name }) => name)).toEqual(["get_weather", "get_weather"]);
          expect(sent()).toMatchObject({
            path: "/responses",
            body: { store: false, include: ["reasoning.encrypted_content"] },
          });

          const results = seen.calls.map((call) => ({ call, text: "Sunny" }));
          turns.push({ role: "assistant", own: seen.own }, { role: "tool", results });
          const next = await ask(caller, model, turns, stream);

          expect([next.error, next.faults, next.text.includes("Sunny")]).toEqual([
            undefined,
            [],
            true,
          ]);
          // gpt-5.4 does not reason unless it is told to.
          const input = JSON.stringify(sent().body["input"]);
          if (model !== "gpt-5.4") expect(input).toMatch(/"encrypted_content":"[^"]{40,}"/);
        }
      });
    }
  }

  test.each(CALLERS)(
    "ten turns of $id: earlier parts of the request stay unchanged",
    async (caller) => {
      const turns: Turn[] = [];
      let before: readonly unknown[] = [];
      const input = (): readonly unknown[] => sent().body["input"] as readonly unknown[];
      for (let turn = 1; turn <= 10; turn++) {
        const city = `City${turn}`;
        turns.push({ role: "user", text: `What is the weather in ${city}?` });
        const called = await ask(caller, "gpt-6-sol", turns, turn % 2 === 0);
        expect([called.error, called.calls.length]).toEqual([undefined, 1]);
        expect(input().slice(0, before.length)).toEqual([...before]);
        before = input();

        const results = called.calls.map((call) => ({ call, text: `Sunny in ${city}` }));
        turns.push({ role: "assistant", own: called.own }, { role: "tool", results });
        const told = await ask(caller, "gpt-6-sol", turns, turn % 2 === 1);
        expect([told.error, told.text.includes(`Sunny in ${city}`)]).toEqual([undefined, true]);
        expect(input().slice(0, before.length)).toEqual([...before]);
        before = input();
        turns.push({ role: "assistant", own: told.own });
      }
      const proofs = JSON.stringify(before).match(/"encrypted_content"/g) ?? [];
      expect(proofs.length).toBeGreaterThanOrEqual(10);
    },
  );

  test.each<[string, JsonObject, string]>([
    ["without tools: chat", { model: "gpt-6-sol" }, "/chat/completions"],
    [
      "at effort none: chat",
      { model: "gpt-6-sol", tools: [CHAT_TOOL], reasoning_effort: "none" },
      "/chat/completions",
    ],
    [
      "without an effort none",
      { model: "gpt-6-astra", tools: [CHAT_TOOL], reasoning_effort: "none" },
      "/responses",
    ],
    [
      "with an effort",
      { model: "gpt-6-sol", tools: [CHAT_TOOL], reasoning_effort: "high" },
      "/responses",
    ],
    [
      "with an older function",
      { model: "gpt-6-sol", functions: [CHAT_TOOL.function] },
      "/responses",
    ],
    ["with an empty list: chat", { model: "gpt-6-sol", tools: [] }, "/chat/completions"],
    ["a web search", { model: "gpt-6-sol", web_search_options: {} }, "/responses"],
    ["the strongest effort", { model: "gpt-6.1-sol", reasoning_effort: "max" }, "/responses"],
    ["the strongest effort, in the name", { model: "gpt-6.1-sol-max" }, "/responses"],
    [
      "a model that accepts tools in chat: chat",
      { model: "gpt-5", tools: [CHAT_TOOL] },
      "/chat/completions",
    ],
    [
      "a channel that usually speaks chat",
      { model: "chatty-gpt-6-astra", tools: [CHAT_TOOL] },
      "/responses",
    ],
    ["the vendor's cloud", { model: "cloud-gpt-6-sol", tools: [CHAT_TOOL] }, "/responses"],
    [
      "a compatible channel with the option",
      { model: "proxy-gpt-5", tools: [CHAT_TOOL] },
      "/responses",
    ],
    ["a compatible channel with the option for all calls", { model: "all-gpt-5" }, "/responses"],
    ["its other calls: chat", { model: "proxy-gpt-5" }, "/chat/completions"],
    [
      "a compatible channel that does not: chat",
      { model: "plain-gpt-5", tools: [CHAT_TOOL] },
      "/chat/completions",
    ],
  ])("%s", async (_what, body, path) => {
    const { status, json } = await chat(body);

    expect({ status, path: sent().path, json }).toMatchObject({ status: 200, path });
  });

  test("a compatible channel without the option gets chat requests for responses clients, too", async () => {
    const answer = await gateway.post("/v1/responses", { model: "plain-gpt-5", input: "hi" });

    expect([answer.status, sent().path]).toEqual([200, "/chat/completions"]);
  });

  test("earlier assistant text is sent as commentary or as a final answer", async () => {
    const call = { id: "c1", type: "function", function: { name: WEATHER.name, arguments: "{}" } };
    const talk = (model: string) => ({
      model,
      tools: [CHAT_TOOL],
      web_search_options: {},
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: "I look.", tool_calls: [call] },
        { role: "tool", tool_call_id: "c1", content: "Sunny." },
        { role: "assistant", content: "It is sunny." },
        { role: "user", content: "Thanks." },
      ],
    });
    const phases = () =>
      (sent().body["input"] as JsonObject[]).flatMap((item) =>
        item["role"] === "assistant" ? [item["phase"]] : [],
      );

    expect((await chat(talk("gpt-6-sol"))).status).toBe(200);
    expect(phases()).toEqual(["commentary", "final_answer"]);
    expect((await chat(talk("proxy-gpt-5"))).status).toBe(200);
    expect(phases()).toEqual([undefined, undefined]);
  });

  test("the client's include option is kept beside the gateway's", async () => {
    await gateway.post("/v1/responses", {
      model: "gpt-6-sol",
      input: "hi",
      tools: [{ type: "function", name: "f", parameters: WEATHER.schema, strict: false }],
      include: ["message.output_text.logprobs"],
    });

    expect(sent().body["include"]).toEqual([
      "message.output_text.logprobs",
      "reasoning.encrypted_content",
    ]);
  });
});

describe("POST /api/explain", () => {
  const explained = async (body: JsonObject): Promise<JsonObject> => {
    const messages = [{ role: "user", content: "hi" }];
    const answer = await gateway.post("/api/explain", {
      path: "/v1/chat/completions",
      body: { messages, ...body },
    });
    const { data } = (await answer.json()) as { data: { channels: JsonObject[] } };
    return data.channels[0] ?? {};
  };

  test("shows that an unknown model is called like the newest known one", async () => {
    const answer = await gateway.post("/api/explain", {
      path: "/v1/chat/completions",
      body: {
        model: "gpt-6.3-sol",
        messages: [{ role: "user", content: "hi" }],
        max_tokens: 100,
        temperature: 0.2,
        reasoning_effort: "none",
      },
    });
    const { data } = (await answer.json()) as { data: { request: { body: JsonObject } } };

    expect(data.request.body).toEqual({
      model: "gpt-6.3-sol",
      messages: [{ role: "user", content: "hi" }],
      max_completion_tokens: 100,
      reasoning_effort: "low",
    });
    expect(await explained({ model: "gpt-6.3-sol", tools: [CHAT_TOOL] })).toMatchObject({
      style: "responses",
    });
  });

  test("shows the style of a call, and the reason if it differs from the client's", async () => {
    expect(await explained({ model: "gpt-6-sol", tools: [CHAT_TOOL] })).toMatchObject({
      way: "translated",
      style: "responses",
      path: "/responses",
      style_reason: expect.stringContaining(
        "takes tools together with reasoning in the responses style only",
      ),
    });
    const plain = await explained({ model: "gpt-6-sol" });
    expect(plain).toMatchObject({ way: "passed_through", style: "chat" });
    expect(plain).not.toHaveProperty("style_reason");
  });
});

describe("prompt cache marks", () => {
  const LONG = { type: "ephemeral", ttl: "1h" };
  const SHORT = { type: "ephemeral" };
  const text = (said: string, cache_control?: JsonObject) => ({
    type: "text",
    text: said,
    ...(cache_control === undefined ? {} : { cache_control }),
  });
  const TOOLS = [{ name: WEATHER.name, input_schema: WEATHER.schema }];
  const breakpoint = (ttl: string) => ({ prompt_cache_breakpoint: { mode: "explicit", ttl } });

  async function messages(more: JsonObject): Promise<string | null> {
    const answer = await gateway.post("/v1/messages", { max_tokens: 500, ...more });
    expect([answer.status, answer.status === 200 ? "" : await answer.text()]).toEqual([200, ""]);
    return answer.headers.get("sluice-lossy");
  }

  const TALK = {
    system: [text("Be kind."), text("Be brief.", LONG)],
    messages: [
      { role: "user", content: [text("Weather in Paris?", SHORT)] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: WEATHER.name, input: {} }],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: "Sunny.", cache_control: SHORT },
        ],
      },
    ],
  };

  test("of a messages client are the only breakpoints of a responses upstream", async () => {
    const lost = await messages({ model: "gpt-6-sol", tools: TOOLS, ...TALK });

    expect(lost).toBeNull();
    const { path, body } = sent();
    expect(path).toBe("/responses");
    expect(body["instructions"]).toBeUndefined();
    expect(body["prompt_cache_options"]).toEqual({ mode: "explicit" });
    expect(body["input"]).toMatchObject([
      {
        role: "system",
        content: [
          { type: "input_text", text: "Be kind." },
          { type: "input_text", text: "Be brief.", ...breakpoint("12h") },
        ],
      },
      { role: "user", content: [{ text: "Weather in Paris?", ...breakpoint("30m") }] },
      { type: "function_call" },
      {
        type: "function_call_output",
        output: [{ type: "input_text", text: "Sunny.", ...breakpoint("30m") }],
      },
    ]);
    expect(JSON.stringify(body["input"])).not.toContain('"Be kind.","prompt_cache');
  });

  test("and of a chat upstream", async () => {
    const off = { thinking: { type: "disabled" } };
    const lost = await messages({ model: "gpt-6-sol", tools: TOOLS, ...TALK, ...off });

    expect(lost).toBeNull();
    const { path, body } = sent();
    expect(path).toBe("/chat/completions");
    expect(body["prompt_cache_options"]).toEqual({ mode: "explicit" });
    expect(body["messages"]).toMatchObject([
      { role: "system", content: [{ text: "Be kind." }, { ...breakpoint("12h") }] },
      { role: "user", content: [{ text: "Weather in Paris?", ...breakpoint("30m") }] },
      { role: "assistant" },
      { role: "tool", content: [{ type: "text", text: "Sunny.", ...breakpoint("30m") }] },
    ]);
  });

  test("are at most four: the first and the latest; the loss of the others is reported", async () => {
    const content = [1, 2, 3, 4, 5, 6].map((n) => text(`part ${n}`, SHORT));
    const lost = await messages({ model: "gpt-6-luna", messages: [{ role: "user", content }] });

    expect(lost).toBe("cache_control");
    const parts = (sent().body["messages"] as { content: JsonObject[] }[])[0]?.content ?? [];
    const marked = parts.filter((part) => "prompt_cache_breakpoint" in part);
    expect(marked.map((part) => part["text"])).toEqual(["part 1", "part 4", "part 5", "part 6"]);
  });

  test("are three beside the one at the end that the client requested", async () => {
    const content = [1, 2, 3, 4].map((n) => text(`part ${n}`, SHORT));
    const lost = await messages({
      model: "gpt-6-luna",
      tools: TOOLS,
      cache_control: LONG,
      messages: [{ role: "user", content }],
    });

    expect(lost).toBe("cache_control");
    expect(sent().body["prompt_cache_options"]).toEqual({ mode: "implicit", ttl: "12h" });
    expect(JSON.stringify(sent().body["input"]).match(/prompt_cache_breakpoint/g)).toHaveLength(3);
  });

  test("are reported as lost if the model supports none", async () => {
    expect(await messages({ model: "gpt-5", ...TALK, tools: TOOLS })).toBe("cache_control");
    expect(JSON.stringify(sent().body)).not.toContain("prompt_cache");
  });

  test("are not added for a client that sends none", async () => {
    await messages({ model: "gpt-6-luna", messages: [{ role: "user", content: "hi" }] });

    expect(JSON.stringify(sent().body)).not.toContain("prompt_cache");
  });

  test("of responses and chat clients are marks of a messages upstream", async () => {
    const answer = await gateway.post("/v1/responses", {
      model: "claude-opus-5",
      prompt_cache_options: { mode: "implicit", ttl: "12h" },
      input: [
        { role: "user", content: [{ type: "input_text", text: "hi", ...breakpoint("12h") }] },
      ],
    });

    expect([answer.status, answer.headers.get("sluice-lossy")]).toEqual([200, null]);
    expect(sent().body).toMatchObject({
      cache_control: LONG,
      messages: [{ content: [{ type: "text", text: "hi", cache_control: LONG }] }],
    });

    await chat({
      model: "claude-opus-5",
      messages: [{ role: "user", content: [{ ...text("hi"), ...breakpoint("30m") }] }],
    });
    expect(sent().body["messages"]).toMatchObject([
      { content: [{ type: "text", text: "hi", cache_control: SHORT }] },
    ]);
    expect(sent().body["cache_control"]).toBeUndefined();
  });

  test("of a chat client are kept if its call is sent as responses", async () => {
    await chat({
      model: "gpt-6-sol",
      tools: [CHAT_TOOL],
      prompt_cache_key: "k",
      prompt_cache_options: { mode: "explicit" },
      messages: [{ role: "user", content: [{ ...text("hi"), ...breakpoint("12h") }] }],
    });

    expect(sent()).toMatchObject({
      path: "/responses",
      body: {
        prompt_cache_key: "k",
        prompt_cache_options: { mode: "explicit" },
        input: [{ content: [{ type: "input_text", text: "hi", ...breakpoint("12h") }] }],
      },
    });
  });

  test("cause cache writes that are charged by their lifetime", async () => {
    const words = (lead: string) => `${lead} ${"word ".repeat(2_000)}`;
    const ask = async (lead: string, mark: JsonObject): Promise<JsonObject> => {
      const answer = await gateway.post("/v1/messages", {
        model: "gpt-6-sol",
        max_tokens: 500,
        tools: TOOLS,
        system: [text(words(lead), mark)],
        messages: [{ role: "user", content: "Reply with exactly: pong" }],
      });
      return ((await answer.json()) as { usage: JsonObject }).usage;
    };
    const [short, again, long] = [
      await ask("a", SHORT),
      await ask("a", SHORT),
      await ask("b", LONG),
    ];

    expect(short).toMatchObject({ cache_creation_input_tokens: 2_048, cache_read_input_tokens: 0 });
    expect(again).toMatchObject({ cache_creation_input_tokens: 0, cache_read_input_tokens: 2_048 });
    expect(long).toMatchObject({ cache_creation_input_tokens: 2_048 });
    using books = openBooks(gateway.dataDir);
    expect(await books.whenSettled()).toEqual([]);
    // $2 for a million tokens read, $2.50 and $5 written, $0.20 from the cache, $10 out.
    const costOf = (usage: JsonObject, written: number): number =>
      Number(usage["input_tokens"]) * 2_000 +
      Number(usage["cache_creation_input_tokens"]) * written +
      Number(usage["cache_read_input_tokens"]) * 200 +
      Number(usage["output_tokens"]) * 10_000;
    expect(
      books
        .calls()
        .slice(-3)
        .map((call) => call["cost"]),
    ).toEqual([costOf(short, 2_500), costOf(again, 0), costOf(long, 5_000)]);
  });
});
