import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { startSandbox, type Sandbox } from "./server.ts";
import { failure } from "./testing/failure.ts";

let sandbox: Sandbox;
let client: OpenAI;

beforeAll(async () => {
  sandbox = await startSandbox();
  client = new OpenAI({ apiKey: "sk-test", baseURL: `${sandbox.url}/openai/v1`, maxRetries: 0 });
});

afterAll(() => sandbox.stop());

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Current weather of a city",
    parameters: {
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { type: "string", enum: ["celsius", "fahrenheit"] },
      },
      required: ["city"],
      additionalProperties: false,
    },
  },
} as const;

function user(content: string) {
  return [{ role: "user" as const, content }];
}

test("the official client gets a completion that follows the prompt, with usage that adds up", async () => {
  const completion = await client.chat.completions.create({
    model: "gpt-4o-mini",
    messages: user("Say this is a test"),
  });

  const [choice] = completion.choices;
  expect(choice?.message).toMatchObject({
    role: "assistant",
    content: "this is a test",
    refusal: null,
  });
  expect(choice?.finish_reason).toBe("stop");
  expect(completion.model).toBe("gpt-4o-mini-2024-07-18");
  expect(completion.usage?.completion_tokens).toBe(4);
  expect(completion.usage?.total_tokens).toBe((completion.usage?.prompt_tokens ?? 0) + 4);
});

test("the official client streams the same text as in a complete response", async () => {
  const stream = client.chat.completions.stream({
    model: "gpt-4o-mini",
    messages: user("Count to 12"),
    stream_options: { include_usage: true },
  });
  const deltas: string[] = [];
  stream.on("content", (delta) => deltas.push(delta));
  const completion = await stream.finalChatCompletion();

  expect(deltas.length).toBeGreaterThan(12);
  expect(completion.choices[0]?.message.content).toBe("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12");
  expect(completion.usage?.completion_tokens).toBe(deltas.length);
});

test("a prompt that matches a tool causes a call, and its result is quoted in the next response", async () => {
  const first = await client.chat.completions.create({
    model: "gpt-4o",
    messages: user("What's the weather in San Francisco, CA in celsius?"),
    tools: [weather],
  });
  const call = first.choices[0]?.message.tool_calls?.[0];
  if (first.choices[0] === undefined || call?.type !== "function")
    throw new Error("No call was made.");
  const second = await client.chat.completions.create({
    model: "gpt-4o",
    messages: [
      ...user("What's the weather in San Francisco, CA in celsius?"),
      first.choices[0].message,
      { role: "tool", tool_call_id: call.id, content: '{"degrees":14.5}' },
    ],
    tools: [weather],
  });

  expect(first.choices[0]).toMatchObject({
    finish_reason: "tool_calls",
    message: { content: null },
  });
  expect(JSON.parse(call.function.arguments)).toEqual({
    city: "San Francisco, CA",
    unit: "celsius",
  });
  expect(second.choices[0]?.message.content).toBe(
    'The get_weather tool returned: {"degrees":14.5}',
  );
});

test("the official client assembles streamed parallel calls", async () => {
  const stream = client.chat.completions.stream({
    model: "gpt-4o",
    messages: user("Compare the weather in Paris, Rome and Oslo"),
    tools: [weather],
  });
  const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0] ?? {};

  const cities = message?.tool_calls?.map((call) =>
    call.type === "function" ? JSON.parse(call.function.arguments) : null,
  );
  expect(cities).toEqual([{ city: "Paris" }, { city: "Rome" }, { city: "Oslo" }]);
  expect(new Set(message?.tool_calls?.map((call) => call.id)).size).toBe(3);
  expect(finish_reason).toBe("tool_calls");
});

test("only one call is made when parallel calls are not allowed", async () => {
  const completion = await client.chat.completions.create({
    model: "gpt-4o",
    messages: user("Compare the weather in Paris and Rome"),
    tools: [weather],
    parallel_tool_calls: false,
  });

  expect(completion.choices[0]?.message.tool_calls).toHaveLength(1);
});

