import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { countTokens } from "./engine/tokens.ts";
import type { JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { WEATHER, at, eventsIn, textAt } from "./testing/chat.ts";
import { chatCaller, fieldOf } from "./testing/compatible.ts";

let sandbox: Sandbox;
const ark = chatCaller(() => sandbox, "/ark/api/v3");

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const SEED = "doubao-seed-1-8-251228";
const OLD = "doubao-1-5-pro-32k-250115";

function ask(text: string, extra: JsonObject = {}): JsonObject {
  return { model: SEED, messages: [{ role: "user", content: text }], ...extra };
}

const enabled = { thinking: { type: "enabled" } } as const;
const disabled = { thinking: { type: "disabled" } } as const;

test("the vendor's usual client gets a response, a stream and the list of models", async () => {
  const client = new OpenAI({
    apiKey: "sk-test",
    baseURL: `${sandbox.url}/ark/api/v3`,
    maxRetries: 0,
  });
  const messages = [{ role: "user" as const, content: "Count to 5" }];
  const whole = await client.chat.completions.create({ model: OLD, messages });
  const streamed = await client.chat.completions
    .stream({ model: OLD, messages })
    .finalChatCompletion();
  const models = await Array.fromAsync(client.models.list());

  expect(whole.choices[0]?.message.content).toBe("1, 2, 3, 4, 5");
  expect(streamed.choices[0]?.message.content).toBe("1, 2, 3, 4, 5");
  const series = ["1-5-pro-251215", "2-0-260128", "2-0-fast-260128", "2-5-260628"];
  const films = series.map((each) => `doubao-seedance-${each}`);
  expect(models.map((model) => model.id)).toEqual(expect.arrayContaining([SEED, ...films]));
});

test("a model thinks by default, and shows its reasoning", async () => {
  const thinks = async (extra: JsonObject) => {
    const answer = await ark.answer(ask("Say hi", extra));
    return at(answer, "choices", 0, "message", "reasoning_content") !== undefined;
  };
  const long = { messages: [{ role: "user", content: `Say hi ${"and listen ".repeat(30)}` }] };

  expect(await thinks({})).toBe(true);
  expect(await thinks(enabled)).toBe(true);
  expect(await thinks(disabled)).toBe(false);
  expect(await thinks({ thinking: { type: "auto" } })).toBe(false);
  expect(await thinks({ thinking: { type: "auto" }, ...long })).toBe(true);
  expect(await thinks({ reasoning_effort: "minimal" })).toBe(false);
  expect(await thinks({ ...enabled, reasoning_effort: "minimal" })).toBe(false);
  expect(await thinks({ model: OLD })).toBe(false);
  expect(await thinks({ model: "doubao-seed-character-260628" })).toBe(false);
});

test("a higher effort causes longer reasoning", async () => {
  const length = async (reasoning_effort: string) => {
    const answer = await ark.answer(ask("Say hi", { reasoning_effort }));
    return Number(at(answer, "usage", "completion_tokens_details", "reasoning_tokens"));
  };
  const lengths = [await length("low"), await length("medium"), await length("high")];

  expect(lengths).toEqual(lengths.toSorted((left, right) => left - right));
  expect(new Set(lengths).size).toBe(3);
});

test("max_tokens limits the text only, max_completion_tokens the reasoning as well", async () => {
  const alone = await ark.answer(ask("Count to 50", { max_tokens: 5 }));
  const all = await ark.answer(ask("Count to 50", { max_completion_tokens: 5 }));

  expect(at(alone, "choices", 0)).toMatchObject({
    finish_reason: "length",
    message: { content: "1, 2, 3" },
  });
  expect(Number(at(alone, "usage", "completion_tokens"))).toBeGreaterThan(50);
  expect(at(all, "choices", 0)).toMatchObject({
    finish_reason: "length",
    message: { content: "" },
  });
  expect(at(all, "usage", "completion_tokens")).toBe(5);
});

test("stop sequences are applied only by a model that does not think", async () => {
  const content = async (extra: JsonObject) =>
    textAt(
      await ark.answer(ask("Count to 5", { stop: [", 3"], ...extra })),
      "choices",
      0,
      "message",
      "content",
    );

  expect(await content(disabled)).toBe("1, 2");
  expect(await content(enabled)).toBe("1, 2, 3, 4, 5");
});

test("a stream has the role in every chunk, and the finish reason in the last", async () => {
  const chunks = await ark.chunks(ask("Say hi", { stream_options: { include_usage: true } }));
  const choices = chunks.flatMap((chunk) => at(chunk, "choices", 0) ?? []);

  expect(choices.every((choice) => at(choice, "delta", "role") === "assistant")).toBe(true);
  expect(choices.filter((choice) => at(choice, "finish_reason") !== undefined)).toEqual([
    { delta: { content: "", role: "assistant" }, finish_reason: "stop", index: 0 },
  ]);
  expect(fieldOf(chunks, "reasoning_content")).toStartWith("The user writes about");
  expect(fieldOf(chunks, "content")).toBe("hi");
  expect(chunks.slice(0, -1).every((chunk) => chunk["usage"] === null)).toBe(true);
  expect(at(chunks.at(-1), "usage", "completion_tokens_details", "reasoning_tokens")).toBe(
    countTokens(fieldOf(chunks, "reasoning_content")),
  );
  expect(textAt(chunks[0], "id")).toMatch(/^02\d{13}[\da-f]{38}$/);
});

test("a model is found by its full name or by an endpoint, and not by its short name", async () => {
  const endpoint = await ark.answer(ask("hi", { model: "ep-20250715123456-abcde" }));

  expect(endpoint["model"]).toBe("doubao-seed-1-6-250615");
  expect(await ark.refusal(ask("hi", { model: "doubao-seed-1.8" }))).toStartWith(
    "404 | NotFound | InvalidEndpointOrModel.NotFound | The model or endpoint doubao-seed-1.8 does not exist or you do not have access to it. Request id: 02",
  );
});

const INVALID = "400 | BadRequest | InvalidParameter | ";
const parameter = (name: string, reason: string) =>
  `${INVALID}The parameter \`${name}\` specified in the request are not valid: ${reason}`;

test.each<[string, JsonObject, string]>([
  [
    "thinking for a model that has no such parameter",
    ask("hi", { model: OLD, ...disabled }),
    parameter("thinking", "not supported by the current model."),
  ],
  [
    "no thinking for a model that always thinks",
    ask("hi", { model: "doubao-seed-1-6-thinking-250715", ...disabled }),
    `${INVALID}Unsupported thinking type for the current model: disabled.`,
  ],
  [
    "an unknown kind of thinking",
    ask("hi", { thinking: { type: "adaptive", budget_tokens: 2_000 } }),
    parameter(
      "thinking.type",
      'expected one of enabled, disabled, auto, but got "adaptive" instead.',
    ),
  ],
  [
    "an effort with thinking turned off",
    ask("hi", { ...disabled, reasoning_effort: "high" }),
    `${INVALID}Invalid combination of reasoning_effort and thinking type: high + disabled.`,
  ],
  [
    "an effort for a model that does not think of itself",
    ask("hi", { model: "doubao-seed-character-260628", reasoning_effort: "low" }),
    `${INVALID}Invalid combination of reasoning_effort and thinking type: low + disabled.`,
  ],
  [
    "an effort for a model that has no such parameter",
    ask("hi", { model: "doubao-seed-1-6-250615", reasoning_effort: "low" }),
    parameter("reasoning_effort", "not supported by the current model."),
  ],
  [
    "an unknown effort",
    ask("hi", { reasoning_effort: "max" }),
    parameter(
      "reasoning_effort",
      'expected one of minimal, low, medium, high, but got "max" instead.',
    ),
  ],
  [
    "both limits at once",
    ask("hi", { max_tokens: 5, max_completion_tokens: 5 }),
    parameter("max_tokens", "max_tokens and max_completion_tokens cannot be set at the same time."),
  ],
  [
    "more tokens than the model can write",
    ask("hi", { model: OLD, max_tokens: 32_000 }),
    parameter(
      "max_tokens",
      "integer above maximum value, expected a value <= 12288, but got 32000 instead.",
    ),
  ],
  [
    "the role of a developer",
    { model: SEED, messages: [{ role: "developer", content: "hi" }] },
    parameter(
      "messages.role",
      "expected one of system, user, assistant, tool, but got developer instead.",
    ),
  ],
  [
    "no messages",
    { model: SEED },
    `${INVALID.replace("InvalidParameter", "MissingParameter")}The request failed because it is missing \`messages\` parameter.`,
  ],
  [
    "an invalid image",
    {
      model: SEED,
      messages: [
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: "data:image/png;base64,@" } }],
        },
      ],
    },
    parameter("messages.content.image_url.url", ""),
  ],
  [
    "a custom tool",
    ask("hi", { tools: [{ type: "custom", custom: { name: "x" } }] }),
    parameter("tools.type", ""),
  ],
])("%s is refused like at the vendor", async (_, body, message) => {
  expect(await ark.refusal(body)).toStartWith(message);
});

