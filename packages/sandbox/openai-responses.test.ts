import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import type { Responses } from "openai/resources/responses/responses";
import { startSandbox, type Sandbox } from "./server.ts";
import { failure } from "./testing/failure.ts";

let sandbox: Sandbox;
let client: OpenAI;

beforeAll(async () => {
  sandbox = await startSandbox();
  client = new OpenAI({ apiKey: "sk-test", baseURL: `${sandbox.url}/openai/v1`, maxRetries: 0 });
});

afterAll(() => sandbox.stop());

const weather: Responses.FunctionTool = {
  type: "function",
  name: "get_weather",
  description: "Current weather of a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
  strict: true,
};

function callsOf({ output }: Responses.Response): readonly Responses.ResponseFunctionToolCall[] {
  return output.filter((item) => item.type === "function_call");
}

test("the official client gets a response that follows the prompt, with usage that adds up", async () => {
  const response = await client.responses.create({
    model: "gpt-4o-mini",
    instructions: "Be brief.",
    input: "Say this is a test",
  });

  expect(response.output_text).toBe("this is a test");
  expect(response).toMatchObject({ status: "completed", instructions: "Be brief.", error: null });
  expect(response.usage?.output_tokens).toBe(4);
  expect(response.usage?.total_tokens).toBe((response.usage?.input_tokens ?? 0) + 4);
});

test("the official client assembles the same response from a stream", async () => {
  const stream = client.responses.stream({ model: "gpt-4o-mini", input: "Count to 12" });
  const deltas: string[] = [];
  stream.on("response.output_text.delta", ({ delta }) => deltas.push(delta));
  const response = await stream.finalResponse();

  expect(deltas.join("")).toBe("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12");
  expect(response.output_text).toBe(deltas.join(""));
  expect(response.usage?.output_tokens).toBe(deltas.length);
});

test("results are matched to parallel calls by id, and quoted", async () => {
  const first = await client.responses.create({
    model: "gpt-4o",
    input: "Weather in Paris and in Rome",
    tools: [weather],
  });
  const calls = callsOf(first);
  const second = await client.responses.create({
    model: "gpt-4o",
    input: [
      { role: "user", content: "Weather in Paris and in Rome" },
      ...calls,
      ...calls.map((call, index) => ({
        type: "function_call_output" as const,
        call_id: call.call_id,
        output: `${20 + index} degrees`,
      })),
    ],
    tools: [weather],
  });

  expect(first.status).toBe("completed");
  expect(calls.map((call) => call.arguments)).toEqual(['{"city":"Paris"}', '{"city":"Rome"}']);
  expect(new Set(calls.flatMap((call) => [call.id, call.call_id])).size).toBe(4);
  expect(second.output_text).toBe(
    "The get_weather tool returned: 20 degrees\nThe get_weather tool returned: 21 degrees",
  );
});

test("a conversation continues from a stored response, without its instructions", async () => {
  const first = await client.responses.create({
    model: "gpt-4o",
    instructions: "Always reply with exactly: beep",
    input: "My name is Ada.",
  });
  const second = await client.responses.create({
    model: "gpt-4o",
    previous_response_id: first.id,
    input: "What is my name?",
  });
  const third = await client.responses.create({
    model: "gpt-4o",
    previous_response_id: second.id,
    input: "Tell me my name",
  });

  expect([first.output_text, second.output_text, third.output_text]).toEqual([
    "beep",
    "Your name is Ada.",
    "Your name is Ada.",
  ]);
  expect(third.usage?.input_tokens).toBeGreaterThan(second.usage?.input_tokens ?? Infinity);
});

test("a call in a stored response needs only its output", async () => {
  const first = await client.responses.create({
    model: "o4-mini",
    input: "Weather in Oslo?",
    tools: [weather],
  });
  const [call] = callsOf(first);
  const second = await client.responses.create({
    model: "o4-mini",
    previous_response_id: first.id,
    input: [{ type: "function_call_output", call_id: call?.call_id ?? "", output: "snow" }],
    tools: [weather],
  });

  expect(second.output_text).toBe("The get_weather tool returned: snow");
});

test("the official client parses a response that conforms to the schema", async () => {
  const response = await client.responses.parse({
    model: "gpt-4o",
    input: "My name is Ada Lovelace, age: 36. Fill in the form.",
    text: {
      format: {
        type: "json_schema",
        name: "person",
        strict: true,
        schema: {
          type: "object",
          properties: { name: { type: "string" }, age: { type: "integer" } },
          required: ["name", "age"],
          additionalProperties: false,
        },
      },
    },
  });

  expect<unknown>(response.output_parsed).toEqual({ name: "Ada Lovelace", age: 36 });
});

test("encrypted reasoning is returned, and accepted with its output", async () => {
  const ask = { role: "user" as const, content: "Weather in Oslo?" };
  const settings: Responses.ResponseCreateParamsNonStreaming = {
    model: "o4-mini",
    store: false,
    include: ["reasoning.encrypted_content"],
    tools: [weather],
  };
  const first = await client.responses.create({ ...settings, input: [ask] });
  const [call] = callsOf(first);
  const second = await client.responses.create({
    ...settings,
    input: [
      ask,
      ...first.output.filter((item) => item.type === "reasoning"),
      ...callsOf(first),
      { type: "function_call_output", call_id: call?.call_id ?? "", output: "snow" },
    ],
  });

  expect(first.output.map((item) => item.type)).toEqual(["reasoning", "function_call"]);
  expect(JSON.stringify(first.output[0])).toContain('"encrypted_content":"gAAAAA');
  expect(first.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(20);
  expect(second.output_text).toBe("The get_weather tool returned: snow");
});

test("a summary of the reasoning is streamed before the text, on request", async () => {
  const stream = await client.responses.create({
    model: "gpt-5",
    input: "Say hi",
    reasoning: { effort: "low", summary: "auto" },
    stream: true,
  });
  const types: string[] = [];
  let summary = "";
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === "response.reasoning_summary_text.delta") summary += event.delta;
  }

  expect(summary).toStartWith("The user writes about");
  expect(types.lastIndexOf("response.reasoning_summary_text.delta")).toBeLessThan(
    types.indexOf("response.output_text.delta"),
  );
});

