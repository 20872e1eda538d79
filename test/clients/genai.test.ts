import { expect, test } from "bun:test";
import { ApiError, FunctionCallingConfigMode, GoogleGenAI, type Content } from "@google/genai";
import { KEY } from "#test/harness.ts";
import { describeOnEachUpstream } from "./each-upstream.ts";

describeOnEachUpstream("the client of the native style", (place) => {
  const client = (): GoogleGenAI =>
    new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: place().url } });
  const weather = {
    functionDeclarations: [
      {
        name: "get_weather",
        description: "The weather in a city",
        parametersJsonSchema: {
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"],
        },
      },
    ],
  };

  test("[A2.6] gets content", async () => {
    const answer = await client().models.generateContent({
      model: place().upstream.model,
      contents: "Reply with exactly: pong",
    });

    expect(answer.text).toBe("pong");
    expect(answer.candidates?.[0]?.finishReason).toBe("STOP" as never);
    expect(answer.usageMetadata?.promptTokenCount).toBeGreaterThan(0);
  });

  test("[A4.7] streams content", async () => {
    const stream = await client().models.generateContentStream({
      model: place().upstream.model,
      contents: "Reply with exactly: one two three",
    });
    let text = "";
    for await (const chunk of stream) text += chunk.text ?? "";

    expect(text).toBe("one two three");
  });

  test("[A4.7] calls functions in parallel and uses their results", async () => {
    const question: Content = {
      role: "user",
      parts: [{ text: "What is the weather in Paris and in Rome?" }],
    };
    const model = place().upstream.thinker;
    const first = await client().models.generateContent({
      model,
      contents: [question],
      config: {
        tools: [weather],
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
      },
    });
    const calls = first.functionCalls ?? [];
    expect(calls.map(({ name, args }) => [name, args])).toEqual([
      ["get_weather", { city: "Paris" }],
      ["get_weather", { city: "Rome" }],
    ]);

    const second = await client().models.generateContent({
      model,
      contents: [
        question,
        first.candidates?.[0]?.content ?? {},
        {
          role: "user",
          parts: calls.map(({ id, name }, at) => ({
            functionResponse: {
              ...(id === undefined ? {} : { id }),
              ...(name === undefined ? {} : { name }),
              response: { output: `Sunny, ${20 + at} degrees` },
            },
          })),
        },
      ],
      config: { tools: [weather] },
    });

    expect(second.text).toContain("20 degrees");
    expect(second.text).toContain("21 degrees");
  });

  test("[A4.7] gets JSON that conforms to its schema", async () => {
    const answer = await client().models.generateContent({
      model: place().upstream.model,
      contents: "Invent a person called Ada",
      config: {
        responseMimeType: "application/json",
        responseJsonSchema: {
          type: "object",
          properties: { name: { type: "string" }, age: { type: "integer" } },
          required: ["name", "age"],
          additionalProperties: false,
        },
      },
    });

    expect(JSON.parse(answer.text ?? "")).toEqual({
      name: expect.any(String),
      age: expect.any(Number),
    });
  });

  test("counts tokens", async () => {
    const { totalTokens } = await client().models.countTokens({
      model: place().upstream.model,
      contents: "Hello.",
    });

    expect(totalTokens).toBeGreaterThan(1);
  });

  test("[A7] gets the error of an unknown model in its own format", async () => {
    const failure = await client()
      .models.generateContent({ model: "nothing-like-it", contents: "hi" })
      .catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ status: 404 });
  });

  test("gets a failure within a stream as an error", async () => {
    const stream = await client().models.generateContentStream({
      model: place().upstream.model,
      contents: "Count from 1 to 90. [[fault:streamerror after=12]]",
    });

    const failure = await Array.fromAsync(stream).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(ApiError);
  });

  test("[A4.2-c] lists models", async () => {
    const models = await Array.fromAsync(await client().models.list());

    expect(models.map(({ name }) => name)).toContain(`models/${place().upstream.model}`);
  });
});
