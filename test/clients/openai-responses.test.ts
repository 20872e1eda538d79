import { expect, test } from "bun:test";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { KEY } from "#test/harness.ts";
import { describeOnEachUpstream } from "./each-upstream.ts";

describeOnEachUpstream("the client of the responses style", (place) => {
  const client = (): OpenAI =>
    new OpenAI({ baseURL: `${place().url}/v1`, apiKey: KEY, maxRetries: 0 });
  const weather: OpenAI.Responses.FunctionTool = {
    type: "function",
    name: "get_weather",
    description: "The weather in a city",
    strict: false,
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  };

  test("[A2.4] gets a response", async () => {
    const response = await client().responses.create({
      model: place().upstream.model,
      input: "Reply with exactly: pong",
    });

    expect(response.id).toStartWith("resp_");
    expect(response.object).toBe("response");
    expect(response.status).toBe("completed");
    expect(response.output_text).toBe("pong");
    expect(response.usage?.total_tokens).toBeGreaterThan(0);
  });

  test("[A6-b] [A3.2] streams events that its accumulator understands", async () => {
    const stream = client().responses.stream({
      model: place().upstream.model,
      input: "Reply with exactly: one two three",
    });
    let deltas = "";
    const seen: string[] = [];
    stream.on("response.output_text.delta", ({ delta }) => (deltas += delta));
    stream.on("event", ({ type }) => seen.push(type));

    const response = await stream.finalResponse();

    expect(deltas).toBe("one two three");
    expect(response.output_text).toBe("one two three");
    expect(seen[0]).toBe("response.created");
    expect(seen.at(-1)).toBe("response.completed");
  });

  test.each([false, true])(
    "[A4.4] calls tools and continues from their results (stream %p)",
    async (stream) => {
      const model = place().upstream.thinker;
      const send = async (
        body: Omit<OpenAI.Responses.ResponseCreateParams, "stream" | "model">,
      ): Promise<OpenAI.Responses.Response> =>
        stream
          ? await client()
              .responses.stream({ ...body, model, tools: [weather] })
              .finalResponse()
          : await client().responses.create({ ...body, model, tools: [weather], stream: false });

      const first = await send({ input: "What is the weather in Paris and in Rome?" });
      const calls = first.output.filter((item) => item.type === "function_call");
      expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([
        { city: "Paris" },
        { city: "Rome" },
      ]);

      const second = await send({
        previous_response_id: first.id,
        input: calls.map(({ call_id: callId }, at) => ({
          type: "function_call_output" as const,
          call_id: callId,
          output: `Sunny, ${20 + at} degrees`,
        })),
      });
      expect(second.output_text).toContain("20 degrees");
      expect(second.output_text).toContain("21 degrees");
    },
  );

  test("[A4.4] gets JSON that conforms to its schema", async () => {
    const Person = z.object({ name: z.string(), age: z.number().int() });

    const response = await client().responses.parse({
      model: place().upstream.model,
      input: "Invent a person called Ada",
      text: { format: zodTextFormat(Person, "person") },
    });

    expect(Person.safeParse(response.output_parsed).success).toBe(true);
  });

  test("reads, lists and deletes stored responses", async () => {
    const { id } = await client().responses.create({ model: place().upstream.model, input: "Hi." });

    expect((await client().responses.retrieve(id)).id).toBe(id);
    expect(await Array.fromAsync(client().responses.inputItems.list(id))).toHaveLength(1);
    await client().responses.delete(id);
    const failure = await client()
      .responses.retrieve(id)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.NotFoundError);
  });

  test("gets a failure within a stream as an error", async () => {
    const stream = await client().responses.create({
      model: place().upstream.model,
      input: "Count from 1 to 90. [[fault:streamerror after=12]]",
      stream: true,
    });
    const events = await Array.fromAsync(stream);

    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { message: expect.any(String) } },
    });
  });
});
