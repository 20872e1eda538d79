import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { chat } from "#styles/text/chat/index.ts";
import { encodeStream } from "#test/translate/streams.ts";

/** The official client reads what the style writes; nothing is sent anywhere. */
const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  sampling: {},
  rawFields: { chat: { stream_options: { include_usage: true } } },
};

const EVENTS: readonly ChatEvent[] = [
  { type: "start", id: "c1", model: "m", createdAt: 7_000 },
  { type: "open", choice: 0, block: { type: "reasoning" } },
  { type: "delta", choice: 0, text: "why" },
  { type: "close", choice: 0, signature: { issuer: "chat", value: "s" } },
  { type: "open", choice: 0, block: { type: "text" } },
  { type: "delta", choice: 0, text: "Grüße " },
  { type: "delta", choice: 0, text: "👋" },
  { type: "close", choice: 0 },
  { type: "open", choice: 0, block: { type: "tool_call", id: "a", name: "f", kind: "function" } },
  { type: "delta", choice: 0, text: '{"x":' },
  { type: "delta", choice: 0, text: "1}" },
  { type: "close", choice: 0 },
  { type: "open", choice: 0, block: { type: "tool_call", id: "b", name: "g", kind: "function" } },
  { type: "delta", choice: 0, text: "{}" },
  { type: "close", choice: 0 },
  { type: "finish", choice: 0, reason: "tool_calls" },
  {
    type: "usage",
    usage: {
      inputTokens: 3,
      cachedInputTokens: 1,
      cacheWriteTokens: 0,
      audioInputTokens: 0,
      outputTokens: 2,
      reasoningTokens: 1,
      audioOutputTokens: 0,
      isEstimated: false,
    },
  },
];

const MESSAGE = {
  role: "assistant",
  content: "Grüße 👋",
  refusal: null,
  tool_calls: [
    { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } },
    { id: "b", type: "function", function: { name: "g", arguments: "{}" } },
  ],
};

describe("the official client reads responses of the style", () => {
  test("[A6-a] [A4.3-02] it assembles a stream", async () => {
    const stream = answering(streamOf(EVENTS)).chat.completions.stream({
      model: "m",
      messages: [],
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();

    expect(final).toMatchObject({
      id: "c1",
      created: 7,
      model: "m",
      choices: [{ message: MESSAGE, finish_reason: "tool_calls" }],
    });
    expect(final.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 });
  });

  test("[A2.3] it reads a complete response", async () => {
    const built = chat.inbound.buildResponse(EVENTS, REQUEST);
    const completion = await answering(Response.json(built)).chat.completions.create({
      model: "m",
      messages: [],
    });

    expect(completion.choices[0]).toMatchObject({
      message: MESSAGE,
      finish_reason: "tool_calls",
      logprobs: null,
    });
  });

  test("[A7] it gets a failure within a stream as an error", async () => {
    const error = new GatewayError("upstream_timeout", "The upstream took too long.");
    const begun = await Array.fromAsync(encodeStream(chat, each(EVENTS), REQUEST));
    const body = [...begun.slice(0, 3), chat.inbound.openEncoder(REQUEST).fail(error)].join("");
    const stream = await answering(eventStream(body)).chat.completions.create({
      model: "m",
      messages: [],
      stream: true,
    });

    const read = Array.fromAsync(stream).then(
      () => "nothing",
      (thrown: unknown) => String(thrown),
    );

    expect(await read).toContain("The upstream took too long.");
  });

  test("[A7] it distinguishes the kinds of failure", async () => {
    const error = new GatewayError("unauthenticated", "This key is not known.");
    const body = chat.inbound.buildError(error);
    const call = answering(
      Response.json(body, { status: error.fault.status }),
    ).chat.completions.create({ model: "m", messages: [] });

    const seen = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(seen).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(seen).toMatchObject({
      status: 401,
      code: "invalid_api_key",
      type: "invalid_request_error",
    });
  });
});

function answering(response: Response): OpenAI {
  return new OpenAI({
    apiKey: "unused",
    baseURL: "http://localhost.invalid/v1",
    maxRetries: 0,
    fetch: () => Promise.resolve(response),
  });
}

function streamOf(events: readonly ChatEvent[]): Response {
  const encoded = encodeStream(chat, each(events), REQUEST);
  const bytes = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await encoded.next();
      if (done === true) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
  });
  return new Response(bytes, { headers: { "content-type": "text/event-stream" } });
}

function eventStream(body: string): Response {
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