test("tool_choice controls whether and which tool is called", async () => {
  const time = {
    ...weather,
    function: { ...weather.function, name: "get_time", description: "Local time of a city" },
  };
  const call = async (tool_choice: OpenAI.ChatCompletionToolChoiceOption, text: string) => {
    const completion = await client.chat.completions.create({
      model: "gpt-4o",
      messages: user(text),
      tools: [weather, time],
      tool_choice,
    });
    const made = completion.choices[0]?.message.tool_calls?.[0];
    return [
      made?.type === "function" ? made.function.name : null,
      completion.choices[0]?.finish_reason,
    ];
  };

  expect(await call("none", "Weather in Paris?")).toEqual([null, "stop"]);
  expect(await call("auto", "Tell me a joke")).toEqual([null, "stop"]);
  expect(await call("required", "Tell me a joke")).toEqual(["get_weather", "tool_calls"]);
  expect(
    await call({ type: "function", function: { name: "get_time" } }, "Weather in Paris?"),
  ).toEqual(["get_time", "stop"]);
  const allowed: OpenAI.ChatCompletionToolChoiceOption = {
    type: "allowed_tools",
    allowed_tools: {
      mode: "required",
      tools: [{ type: "function", function: { name: "get_time" } }],
    },
  };
  expect(await call(allowed, "Weather in Paris?")).toEqual(["get_time", "tool_calls"]);
});

test("a custom tool is called with text that matches its grammar", async () => {
  const completion = await client.chat.completions.create({
    model: "gpt-5",
    messages: user("Evaluate 12 + 30 with the calculator"),
    tools: [
      {
        type: "custom",
        custom: {
          name: "calculator",
          format: { type: "grammar", grammar: { syntax: "regex", definition: "\\d+ [-+*/] \\d+" } },
        },
      },
    ],
  });

  const call = completion.choices[0]?.message.tool_calls?.[0];
  expect(call?.type === "custom" ? call.custom : null).toEqual({
    name: "calculator",
    input: "12 + 30",
  });
});

