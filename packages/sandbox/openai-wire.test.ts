import { afterAll, beforeAll, expect, test } from "bun:test";
import { countTokens } from "./engine/tokens.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { countPromptTokens } from "./openai/prompt-tokens.ts";
import { readMessages } from "./openai/messages.ts";
import {
  WEATHER,
  answerTo,
  ask,
  at,
  chunksOf,
  contentOf,
  eventsIn,
  post,
  textAt,
} from "./testing/chat.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

test("a stream begins with the role, ends with the finish reason, and has usage on request only", async () => {
  const plain = await chunksOf(sandbox, ask("Say hi there"));
  const counted = await chunksOf(
    sandbox,
    ask("Say hi there", { stream_options: { include_usage: true } }),
  );

  expect(at(plain[0], "choices", 0, "delta")).toEqual({
    role: "assistant",
    content: "",
    refusal: null,
  });
  expect(at(plain.at(-1), "choices", 0)).toMatchObject({ delta: {}, finish_reason: "stop" });
  expect(plain.some((chunk) => "usage" in chunk)).toBe(false);
  expect(counted.slice(0, -1).every((chunk) => chunk["usage"] === null)).toBe(true);
  expect(counted.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 2 } });
});

test("a stream has plain data events and ends with [DONE]", async () => {
  const response = await post(sandbox, ask("Say hi", { stream: true }));
  const text = await response.text();

  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(text.split("\n").filter((line) => line !== "" && !line.startsWith("data: "))).toEqual([]);
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
});

test("all chunks of a stream have one id, one time and one model", async () => {
  const chunks = await chunksOf(sandbox, ask("Count to 3"));

  expect(
    new Set(
      chunks.map((chunk) => ["id", "created", "model"].map((key) => textAt(chunk, key)).join()),
    ).size,
  ).toBe(1);
});

test("obfuscation pads the chunks unless the request disables it", async () => {
  const padded = await chunksOf(sandbox, ask("Count to 9"));
  const bare = await chunksOf(
    sandbox,
    ask("Count to 9", { stream_options: { include_obfuscation: false } }),
  );

  expect(padded.every((chunk) => typeof chunk["obfuscation"] === "string")).toBe(true);
  expect(bare.some((chunk) => "obfuscation" in chunk)).toBe(false);
});

test("the parts of parallel calls have the index of their call, and its name once", async () => {
  const chunks = await chunksOf(sandbox, ask("Weather in Paris and in Rome", { tools: [WEATHER] }));
  const parts = chunks.flatMap((chunk) => at(chunk, "choices", 0, "delta", "tool_calls", 0) ?? []);

  const opened = parts.filter((part) => at(part, "id") !== undefined);
  const written = (index: number) =>
    parts
      .filter((part) => at(part, "index") === index)
      .map((part) => textAt(part, "function", "arguments"))
      .join("");
  expect(
    opened.map((part) => [at(part, "index"), at(part, "type"), at(part, "function", "name")]),
  ).toEqual([
    [0, "function", "get_weather"],
    [1, "function", "get_weather"],
  ]);
  expect([written(0), written(1)]).toEqual(['{"city":"Paris"}', '{"city":"Rome"}']);
});

test("several choices are interleaved in a stream, and all are charged", async () => {
  const chunks = await chunksOf(
    sandbox,
    ask("Count to 5", { n: 3, stream_options: { include_usage: true } }),
  );
  const order = chunks.slice(0, 6).map((chunk) => at(chunk, "choices", 0, "index"));

  expect(order).toEqual([0, 1, 2, 0, 1, 2]);
  expect([0, 1, 2].map((choice) => contentOf(chunks, choice))).toEqual(
    Array(3).fill("1, 2, 3, 4, 5"),
  );
  expect(at(chunks.at(-1), "usage", "completion_tokens")).toBe(3 * countTokens("1, 2, 3, 4, 5"));
});

test("a response ends at max_tokens with that reason, including reasoning", async () => {
  const cut = await answerTo(sandbox, ask("Count to 100", { max_tokens: 7 }));
  const exact = await answerTo(sandbox, ask("Say one two three", { max_tokens: 3 }));
  const thoughtful = await answerTo(
    sandbox,
    ask("Say hi", { model: "o4-mini", max_completion_tokens: 10 }),
  );

  expect(at(cut, "choices", 0)).toMatchObject({
    finish_reason: "length",
    message: { content: "1, 2, 3, 4" },
  });
  expect(at(cut, "usage", "completion_tokens")).toBe(7);
  expect(at(exact, "choices", 0, "finish_reason")).toBe("stop");
  expect(at(thoughtful, "choices", 0)).toMatchObject({
    finish_reason: "length",
    message: { content: "" },
  });
  expect(at(thoughtful, "usage", "completion_tokens_details", "reasoning_tokens")).toBe(10);
});