test.each<[string, JsonObject]>([
  ["no thinking with the least effort", ask("hi", { ...disabled, reasoning_effort: "minimal" })],
  [
    "null for every optional parameter",
    ask("hi", { thinking: null, reasoning_effort: null, n: null }),
  ],
  ["parameters of other vendors", ask("hi", { enable_thinking: true, service_tier: "flex" })],
  [
    "a JSON object without the word JSON in the prompt",
    ask("hi", { response_format: { type: "json_object" } }),
  ],
  [
    "a video",
    {
      model: SEED,
      messages: [
        {
          role: "user",
          content: [{ type: "video_url", video_url: { url: "https://a.example/v.mp4", fps: 1 } }],
        },
      ],
    },
  ],
])("%s: accepted", async (_, body) => {
  expect((await ark.send(body)).status).toBe(200);
});

test("a result is matched to its call by id, and quoted", async () => {
  const chunks = await ark.chunks(ask("Weather in Oslo", { tools: [WEATHER] }));
  const calls = chunks.flatMap((chunk) => at(chunk, "choices", 0, "delta", "tool_calls", 0) ?? []);
  const id = textAt(calls[0], "id");
  const answer = await ark.answer({
    model: SEED,
    messages: [
      { role: "user", content: "Weather in Oslo" },
      {
        role: "assistant",
        content: "",
        reasoning_content: "It must be the tool.",
        tool_calls: [
          { id, type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
        ],
      },
      { role: "tool", tool_call_id: id, content: "snow" },
    ],
    tools: [WEATHER],
  });

  expect(id).toMatch(/^call_[a-z\d]{24}$/);
  expect(calls.map((call) => textAt(call, "function", "arguments")).join("")).toBe(
    '{"city":"Oslo"}',
  );
  expect(at(chunks.at(-1), "choices", 0, "finish_reason")).toBe("tool_calls");
  expect(textAt(answer, "choices", 0, "message", "content")).toBe(
    "The get_weather tool returned: snow",
  );
});

test("a missing key and a wrong one get the same error, with a request id", async () => {
  await using guarded = await startSandbox({ apiKeys: ["sk-right"] });
  const error = async (headers: Record<string, string>) => {
    const response = await fetch(`${guarded.url}/ark/api/v3/models`, { headers });
    return { status: response.status, error: at(JSON.parse(await response.text()), "error") };
  };
  const expected = {
    status: 401,
    error: {
      code: "AuthenticationError",
      type: "Unauthorized",
      param: "",
      message: expect.stringMatching(/Request id: 02\d+/),
    },
  };

  expect(await error({})).toEqual(expected);
  expect(await error({ authorization: "Bearer sk-wrong" })).toEqual(expected);
});

test("faults can be ordered, and have the vendor's format", async () => {
  const limited = await ark.refusal(ask("[[fault:status code=429]]"));
  const overloaded = await ark.refusal(ask("[[fault:status code=429 error=ServerOverloaded]]"));
  const broken = await (
    await ark.send(ask("[[fault:streamerror after=3]] Count to 9", { stream: true }))
  ).text();
  const cut = await ark.chunks(ask("[[fault:truncate events=2]] Say hi"));

  expect(limited).toStartWith("429 | TooManyRequests | RateLimitExceeded.EndpointRPMExceeded");
  expect(overloaded).toStartWith("429 | TooManyRequests | ServerOverloaded");
  expect(JSON.parse(eventsIn(broken).at(-1) ?? "")).toMatchObject({
    error: { code: "InternalServiceError", type: "InternalServerError" },
  });
  expect(cut).toHaveLength(2);
});
