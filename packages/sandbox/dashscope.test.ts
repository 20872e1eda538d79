import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { countTokens } from "./engine/tokens.ts";
import type { JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { WEATHER, at, eventsIn, textAt } from "./testing/chat.ts";
import { chatCaller, fieldOf } from "./testing/compatible.ts";

let sandbox: Sandbox;
const qwen = chatCaller(() => sandbox, "/dashscope/compatible-mode/v1");

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

function ask(text: string, extra: JsonObject = {}): JsonObject {
  return { model: "qwen-plus", messages: [{ role: "user", content: text }], ...extra };
}

const THINKING = { stream: true, enable_thinking: true } as const;
const COUNTED = { stream_options: { include_usage: true } } as const;

test("the vendor's usual client gets a response, a stream and the list of models", async () => {
  const client = new OpenAI({
    apiKey: "sk-test",
    baseURL: `${sandbox.url}/dashscope/compatible-mode/v1`,
    maxRetries: 0,
  });
  const messages = [{ role: "user" as const, content: "Count to 5" }];
  const whole = await client.chat.completions.create({ model: "qwen-plus", messages });
  const streamed = await client.chat.completions
    .stream({ model: "qwen-plus", messages })
    .finalChatCompletion();
  const models = await Array.fromAsync(client.models.list());

  expect(whole.choices[0]?.message.content).toBe("1, 2, 3, 4, 5");
  expect(streamed.choices[0]?.message.content).toBe("1, 2, 3, 4, 5");
  expect(models.map((model) => model.id)).toContain("qwq-plus");
});

test("reasoning is streamed before the text, and counted", async () => {
  const chunks = await qwen.chunks(ask("Say hi", { ...THINKING, ...COUNTED }));

  const deltas = chunks.map((chunk) => at(chunk, "choices", 0, "delta"));
  expect(deltas[0]).toEqual({ content: null, role: "assistant", reasoning_content: "" });
  expect(fieldOf(chunks, "reasoning_content")).toStartWith("The user writes about");
  expect(fieldOf(chunks, "content")).toBe("hi");
  const last = deltas.findLastIndex((delta) => textAt(delta, "reasoning_content") !== "");
  const first = deltas.findIndex((delta) => textAt(delta, "content") !== "");
  expect(last).toBeLessThan(first);
  const tokens = countTokens(fieldOf(chunks, "reasoning_content"));
  expect(at(chunks.at(-1), "usage", "completion_tokens_details", "reasoning_tokens")).toBe(tokens);
});

test("a hybrid model has its own default for thinking", async () => {
  const thinks = async (model: string, extra: JsonObject = {}) =>
    fieldOf(await qwen.chunks(ask("Say hi", { model, ...extra })), "reasoning_content") !== "";

  expect(await thinks("qwen-plus")).toBe(false);
  expect(await thinks("qwen3-32b")).toBe(true);
  expect(await thinks("qwen3-32b", { enable_thinking: false })).toBe(false);
  expect(await thinks("qwq-plus")).toBe(true);
  expect(await thinks("qwen-max", { enable_thinking: true })).toBe(false);
});

test("the budget ends the reasoning and not the text, whose own limit is independent", async () => {
  const chunks = await qwen.chunks(
    ask("Count to 50", { ...THINKING, ...COUNTED, thinking_budget: 10, max_tokens: 5 }),
  );

  expect(countTokens(fieldOf(chunks, "reasoning_content"))).toBe(10);
  expect(fieldOf(chunks, "content")).toBe("1, 2, 3");
  expect(at(chunks.at(-1), "usage", "completion_tokens")).toBe(15);
  expect(at(chunks.at(-2), "choices", 0, "finish_reason")).toBe("length");
});

test("a model that supports it also thinks in a complete response", async () => {
  const answer = await qwen.answer(ask("Say hi", { model: "qwen3-max", enable_thinking: true }));

  expect(at(answer, "choices", 0, "message")).toMatchObject({
    content: "hi",
    reasoning_content: expect.stringContaining("The user writes about"),
  });
});

const PREFIX = "<400> InternalError.Algo.InvalidParameter: ";
const INVALID = "400 | invalid_request_error | invalid_parameter_error | ";

test.each<[string, JsonObject, string]>([
  [
    "thinking without a stream",
    ask("hi", { enable_thinking: true }),
    "parameter.enable_thinking must be set to false for non-streaming calls",
  ],
  [
    "thinking by default without a stream",
    ask("hi", { model: "qwen3-8b" }),
    "parameter.enable_thinking must be set to false for non-streaming calls",
  ],
  [
    "one piece of a model that only streams",
    ask("hi", { model: "qwq-plus" }),
    "This model only support stream mode, please enable the stream parameter to access the model. ",
  ],
  [
    "a model that always thinks, with thinking turned off",
    ask("hi", { model: "qwq-plus", stream: true, enable_thinking: false }),
    `${PREFIX}The value of the enable_thinking parameter is restricted to True.`,
  ],
  [
    "a demand for a tool while thinking",
    ask("hi", { ...THINKING, tools: [WEATHER], tool_choice: "required" }),
    `${PREFIX}The tool_choice parameter does not support being set to required or object in thinking mode`,
  ],
  [
    "a JSON object while thinking",
    ask("as json", { ...THINKING, response_format: { type: "json_object" } }),
    `${PREFIX}Json mode response is not supported when enable_thinking is true`,
  ],
  [
    "a JSON object without the word JSON in the prompt",
    ask("hi", { response_format: { type: "json_object" } }),
    `${PREFIX}'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.`,
  ],
  [
    "a budget of nothing",
    ask("hi", { ...THINKING, thinking_budget: 0 }),
    `${PREFIX}The thinking_budget parameter must be a positive integer and not greater than 81920`,
  ],
  [
    "the protocol's name for the least effort",
    ask("hi", { ...THINKING, reasoning_effort: "minimal" }),
    `${PREFIX}'reasoning_effort.effort' must be one of: 'none', 'minimum', 'low', 'medium', 'high', 'xhigh'`,
  ],
  [
    "more tokens than the model can write",
    ask("hi", { model: "qwen-max", max_tokens: 8_193 }),
    `${PREFIX}Range of max_tokens should be [1, 8192]`,
  ],
  [
    "a temperature of 2",
    ask("hi", { temperature: 2 }),
    `${PREFIX}Range of temperature should be [0.0, 2.0)`,
  ],
  ["a top_p of 1", ask("hi", { top_p: 1 }), `${PREFIX}Range of top_p should be (0.0, 1.0)`],
  ["five choices", ask("hi", { n: 5 }), `${PREFIX}Range of n should be [1, 4]`],
  [
    "the role of a developer",
    { model: "qwen-plus", messages: [{ role: "developer", content: "hi" }] },
    `${PREFIX}developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.[0].role'`,
  ],
  [
    "arguments that are no JSON",
    {
      model: "qwen-plus",
      messages: [
        {
          role: "assistant",
          tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{" } }],
        },
        { role: "tool", tool_call_id: "c", content: "x" },
      ],
    },
    `${PREFIX}The "function.arguments" parameter of the code model must be in JSON format.`,
  ],
  [
    "a recogniser of speech without a recording",
    ask("hi", { model: "qwen3-asr-flash" }),
    `${PREFIX}The input messages do not contain an audio.`,
  ],
])("%s is refused like at the vendor", async (_, body, message) => {
  expect(await qwen.refusal(body)).toBe(INVALID + message);
});

test("errors of the protocol itself have the vendor's format", async () => {
  const response = await qwen.send({ model: "qwen-plus" });
  const body = JSON.parse(await response.text());

  expect(body).toEqual({
    error: {
      message: `${PREFIX}Missing required parameter: 'messages'.`,
      type: "invalid_request_error",
      param: null,
      code: "invalid_parameter_error",
    },
    id: `chatcmpl-${response.headers.get("x-request-id")}`,
    request_id: response.headers.get("x-request-id"),
  });
  expect(await qwen.refusal(ask("hi", { model: "gpt-4o" }))).toBe(
    "404 | invalid_request_error | model_not_found | The model `gpt-4o` does not exist or you do not have access to it.",
  );
});

test("a missing key and a wrong one get different errors", async () => {
  await using guarded = await startSandbox({ apiKeys: ["sk-right"] });
  const url = `${guarded.url}/dashscope/compatible-mode/v1/models`;
  const code = async (headers: Record<string, string>) => {
    const response = await fetch(url, { headers });
    return [response.status, at(JSON.parse(await response.text()), "error", "code") ?? null];
  };

  expect(await code({})).toEqual([401, null]);
  expect(await code({ authorization: "Bearer sk-wrong" })).toEqual([401, "invalid_api_key"]);
  expect((await code({ authorization: "Bearer sk-right" }))[0]).toBe(200);
});

test.each<[string, JsonObject]>([
  ["thinking that is switched off", ask("hi", { enable_thinking: false })],
  ["a default that does not think", ask("hi", { enable_thinking: null, thinking_budget: null })],
  ["parameters of other vendors", ask("hi", { thinking: { type: "enabled" }, service_tier: "x" })],
  [
    "a free tool choice while thinking",
    ask("hi", { ...THINKING, tools: [WEATHER], tool_choice: "auto" }),
  ],
  [
    "a strict tool with an optional property",
    ask("hi", {
      tools: [
        {
          type: "function",
          function: {
            name: "f",
            strict: true,
            parameters: { type: "object", properties: { a: {} } },
          },
        },
      ],
    }),
  ],
  [
    "a video as frames and as a link",
    {
      model: "qwen3-vl-plus",
      messages: [
        {
          role: "user",
          content: [
            { type: "video", video: ["https://a.example/1.jpg", "https://a.example/2.jpg"] },
            { type: "video_url", video_url: { url: "https://a.example/v.mp4" } },
            { type: "text", text: "What is it?" },
          ],
        },
      ],
    },
  ],
])("%s: accepted", async (_, body) => {
  expect((await qwen.send(body)).status).toBe(200);
});

test("tool calls come one at a time unless parallel ones are requested", async () => {
  const calls = async (extra: JsonObject) =>
    at(
      await qwen.answer(ask("Weather in Paris and in Rome", { tools: [WEATHER], ...extra })),
      "choices",
      0,
      "message",
      "tool_calls",
    );

  expect(await calls({})).toHaveLength(1);
  expect(await calls({ parallel_tool_calls: true })).toMatchObject([{ index: 0 }, { index: 1 }]);
});

test("a call is streamed in the vendor's form, and its result is quoted", async () => {
  const chunks = await qwen.chunks(ask("Weather in Oslo", { tools: [WEATHER] }));
  const calls = chunks.flatMap((chunk) => at(chunk, "choices", 0, "delta", "tool_calls", 0) ?? []);
  const id = textAt(calls[0], "id");
  const answer = await qwen.answer({
    model: "qwen-plus",
    messages: [
      { role: "user", content: "Weather in Oslo" },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id, type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
        ],
      },
      { role: "tool", tool_call_id: id, content: "snow" },
    ],
    tools: [WEATHER],
  });

  expect(at(chunks[0], "choices", 0, "delta")).toMatchObject({ content: null, role: "assistant" });
  expect(id).toMatch(/^call_[\da-f]{24}$/);
  expect(
    calls.slice(1).every((call) => at(call, "id") === "" && at(call, "type") === "function"),
  ).toBe(true);
  expect(calls.map((call) => textAt(call, "function", "arguments")).join("")).toBe(
    '{"city":"Oslo"}',
  );
  expect(at(chunks.at(-1), "choices", 0)).toMatchObject({ delta: {}, finish_reason: "tool_calls" });
  expect(textAt(answer, "choices", 0, "message", "content")).toBe(
    "The get_weather tool returned: snow",
  );
});

