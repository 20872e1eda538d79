import {
  ApiError,
  FinishReason,
  FunctionCallingConfigMode,
  GoogleGenAI,
  Type,
  type Content,
  type FunctionCallingConfig,
} from "@google/genai";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "./server.ts";
import { failure } from "./testing/failure.ts";

let sandbox: Sandbox;
let client: GoogleGenAI;

beforeAll(async () => {
  sandbox = await startSandbox();
  client = clientOf(sandbox);
});

afterAll(() => sandbox.stop());

function clientOf({ url }: Sandbox, apiKey = "AIza-test"): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${url}/gemini` } });
}

const model = "gemini-2.5-flash";
const weather = {
  functionDeclarations: [
    {
      name: "get_weather",
      description: "Current weather of a city",
      parameters: {
        type: Type.OBJECT,
        properties: {
          city: { type: Type.STRING },
          unit: { type: Type.STRING, enum: ["celsius", "fahrenheit"] },
        },
        required: ["city"],
      },
    },
  ],
};

test("the official client gets a response that follows the prompt, with usage that adds up", async () => {
  const answer = await client.models.generateContent({
    model,
    contents: "Say this is a test",
    config: { systemInstruction: "Be brief.", temperature: 0.2 },
  });

  const usage = answer.usageMetadata;
  expect(answer.text).toBe("this is a test");
  expect(answer.modelVersion).toBe(model);
  expect(usage?.candidatesTokenCount).toBe(4);
  expect(usage?.totalTokenCount).toBe(
    (usage?.promptTokenCount ?? 0) + 4 + (usage?.thoughtsTokenCount ?? 0),
  );
});

test("the official client streams the same text as in a complete response", async () => {
  const pieces: string[] = [];
  const request = { model: "gemini-3.5-flash", contents: "Count to 12" };
  for await (const chunk of await client.models.generateContentStream(request))
    pieces.push(chunk.text ?? "");

  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.join("")).toBe((await client.models.generateContent(request)).text ?? "");
});

test("a chat of the official client remembers earlier messages", async () => {
  const chat = client.chats.create({ model });
  await chat.sendMessage({ message: "My name is Ada and my dog is brown." });
  const answer = await chat.sendMessage({ message: "What is my name?" });

  expect(answer.text).toContain("Ada");
});

test.each(["gemini-2.0-flash", model, "gemini-3.5-flash"])(
  "%s calls a tool, and quotes its result in the next answer",
  async (id) => {
    const contents: Content[] = [
      { role: "user", parts: [{ text: "What's the weather in San Francisco, CA in celsius?" }] },
    ];
    const config = { tools: [weather] };
    const first = await client.models.generateContent({ model: id, contents, config });
    const call = first.functionCalls?.[0];
    const turn = first.candidates?.[0]?.content;
    if (call === undefined || turn === undefined) throw new Error("No call was made.");
    contents.push(turn, {
      role: "user",
      parts: [
        {
          functionResponse: {
            ...(call.id === undefined ? {} : { id: call.id }),
            name: "get_weather",
            response: { output: '{"degrees":14.5}' },
          },
        },
      ],
    });
    const second = await client.models.generateContent({ model: id, contents, config });

    expect(call.args).toEqual({ city: "San Francisco, CA", unit: "celsius" });
    expect(first.candidates?.[0]?.finishReason).toBe(FinishReason.STOP);
    expect(second.text).toBe('The get_weather tool returned: {"degrees":14.5}');
  },
);

test("the official client's chat returns signatures and ids of parallel calls", async () => {
  const chat = client.chats.create({ model: "gemini-3-pro-preview", config: { tools: [weather] } });
  const first = await chat.sendMessage({ message: "Compare the weather in Paris, Rome and Oslo" });
  const calls = first.functionCalls ?? [];
  const answer = await chat.sendMessage({
    message: calls.map(({ id = "", name = "" }, index) => ({
      functionResponse: { id, name, response: { degrees: index } },
    })),
  });

  expect(calls).toHaveLength(3);
  expect(answer.text).toContain('The get_weather tool returned: {"degrees":2}');
});

test("the mode controls whether and which tool is called", async () => {
  const time = { name: "get_time", description: "Local time of a city" };
  const declared = [{ functionDeclarations: [...weather.functionDeclarations, time] }];
  const called = async (text: string, functionCallingConfig: FunctionCallingConfig) => {
    const answer = await client.models.generateContent({
      model,
      contents: text,
      config: { tools: declared, toolConfig: { functionCallingConfig } },
    });
    return answer.functionCalls?.[0]?.name ?? null;
  };
  expect(await called("Weather in Paris?", { mode: FunctionCallingConfigMode.NONE })).toBeNull();
  expect(await called("Tell me a joke", { mode: FunctionCallingConfigMode.AUTO })).toBeNull();
  expect(await called("Tell me a joke", { mode: FunctionCallingConfigMode.ANY })).toBe(
    "get_weather",
  );
  expect(
    await called("Weather in Paris?", {
      mode: FunctionCallingConfigMode.ANY,
      allowedFunctionNames: ["get_time"],
    }),
  ).toBe("get_time");
});

test("a response conforms to the schema, in either notation, or is one of the enum values", async () => {
  const contents = "A person named Bob, aged 30";
  const own = await client.models.generateContent({
    model,
    contents,
    config: {
      responseMimeType: "application/json",
      responseSchema: {
        type: Type.OBJECT,
        properties: { age: { type: Type.INTEGER }, name: { type: Type.STRING, nullable: true } },
        required: ["age", "name"],
        propertyOrdering: ["name", "age"],
      },
    },
  });
  const plain = await client.models.generateContent({
    model,
    contents,
    config: {
      responseMimeType: "application/json",
      responseJsonSchema: {
        type: "object",
        properties: { person: { $ref: "#/$defs/person" } },
        required: ["person"],
        $defs: {
          person: { type: "object", properties: { age: { const: 30 } }, required: ["age"] },
        },
      },
    },
  });
  const word = await client.models.generateContent({
    model,
    contents: "Is this a good day? Positive!",
    config: {
      responseMimeType: "text/x.enum",
      responseSchema: { type: Type.STRING, enum: ["Negative", "Positive"] },
    },
  });

  expect(Object.entries(JSON.parse(own.text ?? ""))).toEqual([
    ["name", "Bob"],
    ["age", 30],
  ]);
  expect(JSON.parse(plain.text ?? "")).toEqual({ person: { age: 30 } });
  expect(word.text).toBe("Positive");
});

test("an image, a recording and a file are described by kind and size", async () => {
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAC0lEQVR4nGNgwAQAABAAAVJKdW0AAAAASUVORK5CYII=";
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const answer = await client.models.generateContent({
    model,
    contents: [
      "What are these?",
      { inlineData: { mimeType: "image/png", data: png } },
      { inlineData: { mimeType: "audio/wav", data: base64("RIFF....WAVEfmt ") } },
      { inlineData: { mimeType: "application/pdf", data: base64("%PDF-1.7 x") } },
      { fileData: { fileUri: "https://www.youtube.com/watch?v=abc" } },
    ],
  });

  const size = Buffer.from(png, "base64").length;
  expect(answer.text).toBe(
    `I received a 3 by 2 pixel PNG image of ${size} bytes, a WAV audio of 16 bytes, a PDF file of 10 bytes and a video at https://www.youtube.com/watch?v=abc.`,
  );
});

