import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { NO_USAGE } from "#core/usage.ts";
import { responses } from "#styles/text/responses/index.ts";
import { encodeStream } from "./streams.ts";

/** The official client reads what the style writes; nothing is sent anywhere. */
const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  sampling: {},
  reasoning: { visible: true },
};

const EVENTS: readonly ChatEvent[] = [
  { type: "start", id: "c1", model: "m", createdAt: 7_000 },
  { type: "open", choice: 0, block: { type: "reasoning" } },
  { type: "delta", choice: 0, text: "why" },
  { type: "close", choice: 0 },
  { type: "open", choice: 0, block: { type: "text" } },
  { type: "delta", choice: 0, text: "Grüße " },
  { type: "delta", choice: 0, text: "👋" },
  { type: "cite", choice: 0, citation: { url: "https://x.test", start: 0, end: 5 } },
  { type: "close", choice: 0 },
  { type: "open", choice: 0, block: { type: "refusal" } },
  { type: "delta", choice: 0, text: "No." },
  { type: "close", choice: 0 },
  { type: "open", choice: 0, block: { type: "tool_call", id: "a", name: "f", kind: "function" } },
  { type: "delta", choice: 0, text: '{"x":' },
  { type: "delta", choice: 0, text: "1}" },
  { type: "close", choice: 0 },
  { type: "open", choice: 0, block: { type: "tool_call", id: "b", name: "p", kind: "custom" } },
  { type: "delta", choice: 0, text: "raw" },
  { type: "close", choice: 0 },
  { type: "open", choice: 0, block: { type: "image", mediaType: "image/png" } },
  { type: "delta", choice: 0, text: "AAAA" },
  { type: "close", choice: 0 },
  { type: "finish", choice: 0, reason: "tool_calls" },
  { type: "usage", usage: { ...NO_USAGE, inputTokens: 3, outputTokens: 2 } },
];

const FINAL = {
  id: "resp_c1",
  status: "completed",
  created_at: 7,
  output_text: "Grüße 👋",
  output: [
    { type: "reasoning", summary: [{ type: "summary_text", text: "why" }] },
    {
      type: "message",
      content: [
        { type: "output_text", text: "Grüße 👋", annotations: [{ url: "https://x.test" }] },
        { type: "refusal", refusal: "No." },
      ],
    },
    { type: "function_call", call_id: "a", name: "f", arguments: '{"x":1}' },
    { type: "custom_tool_call", call_id: "b", name: "p", input: "raw" },
    { type: "image_generation_call", result: "AAAA" },
  ],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
} as const;

describe("the official client reads responses of the style", () => {
  test("[A6-b] [A4.4-f] it assembles from a stream the same response as in the last event", async () => {
    const text = await streamOf(EVENTS);
    const cut = text.lastIndexOf("event: ");
    const whole = answering(eventStream(text)).responses.stream({ model: "m", input: "hi" });
    const built = answering(eventStream(text.slice(0, cut))).responses.stream({
      model: "m",
      input: "hi",
    });

    expect(await whole.finalResponse()).toMatchObject(FINAL);
    const { status: _, usage: _usage, ...pieced } = FINAL;
    expect(await built.finalResponse()).toMatchObject(pieced);
  });

  test("[A2.4] it reads a complete response", async () => {
    const built = responses.inbound.buildResponse(EVENTS, REQUEST);
    const response = await answering(Response.json(built)).responses.create({
      model: "m",
      input: "hi",
    });

    expect(response).toMatchObject(FINAL);
  });

  test("[A3.2] it reads a truncated response as incomplete", async () => {
    const events = EVENTS.map((event) =>
      event.type === "finish" ? { ...event, reason: "length" as const } : event,
    );
    const stream = answering(eventStream(await streamOf(events))).responses.stream({
      model: "m",
      input: "hi",
    });

    expect(await stream.finalResponse()).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
  });

  test("[A7] it gets a failure within a stream as a failed response", async () => {
    const encoder = responses.inbound.openEncoder(REQUEST);
    const begun = EVENTS.slice(0, 6).map((event) => encoder.encode(event));
    const failed = encoder.fail(
      new GatewayError("upstream_timeout", "The upstream took too long."),
    );
    const stream = answering(eventStream(begun.join("") + failed)).responses.stream({
      model: "m",
      input: "hi",
    });

    expect(await stream.finalResponse()).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: "The upstream took too long." },
    });
  });

  test("[A7] it distinguishes the kinds of failure", async () => {
    const error = new GatewayError("unauthenticated", "This key is not known.");
    const body = responses.inbound.buildError(error);
    const call = answering(Response.json(body, { status: error.fault.status })).responses.create({
      model: "m",
      input: "hi",
    });

    const seen = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(seen).toBeInstanceOf(OpenAI.AuthenticationError);
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

async function streamOf(events: readonly ChatEvent[]): Promise<string> {
  return (await Array.fromAsync(encodeStream(responses, each(events), REQUEST))).join("");
}

function eventStream(body: string): Response {
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
