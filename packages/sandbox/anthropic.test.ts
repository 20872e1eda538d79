import { afterAll, beforeAll, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { startSandbox, type Sandbox } from "./server.ts";

let sandbox: Sandbox;
let client: Anthropic;

beforeAll(async () => {
  sandbox = await startSandbox();
  client = clientOf(sandbox);
});

afterAll(() => sandbox.stop());

function clientOf({ url }: Sandbox, apiKey = "sk-test", maxRetries = 0): Anthropic {
  return new Anthropic({ apiKey, baseURL: `${url}/anthropic`, maxRetries });
}

const MODEL = "claude-sonnet-4-6";

const weather: Anthropic.Tool = {
  name: "get_weather",
  description: "Current weather of a city",
  input_schema: {
    type: "object",
    properties: {
      city: { type: "string" },
      unit: { type: "string", enum: ["celsius", "fahrenheit"] },
    },
    required: ["city"],
  },
};

function user(content: string): Anthropic.MessageParam[] {
  return [{ role: "user", content }];
}

/** The client's promises are not the runtime's own, which `rejects` insists on. */
async function failure(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (cause) {
    return cause;
  }
}

test("the official client gets a message that follows the prompt, with usage", async () => {
  const message = await client.messages.create({
    model: MODEL,
    max_tokens: 100,
    messages: user("Say this is a test"),
  });

  expect<unknown>(message.content).toEqual([{ type: "text", text: "this is a test" }]);
  expect(message).toMatchObject({
    type: "message",
    role: "assistant",
    model: MODEL,
    stop_reason: "end_turn",
    stop_sequence: null,
  });
  expect(message.usage.output_tokens).toBe(4);
  expect(message.usage.input_tokens).toBeGreaterThan(4);
});

test("the official client streams the same text as in a complete response", async () => {
  const request = { model: MODEL, max_tokens: 100, messages: user("Count to 12") };
  const stream = client.messages.stream(request);
  const deltas: string[] = [];
  stream.on("text", (delta) => deltas.push(delta));
  const streamed = await stream.finalMessage();
  const whole = await client.messages.create(request);

  expect(deltas.length).toBeGreaterThan(12);
  expect(deltas.join("")).toBe("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12");
  expect<unknown>(streamed.content).toEqual(whole.content);
  expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
});

test("a prompt that matches a tool causes a call, and its result is quoted in the next response", async () => {
  const messages = user("What's the weather in San Francisco, CA in celsius?");
  const first = await client.messages.create({
    model: MODEL,
    max_tokens: 500,
    messages,
    tools: [weather],
  });
  const [call] = first.content;
  if (call?.type !== "tool_use") throw new Error("No call was made.");
  const second = await client.messages.create({
    model: MODEL,
    max_tokens: 500,
    messages: [
      ...messages,
      { role: "assistant", content: first.content },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: call.id,
            content: [{ type: "text", text: '{"degrees":14.5}' }],
          },
        ],
      },
    ],
    tools: [weather],
  });

  expect(first.stop_reason).toBe("tool_use");
  expect(call.id).toStartWith("toolu_");
  expect<unknown>(call.input).toEqual({ city: "San Francisco, CA", unit: "celsius" });
  expect(second.content).toMatchObject([
    { type: "text", text: 'The get_weather tool returned: {"degrees":14.5}' },
  ]);
});

test("the official client assembles streamed parallel calls", async () => {
  const message = await client.messages
    .stream({
      model: MODEL,
      max_tokens: 500,
      messages: user("Compare the weather in Paris, Rome and Oslo"),
      tools: [weather],
    })
    .finalMessage();

  const calls = message.content.filter((block) => block.type === "tool_use");
  expect(calls.map((call): unknown => call.input)).toEqual([
    { city: "Paris" },
    { city: "Rome" },
    { city: "Oslo" },
  ]);
  expect(new Set(calls.map((call) => call.id)).size).toBe(3);
  expect(message.stop_reason).toBe("tool_use");
});

test("tool_choice decides whether, which and how many tools are called", async () => {
  const time = { ...weather, name: "get_time", description: "Local time of a city" };
  const called = async (tool_choice: Anthropic.ToolChoice, text: string) => {
    const { content } = await client.messages.create({
      model: MODEL,
      max_tokens: 500,
      messages: user(text),
      tools: [weather, time],
      tool_choice,
    });
    return content.flatMap((block) => (block.type === "tool_use" ? [block.name] : []));
  };

  expect(await called({ type: "none" }, "Weather in Paris?")).toEqual([]);
  expect(await called({ type: "auto" }, "Tell me a joke")).toEqual([]);
  expect(await called({ type: "any" }, "Tell me a joke")).toEqual(["get_weather"]);
  expect(await called({ type: "tool", name: "get_time" }, "Weather in Paris?")).toEqual([
    "get_time",
  ]);
  expect(await called({ type: "auto" }, "Weather in Paris and Rome")).toHaveLength(2);
  const one = { type: "auto", disable_parallel_tool_use: true } as const;
  expect(await called(one, "Weather in Paris and Rome")).toEqual(["get_weather"]);
});