test("a search costs tokens, and is visible in the response", async () => {
  const question = "Why is the sea salty?";
  const plain = await qwen.answer(ask(question, { enable_search: true }));
  const found = await qwen.answer(
    ask(question, { enable_search: true, search_options: { forced_search: true } }),
  );

  expect(textAt(plain, "choices", 0, "message", "content")).not.toContain("https://");
  expect(textAt(found, "choices", 0, "message", "content")).toContain("(https://almanac.example/");
  expect(Number(at(found, "usage", "prompt_tokens"))).toBeGreaterThan(
    Number(at(plain, "usage", "prompt_tokens")) + 20,
  );
});

test("a recording is transcribed, with its language", async () => {
  const wav = Buffer.from("RIFF....WAVEfmt ").toString("base64");
  const body = {
    model: "qwen3-asr-flash",
    messages: [
      {
        role: "user",
        content: [{ type: "input_audio", input_audio: { data: `data:audio/wav;base64,${wav}` } }],
      },
    ],
    asr_options: { language: "de", enable_itn: false },
  };
  const answer = await qwen.answer(body);
  const chunks = await qwen.chunks(body);
  const wrong = await qwen.refusal({ ...body, asr_options: { language: "klingon" } });

  const note = { type: "audio_info", language: "de", emotion: "neutral" };
  expect(at(answer, "choices", 0, "message")).toEqual({
    role: "assistant",
    content: "I received a WAV audio of 16 bytes.",
    annotations: [note],
  });
  expect(at(chunks[0], "choices", 0, "delta", "annotations")).toEqual([note]);
  expect(wrong).toStartWith("400");
});

