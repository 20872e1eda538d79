import { describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { streamText } from "ai";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { messages } from "#styles/text/messages/index.ts";
import { withShared } from "#test/shared.ts";
import { decodeStream, encodeStream } from "#test/translate/streams.ts";
import { chat } from "#styles/text/chat/index.ts";
import { saidIn } from "./chat-answers.ts";
import { eventsOf, isAnswer, isFailed, readChatCorpus } from "./chat-corpus.ts";

/** Official clients read what the style writes; nothing is sent anywhere. */
const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  sampling: {},
  reasoning: { enabled: true, visible: true },
};

const EVENTS: readonly ChatEvent[] = [
  { type: "start", id: "c1", model: "m", createdAt: 7_000, inputTokens: 9 },
  { type: "open", choice: 0, block: { type: "reasoning" } },
  { type: "delta", choice: 0, text: "why" },
  { type: "close", choice: 0, signature: { issuer: "gemini", value: "s" } },
  { type: "open", choice: 0, block: { type: "text" } },
  { type: "delta", choice: 0, text: "Grüße " },
  { type: "cite", choice: 0, citation: { url: "https://a.example", title: "A", quote: "q" } },
  { type: "delta", choice: 0, text: "👋" },
  { type: "close", choice: 0 },
  {
    type: "open",
    choice: 0,
    block: { type: "tool_call", id: "toolu_a", name: "f", kind: "function" },
  },
  { type: "delta", choice: 0, text: '{"x":' },
  { type: "delta", choice: 0, text: "1}" },
  { type: "close", choice: 0 },
  {
    type: "open",
    choice: 0,
    block: { type: "tool_call", id: "toolu_b", name: "g", kind: "function" },
  },
  { type: "close", choice: 0 },
  { type: "finish", choice: 0, reason: "tool_calls" },
  {
    type: "usage",
    usage: {
      inputTokens: 5,
      cachedInputTokens: 1,
      cacheWriteTokens: 1,
      audioInputTokens: 0,
      outputTokens: 2,
      reasoningTokens: 1,
      audioOutputTokens: 0,
      isEstimated: false,
    },
  },
];

const CONTENT = [
  { type: "text", text: "Grüße 👋", citations: [{ url: "https://a.example", cited_text: "q" }] },
  { type: "tool_use", id: "toolu_a", name: "f", input: { x: 1 } },
  { type: "tool_use", id: "toolu_b", name: "g", input: {} },
];

describe("official clients read responses of the style", () => {
  test("[A6-a] [A4.5-d] the vendor's own assembles a stream, thinking first", async () => {
    const final = await answering(streamOf(EVENTS)).messages.stream(ASKED).finalMessage();

    expect(final).toMatchObject({
      id: "msg_c1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "thinking", thinking: "why" }, ...CONTENT],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: {
        input_tokens: 3,
        output_tokens: 2,
        cache_read_input_tokens: 1,
        cache_creation_input_tokens: 1,
      },
    });
  });

  test("[A2.5] it reads a complete response", async () => {
    const built = messages.inbound.buildResponse(EVENTS, REQUEST);
    const message = await answering(Response.json(built)).messages.create(ASKED);

    expect(message).toMatchObject({ id: "msg_c1", content: CONTENT, stop_reason: "tool_use" });
  });

  test("[A7] it gets a failure within a stream as an error, with its type", async () => {
    const error = new GatewayError("upstream_overloaded", "The upstream is busy.");
    const begun = await Array.fromAsync(encodeStream(messages, each(EVENTS), REQUEST));
    const body = [...begun.slice(0, 3), messages.inbound.openEncoder(REQUEST).fail(error)].join("");
    const thrown = await answering(eventStream(body))
      .messages.stream(ASKED)
      .finalMessage()
      .then(
        () => undefined,
        (cause: unknown) => cause,
      );

    expect(thrown).toBeInstanceOf(Anthropic.APIError);
    expect(String(thrown)).toContain("The upstream is busy.");
    expect(thrown).toMatchObject({ error: { error: { type: "overloaded_error" } } });
  });

  test("[A7] it distinguishes the kinds of failure", async () => {
    const error = new GatewayError("unauthenticated", "This key is not known.");
    const body = messages.inbound.buildError(error);
    const thrown = await answering(Response.json(body, { status: error.fault.status }))
      .messages.create(ASKED)
      .then(
        () => undefined,
        (cause: unknown) => cause,
      );

    expect(thrown).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(thrown).toMatchObject({
      status: 401,
      error: { error: { type: "authentication_error" } },
    });
  });

  test("[A6-a] a client that many agents use reads the same, including the signature", async () => {
    const provider = createAnthropic({
      apiKey: "unused",
      baseURL: "http://localhost.invalid/v1",
      fetch: fetching(streamOf(EVENTS)),
    });
    const { content, finishReason, usage } = streamText({
      model: provider("m"),
      prompt: "hi",
      maxOutputTokens: 10,
      maxRetries: 0,
    });

    const parts = await content;
    // Beside what is said it gives back the head of the answer, in its own form.
    const isSource = ({ type }: { readonly type: string }): boolean => type === "source";
    const said = parts.filter((part) => !isSource(part) && part.type !== "custom");
    expect(parts.filter(isSource)).toMatchObject([{ url: "https://a.example" }]);
    expect(said).toMatchObject([
      {
        type: "reasoning",
        text: "why",
        providerMetadata: { anthropic: { signature: expect.any(String) } },
      },
      { type: "text", text: "Grüße 👋" },
      { type: "tool-call", toolCallId: "toolu_a", toolName: "f" },
      { type: "tool-error" },
      { type: "tool-call", toolCallId: "toolu_b", toolName: "g" },
      { type: "tool-error" },
    ]);
    expect(await finishReason).toBe("tool-calls");
    expect((await usage).inputTokens).toBe(5);
  });
});

withShared("corpus", () =>
  test("[A6-a] the vendor's own client reads every recorded response of a chat upstream", async () => {
    const recorded = readChatCorpus().filter((one) => !isFailed(one) && isAnswer(one));
    for (const { file, sse } of recorded) {
      if (sse === undefined) continue;
      const events = await Array.fromAsync(decodeStream(chat, each(eventsOf(sse))));
      const final = await answering(streamOf(events)).messages.stream(ASKED).finalMessage();
      const said = saidIn(events).choices[0];
      const names = final.content.flatMap((block) =>
        block.type === "tool_use" ? [block.name] : [],
      );
      const thought = final.content.map((block) =>
        block.type === "thinking" ? block.thinking : "",
      );

      expect([file, names]).toEqual([file, said?.calls.map(({ name }) => name) ?? []]);
      expect([file, thought.join("")]).toEqual([file, said?.reasoning ?? ""]);
    }
  }),
);

const ASKED = {
  model: "m",
  max_tokens: 10,
  messages: [{ role: "user" as const, content: "hi" }],
};

function answering(response: Response): Anthropic {
  return new Anthropic({
    apiKey: "unused",
    baseURL: "http://localhost.invalid",
    maxRetries: 0,
    fetch: fetching(response),
  });
}

/** Bun's `fetch` has a member more than clients ask for. */
function fetching(response: Response): typeof fetch {
  return Object.assign(() => Promise.resolve(response), { preconnect: () => {} });
}

function streamOf(events: readonly ChatEvent[]): Response {
  const encoder = messages.inbound.openEncoder(REQUEST);
  return eventStream(events.map((event) => encoder.encode(event)).join("") + encoder.end());
}

function eventStream(body: string): Response {
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
