import type { JsonObject } from "#lib/json.ts";
import { json, openVendor, stream, type Respond, type Seen } from "#test/adapter/vendor.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

/** A question and what became of it. */
interface ReceivedAnswer {
  readonly status: number;
  /** `sluice-lossy`, name by name. */
  readonly lost: readonly string[];
  /** The request that the vendor got. */
  readonly sent: Seen;
  /** The answer's text. */
  readonly text: string;
}

export interface Losses extends AsyncDisposable {
  readonly gateway: TestGateway;
  /** `body` may be text, for numbers that no double holds. */
  ask(path: string, body: object | string): Promise<ReceivedAnswer>;
  /** The status that a strict caller gets, and whether the vendor was asked. */
  askStrictly(path: string, body: object): Promise<{ status: number; isAsked: boolean }>;
  /** What the vendor answers from now on; the usual answers if undefined. */
  play(respond?: Respond): void;
}

/** One model for each wire format, and some of vendors with a dialect of their own. */
const CHANNELS = `channels:
  - { name: chat, provider: openai, style: chat, base_url: URL/chat, api_key: k, models: [gpt-4o-mini, dall-e-2] }
  - { name: responses, provider: openai, style: responses, base_url: URL/responses-vendor, api_key: k, models: [gpt-4o, gpt-5] }
  - { name: messages, provider: anthropic, base_url: URL/anthropic, api_key: k, models: [claude-sonnet-4-5, claude-opus-4-6] }
  - { name: gemini, provider: gemini, base_url: URL/gemini, api_key: k, models: [gemini-2.5-flash, gemini-3-pro-preview] }
  - { name: groq, provider: groq, base_url: URL/groq, api_key: k, models: [llama-3.3-70b-versatile] }
  - { name: mistral, provider: mistral, base_url: URL/mistral, api_key: k, models: [mistral-large-latest] }
  - { name: deepseek, provider: deepseek, base_url: URL/deepseek, api_key: k, models: [deepseek-v4-pro] }
  - { name: dashscope, provider: dashscope, base_url: URL/dashscope, api_key: k, models: [qwen-plus] }
  - { name: cohere, provider: ai-sdk, base_url: URL/cohere, api_key: k, options: { package: "@ai-sdk/cohere" }, models: [command-a] }`;

/** A gateway in front of one vendor that speaks every format, says little and keeps what it was asked. */
export async function openLosses(): Promise<Losses> {
  let respond: Respond = usualAnswer;
  const vendor = openVendor((seen) => respond(seen));
  const gateway = await openTestGateway({ yaml: CHANNELS.replaceAll("URL", vendor.url) });
  return {
    gateway,
    async ask(path, body) {
      gateway.gateway.health.forgetAll();
      const before = vendor.seen.length;
      const answer = await gateway.post(path, body);
      const text = await answer.text();
      if (vendor.seen.length !== before + 1) throw new Error(`The vendor was not asked: ${text}`);
      const lost = answer.headers.get("sluice-lossy")?.split(/,\s*/) ?? [];
      return { status: answer.status, lost, sent: vendor.last, text };
    },
    async askStrictly(path, body) {
      const before = vendor.seen.length;
      const answer = await gateway.post(path, body, { "sluice-strict": "true" });
      await answer.text();
      return { status: answer.status, isAsked: vendor.seen.length > before };
    },
    play(next = usualAnswer) {
      respond = next;
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}

const USAGE = { input_tokens: 3, output_tokens: 2 };

function usualAnswer({ path, body }: Seen): Response {
  if (path.includes("/cohere")) return body["stream"] === true ? stream(COHERE) : json({});
  if (path.includes("/images/")) return json({ created: 1, data: [{ b64_json: "iVBORw0KGgo=" }] });
  if (path.endsWith("/responses")) {
    const content = [{ type: "output_text", text: "Hi.", annotations: [] }];
    const message = {
      type: "message",
      id: "msg_1",
      status: "completed",
      role: "assistant",
      content,
    };
    return json({
      id: "resp_1",
      object: "response",
      status: "completed",
      model: "m",
      output: [message],
      usage: USAGE,
    });
  }
  if (path.endsWith("/messages")) {
    return json({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: "Hi." }],
      stop_reason: "end_turn",
      usage: USAGE,
    });
  }
  if (path.includes(":generateContent")) {
    return json({
      candidates: [
        { content: { role: "model", parts: [{ text: "Hi." }] }, finishReason: "STOP", index: 0 },
      ],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    });
  }
  return json({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Hi." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });
}

const COHERE = [
  { type: "message-start", id: "m1", delta: { message: { role: "assistant", content: [] } } },
  { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
  { type: "content-delta", index: 0, delta: { message: { content: { text: "Hi." } } } },
  { type: "content-end", index: 0 },
  { type: "message-end", delta: { finish_reason: "COMPLETE", usage: { tokens: USAGE } } },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

/** The path and the body of a question to a model in each style. */
export const CALLERS = {
  chat: (model, body) => ["/v1/chat/completions", { model, ...body }],
  responses: (model, body) => ["/v1/responses", { model, ...body }],
  messages: (model, body) => ["/v1/messages", { model, max_tokens: 4096, ...body }],
  gemini: (model, { stream, ...body }) => {
    const way = stream === true ? "streamGenerateContent?alt=sse" : "generateContent";
    return [`/v1beta/models/${model}:${way}`, body];
  },
} as const satisfies Readonly<
  Record<string, (model: string, body: JsonObject) => readonly [string, JsonObject]>
>;