test("a web search is a separate item, and the response cites its results", async () => {
  const response = await client.responses.create({
    model: "gpt-4o",
    input: "Search the web for tide tables",
    tools: [{ type: "web_search" }],
    include: ["web_search_call.action.sources"],
  });

  const [search, message] = response.output;
  const part = message?.type === "message" ? message.content[0] : undefined;
  const citations = part?.type === "output_text" ? part.annotations : [];
  const cited = citations.map((each) =>
    each.type === "url_citation"
      ? response.output_text.slice(each.start_index, each.end_index).includes(each.url)
      : false,
  );
  expect(search).toMatchObject({ type: "web_search_call", status: "completed" });
  expect(JSON.stringify(search)).toContain('"sources":[{"type":"url"');
  expect(cited).toEqual([true, true]);
});

test("no search is made for a prompt that needs none", async () => {
  const response = await client.responses.create({
    model: "gpt-4o",
    input: "Say hi",
    tools: [{ type: "web_search" }],
  });

  expect(response.output.map((item) => item.type)).toEqual(["message"]);
});

test("a custom tool is called with text that matches its grammar", async () => {
  const response = await client.responses.create({
    model: "gpt-5",
    input: "Evaluate 12 + 30 with the calculator",
    tools: [
      {
        type: "custom",
        name: "calculator",
        format: { type: "grammar", syntax: "regex", definition: "\\d+ [-+*/] \\d+" },
      },
    ],
  });

  expect(response.output.at(-1)).toMatchObject({
    type: "custom_tool_call",
    name: "calculator",
    input: "12 + 30",
  });
});

test("an image and a file are described by kind and size", async () => {
  const response = await client.responses.create({
    model: "gpt-4o",
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "What are these?" },
          {
            type: "input_image",
            detail: "low",
            image_url:
              "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAC0lEQVR4nGNgwAQAABAAAVJKdW0AAAAASUVORK5CYII=",
          },
          {
            type: "input_file",
            filename: "notes.pdf",
            file_data: `data:application/pdf;base64,${Buffer.from("%PDF-1.7 x").toString("base64")}`,
          },
        ],
      },
    ],
  });

  expect(response.output_text).toBe(
    "I received a 3 by 2 pixel PNG image of 68 bytes and a PDF file named notes.pdf of 10 bytes.",
  );
});

test("stored responses are read, listed with their input, and deleted", async () => {
  const created = await client.responses.create({
    model: "gpt-4o",
    input: [
      { role: "developer", content: "Be brief." },
      { role: "user", content: "Say one" },
    ],
  });
  const fetched = await client.responses.retrieve(created.id);
  const newest = await client.responses.inputItems.list(created.id, { limit: 1 });
  const all = await Array.fromAsync(
    client.responses.inputItems.list(created.id, { limit: 1, order: "asc" }),
  );
  await client.responses.delete(created.id);

  expect(fetched.output).toEqual(created.output);
  expect(newest.data[0]).toMatchObject({ type: "message", role: "user" });
  expect(newest.has_more).toBe(true);
  expect(all.map((item) => ("role" in item ? item.role : null))).toEqual(["developer", "user"]);
  expect(await failure(client.responses.retrieve(created.id))).toMatchObject({ status: 404 });
});

test("a response that is not stored cannot be read or continued", async () => {
  const created = await client.responses.create({ model: "gpt-4o", input: "hi", store: false });

  expect(await failure(client.responses.retrieve(created.id))).toMatchObject({ status: 404 });
  expect(
    await failure(
      client.responses.create({ model: "gpt-4o", input: "hi", previous_response_id: created.id }),
    ),
  ).toMatchObject({ status: 400, code: "previous_response_not_found" });
});

test("another key's response is not found", async () => {
  const stranger = new OpenAI({
    apiKey: "sk-other",
    baseURL: `${sandbox.url}/openai/v1`,
    maxRetries: 0,
  });
  const { id } = await client.responses.create({ model: "gpt-4o", input: "hi" });
  const refused = (call: PromiseLike<unknown>) => failure(call);

  expect(await refused(stranger.responses.retrieve(id))).toMatchObject({ status: 404 });
  expect(await refused(stranger.responses.delete(id))).toMatchObject({ status: 404 });
  expect(
    await refused(
      stranger.responses.create({ model: "gpt-4o", input: "hi", previous_response_id: id }),
    ),
  ).toMatchObject({ status: 400 });
  expect(await client.responses.retrieve(id)).toMatchObject({ id });
});

test("the official client maps errors to their classes", async () => {
  const ask = (input: string, model = "gpt-4o") => client.responses.create({ model, input });

  expect(await failure(ask("hi [[fault:status code=429 retry_after=1]]"))).toBeInstanceOf(
    OpenAI.RateLimitError,
  );
  expect(await failure(ask("hi [[fault:status code=503]]"))).toBeInstanceOf(
    OpenAI.InternalServerError,
  );
  expect(await failure(ask("hi", "gpt-none"))).toBeInstanceOf(OpenAI.BadRequestError);
});