test("a conversation with reasoning continues through the official client", async () => {
  const thinking: Anthropic.ThinkingConfigParam = { type: "enabled", budget_tokens: 2_000 };
  const request = { model: MODEL, max_tokens: 4_000, thinking, tools: [weather] };
  const messages = user("Weather in Oslo?");
  const first = await client.messages.stream({ ...request, messages }).finalMessage();
  const call = first.content.find((block) => block.type === "tool_use");
  const second = await client.messages.create({
    ...request,
    messages: [
      ...messages,
      { role: "assistant", content: first.content },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "rain" }],
      },
    ],
  });

  expect(first.content.map((block) => block.type)).toEqual(["thinking", "tool_use"]);
  expect(second.content).toMatchObject([
    { type: "text", text: "The get_weather tool returned: rain" },
  ]);
});

test("a response conforms to the requested schema, and uses the prompt's values", async () => {
  const message = await client.messages.create({
    model: MODEL,
    max_tokens: 500,
    messages: user("My name is Ada Lovelace, age: 36, mood is happy. Fill in the form."),
    output_config: {
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: {
            name: { type: "string" },
            age: { type: "integer" },
            mood: { type: "string", enum: ["sad", "happy"] },
          },
          required: ["name", "age", "mood"],
          additionalProperties: false,
        },
      },
    },
  });

  const [block] = message.content;
  expect(JSON.parse(block?.type === "text" ? block.text : "")).toEqual({
    name: "Ada Lovelace",
    age: 36,
    mood: "happy",
  });
});

test("an image and files are described by kind and size", async () => {
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAC0lEQVR4nGNgwAQAABAAAVJKdW0AAAAASUVORK5CYII=";
  const pdf = Buffer.from("%PDF-1.7 x").toString("base64");
  const message = await client.messages.create({
    model: MODEL,
    max_tokens: 500,
    messages: [
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
          {
            type: "document",
            title: "notes.pdf",
            source: { type: "base64", media_type: "application/pdf", data: pdf },
          },
          {
            type: "document",
            source: { type: "text", media_type: "text/plain", data: "The sky is blue." },
          },
          { type: "text", text: "What are these?" },
        ],
      },
    ],
  });

  const size = Buffer.from(png, "base64").length;
  expect(message.content).toMatchObject([
    {
      type: "text",
      text: `I received a 3 by 2 pixel PNG image of ${size} bytes, a PDF file named notes.pdf of 10 bytes and a file of 16 bytes.`,
    },
  ]);
});

test("tokens are counted before a request, and the response has the same input usage", async () => {
  const prompt = {
    model: MODEL,
    system: "You are a scientist",
    messages: user("Hello, Claude"),
    tools: [weather],
  };
  const { input_tokens } = await client.messages.countTokens(prompt);
  const { usage } = await client.messages.create({ ...prompt, max_tokens: 10 });

  expect(input_tokens).toBe(usage.input_tokens);
  const bare = await client.messages.countTokens({ model: MODEL, messages: user("Hello, Claude") });
  expect(input_tokens).toBeGreaterThan(bare.input_tokens + 346);
});

test("models are listed page by page, found by any of their names, and unknown ones refused", async () => {
  const list: string[] = [];
  for await (const model of client.models.list({ limit: 4 })) list.push(model.id);
  const found = await client.models.retrieve("claude-haiku-4-5");

  expect(list.length).toBeGreaterThan(8);
  expect(new Set(list).size).toBe(list.length);
  expect(found).toMatchObject({
    type: "model",
    id: "claude-haiku-4-5-20251001",
    display_name: "Claude Haiku 4.5",
    created_at: "2025-10-15T00:00:00Z",
  });
  expect(await failure(client.models.retrieve("claude-none"))).toMatchObject({
    status: 404,
    error: { error: { type: "not_found_error", message: "model: claude-none" } },
  });
});

test("the official client maps errors to their classes", async () => {
  await using guarded = await startSandbox({ apiKeys: ["sk-right"] });
  const ask = (text: string, who = client, model = MODEL) =>
    who.messages.create({ model, max_tokens: 10, messages: user(text) });

  expect(await failure(ask("hi", clientOf(guarded, "sk-wrong")))).toBeInstanceOf(
    Anthropic.AuthenticationError,
  );
  expect(await failure(ask("hi", client, "claude-none"))).toBeInstanceOf(Anthropic.NotFoundError);
  expect(await failure(ask("[[fault:status code=429]]"))).toBeInstanceOf(Anthropic.RateLimitError);
  expect(await failure(ask("[[fault:status code=529]]"))).toBeInstanceOf(
    Anthropic.InternalServerError,
  );
});

test("an error within a stream reaches the official client as an error", async () => {
  const stream = client.messages.stream({
    model: MODEL,
    max_tokens: 500,
    messages: user("Count to 9 [[fault:streamerror after=6 error=overloaded_error]]"),
  });

  expect(await failure(stream.finalMessage())).toMatchObject({
    error: { type: "error", error: { type: "overloaded_error" } },
  });
});

test("the official client retries a failure that is ordered for one request", async () => {
  sandbox.faults.add({ name: "status", args: { code: "529", retry_after_ms: "1" } });
  const message = await clientOf(sandbox, "sk-test", 1).messages.create({
    model: MODEL,
    max_tokens: 10,
    messages: user("Say done"),
  });

  expect(message.content).toMatchObject([{ text: "done" }]);
  expect(sandbox.requests.slice(-2).map((request) => request.status)).toEqual([529, 200]);
});
