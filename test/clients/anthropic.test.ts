import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { KEY } from "#test/harness.ts";
import { describeOnEachUpstream } from "./each-upstream.ts";

describeOnEachUpstream("the client of the messages style", (place) => {
  const client = (): Anthropic =>
    new Anthropic({ baseURL: place().url, apiKey: KEY, maxRetries: 0 });
  const ask = (content: string): Anthropic.MessageCreateParamsNonStreaming => ({
    model: place().upstream.model,
    max_tokens: 1_000,
    messages: [{ role: "user", content }],
  });
  const weather: Anthropic.Tool = {
    name: "get_weather",
    description: "The weather in a city",
    input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  };

  test("[A2.5] gets a message", async () => {
    const message = await client().messages.create(ask("Reply with exactly: pong"));

    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "pong" }],
      stop_reason: "end_turn",
      stop_sequence: null,
    });
    expect(message.usage.input_tokens).toBeGreaterThan(0);
    expect(message.usage.output_tokens).toBeGreaterThan(0);
  });

  test("[A6-a] streams events that its accumulator understands", async () => {
    const stream = client().messages.stream(ask("Reply with exactly: one two three"));
    let deltas = "";
    stream.on("text", (text) => (deltas += text));

    const message = await stream.finalMessage();

    expect(deltas).toBe("one two three");
    expect(message.content).toMatchObject([{ type: "text", text: "one two three" }]);
    expect(message.stop_reason).toBe("end_turn");
    expect(message.usage.input_tokens).toBeGreaterThan(0);
    expect(message.usage.output_tokens).toBeGreaterThan(0);
  });

  test.each([false, true])(
    "calls tools at once and uses their results (stream %p)",
    async (stream) => {
      const send = async (messages: Anthropic.MessageParam[]): Promise<Anthropic.Message> => {
        const body = {
          model: place().upstream.model,
          max_tokens: 1_000,
          messages,
          tools: [weather],
        };
        return stream
          ? await client().messages.stream(body).finalMessage()
          : await client().messages.create(body);
      };
      const question: Anthropic.MessageParam = {
        role: "user",
        content: "What is the weather in Paris and in Rome?",
      };

      const first = await send([question]);
      const calls = first.content.filter((block) => block.type === "tool_use");
      expect(first.stop_reason).toBe("tool_use");
      expect(calls.map(({ input }) => input)).toEqual([{ city: "Paris" }, { city: "Rome" }]);

      const results = calls.map(({ id }, at) => ({
        type: "tool_result" as const,
        tool_use_id: id,
        content: `Sunny, ${20 + at} degrees`,
      }));
      const second = await send([
        question,
        { role: "assistant", content: first.content },
        { role: "user", content: results },
      ]);
      const text = second.content
        .map((block) => (block.type === "text" ? block.text : ""))
        .join("");
      expect(text).toContain("20 degrees");
      expect(text).toContain("21 degrees");
    },
  );

  test("[A4.5] gets thinking in a stream, before the text", async () => {
    const stream = client().messages.stream({
      ...ask("Reply with exactly: done"),
      model: place().upstream.thinker,
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
    });

    const message = await stream.finalMessage();

    expect(message.content.map(({ type }) => type)).toEqual(["thinking", "text"]);
    expect(message.content.at(-1)).toMatchObject({ text: "done" });
  });

  test("[A4.6] counts tokens", async () => {
    const { model, messages } = ask("Hello.");

    const { input_tokens: tokens } = await client().messages.countTokens({ model, messages });

    expect(tokens).toBeWithin(3, 20);
  });

  test("[A7] gets errors of an unknown model and of a wrong field in its own format", async () => {
    const unknown = await client()
      .messages.create({ ...ask("hi"), model: "nothing-like-it" })
      .catch((error: unknown) => error);
    const wrong = await client()
      .messages.create({ ...ask("hi"), max_tokens: -1 })
      .catch((error: unknown) => error);

    expect(unknown).toBeInstanceOf(Anthropic.NotFoundError);
    expect(unknown).toMatchObject({ error: { type: "error", error: { type: "not_found_error" } } });
    expect(wrong).toBeInstanceOf(Anthropic.BadRequestError);
    expect(wrong).toMatchObject({
      error: {
        error: { type: "invalid_request_error", message: expect.stringContaining("max_tokens") },
      },
    });
  });

  test("gets a failure within a stream as an error", async () => {
    const stream = client().messages.stream(
      ask("Count from 1 to 90. [[fault:streamerror after=12]]"),
    );

    const failure = await stream.finalMessage().catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(Anthropic.APIError);
  });

  test("[A4.2-b] lists models", async () => {
    const models = await Array.fromAsync(client().models.list({ limit: 1 }));

    expect(models.map(({ id }) => id)).toContain(place().upstream.model);
  });
});