test("functions in the older form are called in that form, complete and streamed", async () => {
  const request = {
    model: "gpt-4o",
    messages: user("Weather in Oslo?"),
    functions: [weather.function],
  };
  const whole = await client.chat.completions.create(request);
  const streamed = await client.chat.completions.stream(request).finalChatCompletion();

  const expected = {
    finish_reason: "function_call",
    message: { function_call: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
  };
  expect(whole.choices[0]).toMatchObject(expected);
  expect(streamed.choices[0]).toMatchObject(expected);
});

test("the official client parses a response that conforms to the schema and uses the prompt's values", async () => {
  const completion = await client.chat.completions.parse({
    model: "gpt-4o",
    messages: user("My name is Ada Lovelace, age: 36, mood is happy. Fill in the form."),
    response_format: {
      type: "json_schema",
      json_schema: {
        name: "person",
        strict: true,
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

  expect<unknown>(completion.choices[0]?.message.parsed).toEqual({
    name: "Ada Lovelace",
    age: 36,
    mood: "happy",
  });
});

test("a JSON object is returned on request", async () => {
  const completion = await client.chat.completions.create({
    model: "gpt-4o",
    messages: user("As json with keys city and country, for Paris"),
    response_format: { type: "json_object" },
  });

  expect(Object.keys(JSON.parse(completion.choices[0]?.message.content ?? ""))).toEqual([
    "city",
    "country",
  ]);
});

test("a refusal has its own field, also in a stream", async () => {
  const request = { model: "gpt-4o", messages: user("please refuse to do this") };
  const whole = await client.chat.completions.create(request);
  const streamed = await client.chat.completions.stream(request).finalChatCompletion();

  expect(whole.choices[0]?.message.content).toBeNull();
  expect(whole.choices[0]?.message.refusal).toContain("can't assist");
  expect(streamed.choices[0]?.message.refusal).toBe(whole.choices[0]?.message.refusal ?? null);
});

test("spoken responses are real WAV files, and PCM samples in a stream", async () => {
  const request = {
    model: "gpt-4o-audio-preview",
    messages: user("Say good morning"),
    modalities: ["text", "audio"] as ("text" | "audio")[],
  };
  const whole = await client.chat.completions.create({
    ...request,
    audio: { voice: "alloy", format: "wav" },
  });
  const chunks: unknown[] = [];
  for await (const chunk of await client.chat.completions.create({
    ...request,
    audio: { voice: "alloy", format: "pcm16" },
    stream: true,
  })) {
    const delta: { audio?: { data?: string } } | undefined = chunk.choices[0]?.delta as object;
    if (delta?.audio?.data !== undefined) chunks.push(...Buffer.from(delta.audio.data, "base64"));
  }

  const { audio, content } = whole.choices[0]?.message ?? {};
  const wav = Buffer.from(audio?.data ?? "", "base64");
  expect([content, audio?.transcript]).toEqual([null, "good morning"]);
  expect([wav.toString("latin1", 0, 4), wav.readUInt32LE(40) + 44]).toEqual(["RIFF", wav.length]);
  expect(chunks).toHaveLength(wav.length - 44);
  expect(whole.usage?.completion_tokens_details?.audio_tokens).toBeGreaterThan(0);
});

test("an image, a recording and a file are described by kind and size", async () => {
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAC0lEQVR4nGNgwAQAABAAAVJKdW0AAAAASUVORK5CYII=";
  const completion = await client.chat.completions.create({
    model: "gpt-4o",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What are these?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
          {
            type: "input_audio",
            input_audio: {
              data: Buffer.from("RIFF....WAVEfmt ").toString("base64"),
              format: "wav",
            },
          },
          {
            type: "file",
            file: {
              filename: "notes.pdf",
              file_data: `data:application/pdf;base64,${Buffer.from("%PDF-1.7 x").toString("base64")}`,
            },
          },
        ],
      },
    ],
  });

  const size = Buffer.from(png, "base64").length;
  expect(completion.choices[0]?.message.content).toBe(
    `I received a 3 by 2 pixel PNG image of ${size} bytes, a WAV audio of 16 bytes and a PDF file named notes.pdf of 10 bytes.`,
  );
});

test("reasoning is only counted for some models, and shown before the text for others", async () => {
  const hidden = await client.chat.completions.create({
    model: "o4-mini",
    messages: user("Say hi"),
    reasoning_effort: "low",
  });
  const shown = await client.chat.completions.create({
    model: "deepseek-reasoner",
    messages: user("Say hi"),
  });

  expect(hidden.choices[0]?.message).not.toHaveProperty("reasoning_content");
  expect(hidden.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(20);
  expect(shown.choices[0]?.message.content).toBe("hi");
  expect(JSON.stringify(shown.choices[0]?.message)).toContain(
    '"reasoning_content":"The user writes about',
  );
});

test("models are listed and found by name, and unknown ones refused", async () => {
  const list = await Array.fromAsync(client.models.list());
  const found = await client.models.retrieve("gpt-4o-mini");
  const missed = failure(client.models.retrieve("gpt-none"));

  expect(list.map((model) => model.id)).toContain("gpt-4o-mini");
  expect(found).toMatchObject({ id: "gpt-4o-mini", object: "model" });
  expect(await missed).toMatchObject({ status: 404, code: "model_not_found" });
});

test("the official client maps errors to their classes", async () => {
  await using guarded = await startSandbox({ apiKeys: ["sk-right"] });
  const stranger = new OpenAI({
    apiKey: "sk-wrong-0123456789",
    baseURL: `${guarded.url}/openai/v1`,
    maxRetries: 0,
  });
  const chat = (text: string, key = client) =>
    key.chat.completions.create({ model: "gpt-4o", messages: user(text) });

  expect(await failure(chat("hi", stranger))).toBeInstanceOf(OpenAI.AuthenticationError);
  expect(await failure(chat("hi [[fault:status code=429 retry_after=1]]"))).toBeInstanceOf(
    OpenAI.RateLimitError,
  );
  expect(await failure(chat("hi [[fault:status code=503]]"))).toBeInstanceOf(
    OpenAI.InternalServerError,
  );
  expect(
    await failure(client.chat.completions.create({ model: "nope", messages: user("hi") })),
  ).toBeInstanceOf(OpenAI.NotFoundError);
});

test("the official client retries a failure that is ordered for one request", async () => {
  const patient = new OpenAI({
    apiKey: "sk-test",
    baseURL: `${sandbox.url}/openai/v1`,
    maxRetries: 1,
  });
  sandbox.faults.add({ name: "status", args: { code: "500", retry_after_ms: "1" } });

  const completion = await patient.chat.completions.create({
    model: "gpt-4o",
    messages: user("Say done"),
  });

  expect(completion.choices[0]?.message.content).toBe("done");
  expect(sandbox.requests.slice(-2).map((request) => request.status)).toEqual([500, 200]);
});
