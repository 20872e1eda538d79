import { describe, expect, test } from "bun:test";
import type { InboundStyle } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { chat } from "#styles/text/chat/index.ts";
import { completions } from "#styles/text/completions/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { describeContent } from "./describe-content.ts";

/** The parsed attributes of a call, by the last part of their names. */
async function described(style: InboundStyle, body: JsonObject | string, answer?: string) {
  const asked =
    typeof body === "string" ? { model: "m", messages: [{ role: "user", content: "" }] } : body;
  const facts = style.inbound.readRequest(asked, { model: "m" });
  const textOf = (text: string) => ({ text, sizeBytes: text.length, isTruncated: false });
  const request = textOf(typeof body === "string" ? body : JSON.stringify(body));
  const content = { request, answer: answer === undefined ? null : textOf(answer) };
  const attributes = await describeContent({ style, facts }, content, 10_000);
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name.replace("gen_ai.", ""),
      JSON.parse(String(value)) as unknown,
    ]),
  );
}

const text = (content: string) => ({ type: "text", content });
const events = (...all: readonly object[]): string =>
  all.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");
const HELLO = [{ role: "assistant", parts: [text("Hello")], finish_reason: "stop" }];

describe("the messages of a call are described", () => {
  test("in chat completions, with its tools and media", async () => {
    const image = { type: "image_url", image_url: { url: "https://a.example/b.png" } };
    const inline = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const call = { id: "1", type: "function", function: { name: "f", arguments: `{"a":1}` } };
    const body = {
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Hi" }, image, inline] },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "1", content: "42" },
      ],
      tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
    };
    const answer = {
      id: "a",
      model: "m",
      choices: [
        { index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" },
      ],
    };

    expect(await described(chat, body, JSON.stringify(answer))).toEqual({
      "input.messages": [
        { role: "system", parts: [text("Be brief.")] },
        {
          role: "user",
          parts: [
            text("Hi"),
            { type: "uri", modality: "image", uri: "https://a.example/b.png" },
            { type: "blob", modality: "image", mime_type: "image/png", content: "AAAA" },
          ],
        },
        {
          role: "assistant",
          parts: [{ type: "tool_call", id: "1", name: "f", arguments: { a: 1 } }],
        },
        { role: "tool", parts: [{ type: "tool_call_response", id: "1", response: "42" }] },
      ],
      "tool.definitions": [{ type: "function", name: "f", parameters: { type: "object" } }],
      "output.messages": HELLO,
    });
  });

  test("in a stream of messages, with reasoning, a call and the system prompt apart", async () => {
    const body = {
      model: "m",
      max_tokens: 9,
      system: "Be brief.",
      messages: [{ role: "user", content: "Hi" }],
    };
    const start = {
      type: "message_start",
      message: { id: "a", model: "m", role: "assistant", content: [], usage: { input_tokens: 1 } },
    };
    const block = (index: number, content_block: object, delta: object) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ];
    const answer = events(
      start,
      ...block(0, { type: "thinking", thinking: "" }, { type: "thinking_delta", thinking: "Hm" }),
      ...block(1, { type: "text", text: "" }, { type: "text_delta", text: "Hello" }),
      ...block(
        2,
        { type: "tool_use", id: "1", name: "f", input: {} },
        { type: "input_json_delta", partial_json: `{"a":1}` },
      ),
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 3 } },
      { type: "message_stop" },
    );

    expect(await described(messages, body, answer)).toEqual({
      system_instructions: [text("Be brief.")],
      "input.messages": [{ role: "user", parts: [text("Hi")] }],
      "output.messages": [
        {
          role: "assistant",
          parts: [
            { type: "reasoning", content: "Hm" },
            text("Hello"),
            { type: "tool_call", id: "1", name: "f", arguments: { a: 1 } },
          ],
          finish_reason: "tool_calls",
        },
      ],
    });
  });

  test("in a complete answer of messages, which may look like an event", async () => {
    const body = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
    const content = [{ type: "text", text: "Hello" }];
    const answer = { id: "a", type: "message", role: "assistant", model: "m", content };
    const whole = { ...answer, stop_reason: "end_turn", usage: { input_tokens: 1 } };

    expect(await described(messages, body, JSON.stringify(whole))).toMatchObject({
      "output.messages": HELLO,
    });
  });

  test("in responses, whose instructions are apart only if they are given so", async () => {
    const input = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ];
    const inline = await described(responses, { model: "m", input });
    const apart = await described(responses, {
      model: "m",
      input: "Hi",
      instructions: "Be brief.",
    });

    expect(inline).toMatchObject({ "input.messages": [{ role: "system" }, { role: "user" }] });
    expect(apart).toEqual({
      system_instructions: [text("Be brief.")],
      "input.messages": [{ role: "user", parts: [text("Hi")] }],
    });
  });

  test("in a list of Gemini's chunks, and in text completions", async () => {
    const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
    const chunk = (part: string, more = {}) => ({
      responseId: "a",
      candidates: [{ index: 0, content: { role: "model", parts: [{ text: part }] }, ...more }],
    });
    const list = JSON.stringify([chunk("Hel"), chunk("lo", { finishReason: "STOP" })]);
    const choices = (part: string) => ({ id: "a", choices: [{ index: 0, text: part }] });

    expect(await described(gemini, { contents }, list)).toEqual({
      "input.messages": [{ role: "user", parts: [text("Hi")] }],
      "output.messages": HELLO,
    });
    for (const answer of [
      JSON.stringify(choices("Hello")),
      events(choices("Hel"), choices("lo")),
    ]) {
      expect(await described(completions, { model: "m", prompt: "Hi" }, answer)).toEqual({
        "input.messages": [{ role: "user", parts: [text("Hi")] }],
        "output.messages": [{ role: "assistant", parts: [text("Hello")] }],
      });
    }
  });

  test("as far as they can be read", async () => {
    const body = { model: "m", messages: [{ role: "user", content: "Hi" }] };
    const input = { "input.messages": [{ role: "user", parts: [text("Hi")] }] };
    const failed = events(
      { id: "a", choices: [{ index: 0, delta: { content: "Hel" } }] },
      { error: { message: "It failed." } },
    );

    expect(await described(chat, body, `{"error":{"message":"It failed."}}`)).toEqual(input);
    expect(await described(chat, body, "<html>")).toEqual(input);
    expect(await described(chat, `{"model":"m","mess`)).toEqual({});
    expect(await described(chat, body, failed)).toEqual({
      ...input,
      "output.messages": [{ role: "assistant", parts: [text("Hel")] }],
    });
  });
});