test("tokens are counted, models listed and found by name, and unknown ones refused", async () => {
  const { totalTokens } = await client.models.countTokens({ model, contents: "Hello there" });
  const names = (await Array.fromAsync(await client.models.list())).map(({ name }) => name);
  const found = await client.models.get({ model });
  const missed = await failure(client.models.get({ model: "gemini-none" }));

  expect(totalTokens).toBeGreaterThan(2);
  expect(names).toContain("models/gemini-2.5-flash");
  expect(found).toMatchObject({ name: `models/${model}`, outputTokenLimit: 65_536 });
  expect(missed).toMatchObject({ status: 404 });
});

test("the official client creates, lists, changes and deletes cached contents", async () => {
  const text = "Every harbour keeps a book of tides and winds. ".repeat(150);
  const cache = await client.caches.create({
    model,
    config: { contents: text, displayName: "tides", ttl: "60s" },
  });
  const name = cache.name ?? "";
  const answer = await client.models.generateContent({
    model,
    contents: "Say hi",
    config: { cachedContent: name },
  });
  const changed = await client.caches.update({ name, config: { ttl: "7200s" } });
  const listed = await Array.fromAsync(await client.caches.list());
  await client.caches.delete({ name });

  expect(answer.text).toBe("hi");
  expect(answer.usageMetadata?.cachedContentTokenCount).toBe(
    cache.usageMetadata?.totalTokenCount ?? 0,
  );
  expect(Date.parse(changed.expireTime ?? "")).toBeGreaterThan(Date.parse(cache.expireTime ?? ""));
  expect(listed.map((each) => each.name)).toContain(name);
  expect(await failure(client.caches.get({ name }))).toMatchObject({ status: 403 });
});

test("the official client reads every error, also in a stream", async () => {
  await using guarded = await startSandbox({ apiKeys: ["AIza-right"] });
  const stranger = clientOf(guarded, "AIza-wrong");
  const wrong = await failure(stranger.models.generateContent({ model, contents: "hi" }));
  const unknown = await failure(
    client.models.generateContentStream({ model: "gemini-none", contents: "hi" }),
  );
  const spent = await failure(
    client.models.generateContent({ model, contents: "hi [[fault:status code=429]]" }),
  );
  const broken = await failure(
    client.models
      .generateContentStream({ model, contents: "Count to 30 [[fault:streamerror after=2]]" })
      .then((stream) => Array.fromAsync(stream)),
  );

  for (const [error, status] of [
    [wrong, 400],
    [unknown, 404],
    [spent, 429],
    [broken, 500],
  ] as const) {
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status });
  }
});