test("a response ends before a stop sequence", async () => {
  const answer = await answerTo(sandbox, ask("Count to 9", { stop: [", 7", ", 4"] }));

  expect(at(answer, "choices", 0)).toMatchObject({
    finish_reason: "stop",
    message: { content: "1, 2, 3" },
  });
});

test("log probabilities are returned for every token, with bytes and alternatives", async () => {
  const answer = await answerTo(
    sandbox,
    ask("Say schöne Grüße", { logprobs: true, top_logprobs: 3 }),
  );
  const chunks = await chunksOf(sandbox, ask("Say schöne Grüße", { logprobs: true }));

  const entries = at(answer, "choices", 0, "logprobs", "content");
  const list = Array.isArray(entries) ? entries : [];
  expect(list.map((entry) => textAt(entry, "token")).join("")).toBe("schöne Grüße");
  expect(Buffer.from(list.flatMap((entry) => JSON.parse(textAt(entry, "bytes")))).toString()).toBe(
    "schöne Grüße",
  );
  expect(at(list[0], "top_logprobs")).toHaveLength(3);
  expect(
    chunks.map((chunk) => textAt(chunk, "choices", 0, "logprobs", "content", 0, "token")).join(""),
  ).toBe("schöne Grüße");
});

test("visible reasoning is streamed before the text", async () => {
  const chunks = await chunksOf(
    sandbox,
    ask("Say hi", { model: "qwen3-235b-a22b", reasoning_effort: "minimal" }),
  );
  const kinds = chunks.map((chunk) =>
    typeof at(chunk, "choices", 0, "delta", "content") === "string"
      ? "content"
      : typeof at(chunk, "choices", 0, "delta", "reasoning_content") === "string"
        ? "reasoning"
        : "none",
  );

  expect(kinds.lastIndexOf("reasoning")).toBeLessThan(kinds.indexOf("content"));
  expect(kinds.filter((kind) => kind === "reasoning").length).toBeGreaterThan(5);
});

test("input tokens equal the exported count, including tools", async () => {
  const tools = [WEATHER];
  const bare = await answerTo(sandbox, ask("How many tokens is this?"));
  const equipped = await answerTo(sandbox, ask("How many tokens is this?", { tools }));

  const messages = readMessages([{ role: "user", content: "How many tokens is this?" }]);
  const foretold = countPromptTokens(messages, "[]").total;
  expect(foretold).toBe(3 + countTokens("user\nHow many tokens is this?") + 3);
  expect(at(bare, "usage", "prompt_tokens")).toBe(foretold);
  expect(at(equipped, "usage", "prompt_tokens")).toBe(
    foretold + countTokens(JSON.stringify(tools)),
  );
});

test("a repeated long prefix is reported as cached", async () => {
  const long = "All work and no play makes a very dull manual. ".repeat(200);
  const system = { role: "system", content: `${Bun.randomUUIDv7()} ${long}` };
  const about = (text: string) => ({
    model: "gpt-4o",
    messages: [system, { role: "user", content: text }],
  });

  const first = await answerTo(sandbox, about("Say one"));
  const second = await answerTo(sandbox, about("Say two"));

  expect(at(first, "usage", "prompt_tokens_details", "cached_tokens")).toBe(0);
  const cached = Number(at(second, "usage", "prompt_tokens_details", "cached_tokens"));
  expect(cached).toBeGreaterThanOrEqual(1_024);
  expect(cached % 128).toBe(0);
});

test("predicted tokens are counted as far as the response matches", async () => {
  const answer = await answerTo(
    sandbox,
    ask("Say one two three", { prediction: { type: "content", content: "one two four" } }),
  );

  expect(at(answer, "usage")).toMatchObject({
    completion_tokens: 4,
    completion_tokens_details: { accepted_prediction_tokens: 2, rejected_prediction_tokens: 1 },
  });
});

test("the service tier is reported", async () => {
  const tiers = ["auto", "flex", "fast"].map(
    async (service_tier) => (await answerTo(sandbox, ask("hi", { service_tier })))["service_tier"],
  );

  expect(await Promise.all(tiers)).toEqual(["default", "flex", "priority"]);
});

test("the same request gets the same response under another id", async () => {
  const [first, second] = [
    await answerTo(sandbox, ask("Tell me about tides")),
    await answerTo(sandbox, ask("Tell me about tides")),
  ];

  expect(at(first, "choices")).toEqual(at(second, "choices") ?? null);
  expect(first["id"]).not.toBe(second["id"] ?? null);
});

test("the usage in a stream's last event counts the delivered output", async () => {
  const text = await (
    await post(
      sandbox,
      ask("Write about 60 words on lighthouses", {
        stream: true,
        stream_options: { include_usage: true },
      }),
    )
  ).text();
  const record = sandbox.requests.at(-1);

  const usage = eventsIn(text).at(-2) ?? "";
  expect(record?.state).toBe("finished");
  expect(record?.delivered).toEqual({
    bytes: Buffer.byteLength(text),
    events: eventsIn(text).length,
    tokens: JSON.parse(usage).usage.completion_tokens,
  });
});
