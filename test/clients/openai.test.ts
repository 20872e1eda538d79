import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { KEY, openSimulated } from "#test/harness.ts";

/**
 * The official client, unmodified, through the whole gateway to the simulator:
 * once passed through, once translated, which a client must not be able to
 * tell apart.
 */
describe.each([
  ["passed through", "openai"],
  ["translated", "ollama"],
])("the official client, %s", (_how, provider) => {
  let opened: Awaited<ReturnType<typeof openSimulated>>;
  let client: OpenAI;
  beforeAll(async () => {
    opened = await openSimulated({
      channel: `models: [gpt-4o-mini, sim-reasoner, { name: alias, upstream: gpt-4o-mini }]`,
      provider,
    });
    client = new OpenAI({ baseURL: `${opened.url}/v1`, apiKey: KEY, maxRetries: 0 });
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  const ask = (content: string) => ({
    model: "gpt-4o-mini",
    messages: [{ role: "user" as const, content }],
  });

  test("[A2.3] gets a chat completion", async () => {
    const completion = await client.chat.completions.create(ask("Reply with exactly: pong"));

    expect(completion).toMatchObject({
      id: expect.any(String),
      object: "chat.completion",
      created: expect.any(Number),
      model: expect.stringContaining("gpt-4o-mini"),
      choices: [
        { index: 0, message: { role: "assistant", content: "pong" }, finish_reason: "stop" },
      ],
    });
    const { usage } = completion;
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
    expect(usage?.completion_tokens).toBeGreaterThan(0);
  });

  test("[A4.3-01] [A6-a] streams data chunks that its accumulator understands", async () => {
    const stream = client.chat.completions.stream({
      ...ask("Reply with exactly: one two three"),
      stream_options: { include_usage: true },
    });
    let deltas = "";
    stream.on("content", (delta) => (deltas += delta));

    const final = await stream.finalChatCompletion();

    expect(deltas).toBe("one two three");
    expect(final.choices[0]?.message.content).toBe("one two three");
    expect(final.choices[0]?.finish_reason).toBe("stop");
    expect(final.usage?.completion_tokens).toBeGreaterThan(0);
  });

  test("gets usage in a stream on request only", async () => {
    const stream = await client.chat.completions.create({
      ...ask("Reply with exactly: hello"),
      stream: true,
    });
    const chunks = await Array.fromAsync(stream);

    expect(chunks.every((chunk) => chunk.usage === undefined || chunk.usage === null)).toBe(true);
    expect(chunks.every((chunk) => chunk.choices.length > 0)).toBe(true);
  });

  const weather: OpenAI.ChatCompletionFunctionTool = {
    type: "function",
    function: {
      name: "get_weather",
      description: "The weather in a city",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  };

  test.each([false, true])(
    "[A4.3-02] calls a tool in the first phase and uses its result in the second (stream %p)",
    async (streamed) => {
      const first = await client.chat.completions.create({
        ...ask("What is the weather in Paris?"),
        tools: [weather],
      });
      const message = first.choices[0]?.message;
      const call = message?.tool_calls?.[0];
      expect(first.choices[0]?.finish_reason).toBe("tool_calls");
      if (message === undefined || call?.type !== "function") throw new Error("No tool call.");
      expect({ hasId: call.id.length > 0, name: call.function.name }).toEqual({
        hasId: true,
        name: "get_weather",
      });
      expect(JSON.parse(call.function.arguments)).toEqual({ city: "Paris" });

      const second: Omit<OpenAI.ChatCompletionCreateParams, "stream"> = {
        model: "gpt-4o-mini",
        messages: [
          { role: "user", content: "What is the weather in Paris?" },
          message,
          { role: "tool", tool_call_id: call.id, content: "Sunny, 21 degrees" },
        ],
        tools: [weather],
      };
      const answer = streamed
        ? await client.chat.completions.stream(second).finalContent()
        : (await client.chat.completions.create({ ...second, stream: false })).choices[0]?.message
            .content;
      expect(answer).toContain("21 degrees");
    },
  );

  test("[A4.3-02] [A6-a] parallel tool calls arrive complete in a stream", async () => {
    const stream = client.chat.completions.stream({
      ...ask("What is the weather in Paris and in Rome?"),
      tools: [weather],
    });
    const final = await stream.finalChatCompletion();

    const calls = final.choices[0]?.message.tool_calls ?? [];
    const cities = calls.map((each) =>
      each.type === "function" ? JSON.parse(each.function.arguments).city : "",
    );
    expect(new Set(cities)).toEqual(new Set(["Paris", "Rome"]));
    expect(new Set(calls.map((each) => each.id)).size).toBe(2);
  });

  test("[A4.3-09] gets JSON that conforms to its schema", async () => {
    const Person = z.object({ name: z.string(), age: z.number().int(), tags: z.array(z.string()) });
    const completion = await client.chat.completions.parse({
      ...ask("Invent a person called Ada"),
      response_format: zodResponseFormat(Person, "person"),
    });

    expect(Person.safeParse(completion.choices[0]?.message.parsed).success).toBe(true);
  });

  test("gets reasoning text in a stream, before the text", async () => {
    const stream = await client.chat.completions.create({
      ...ask("Reply with exactly: done"),
      model: "sim-reasoner",
      stream: true,
    });
    let order = "";
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta as
        | { content?: string | null; reasoning_content?: string | null }
        | undefined;
      if (delta?.reasoning_content) order += "r";
      if (delta?.content) order += "c";
    }

    expect(order).toMatch(/^r+c+$/);
  });

  test("uses an alias like any other model", async () => {
    const completion = await client.chat.completions.create({
      ...ask("Reply with exactly: hi"),
      model: "alias",
    });

    expect(completion.choices[0]?.message.content).toBe("hi");
    expect(opened.sandbox.requests.at(-1)?.body).toMatchObject({ model: "gpt-4o-mini" });
  });

  test("[A7] gets the error of an unknown model in its own format", async () => {
    const failure = await client.chat.completions
      .create({ ...ask("hi"), model: "nothing-like-it" })
      .catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(OpenAI.NotFoundError);
    expect(failure).toMatchObject({
      status: 404,
      code: "model_not_found",
      param: "model",
      requestID: expect.any(String),
    });
  });

  test("lists and reads models", async () => {
    const models = await Array.fromAsync(client.models.list());

    expect(models.map((each) => each.id)).toEqual(["alias", "gpt-4o-mini", "sim-reasoner"]);
    expect((await client.models.retrieve("gpt-4o-mini")).object).toBe("model");
  });
});