test("a refusal of the model is a normal response", async () => {
  const answer = await qwen.answer(ask("please refuse"));

  expect(textAt(answer, "choices", 0, "message", "content")).toContain("can't assist");
});

test("a repeated prefix is cached from 256 tokens on", async () => {
  const long = `${Bun.randomUUIDv7()} ${"A rather dull manual. ".repeat(80)}`;
  const about = (text: string) => ({
    model: "qwen-plus",
    messages: [
      { role: "system", content: long },
      { role: "user", content: text },
    ],
  });
  await qwen.answer(about("Say one"));
  const second = await qwen.answer(about("Say two"));

  expect(Number(at(second, "usage", "prompt_tokens_details", "cached_tokens"))).toBeGreaterThan(
    255,
  );
});

test("faults can be ordered, and have the vendor's format", async () => {
  const limited = await qwen.refusal(ask("[[fault:status code=429]]"));
  const unpaid = await qwen.refusal(ask("[[fault:status code=400 error=Arrearage]]"));
  const broken = await (
    await qwen.send(ask("[[fault:streamerror after=3]] Count to 9", { stream: true }))
  ).text();
  const cut = await (await qwen.send(ask("[[fault:nodone]] Say hi", { stream: true }))).text();
  const lying = await qwen.answer(ask("[[fault:lyingusage kind=huge]] hi"));

  expect(limited).toStartWith("429 | limit_requests | limit_requests");
  expect(unpaid).toContain("| Arrearage |");
  expect(JSON.parse(eventsIn(broken).at(-1) ?? "")).toMatchObject({
    error: { code: "internal_error", param: null },
    request_id: expect.any(String),
  });
  expect(cut).not.toContain("[DONE]");
  expect(at(lying, "usage", "prompt_tokens")).toBe(1e18);
});
