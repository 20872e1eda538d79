import { describe, expect, test } from "bun:test";
import type { Block, ChatEvent, ChatRequest } from "#core/chat.ts";
import { describeChoices, describeMessages } from "./describe-messages.ts";

function requestOf(...blocks: readonly Block[]): ChatRequest {
  return { model: "m", stream: false, sampling: {}, messages: [{ role: "user", blocks }] };
}

function partsOf(...blocks: readonly Block[]): unknown {
  return describeMessages(requestOf(...blocks), true).input[0]?.["parts"];
}

const TEXT = { type: "text", text: "Hi" } as const;

describe("a block of a conversation is described", () => {
  test("as text, reasoning, or data of one format", () => {
    expect(
      partsOf(
        TEXT,
        { type: "refusal", text: "No." },
        { type: "reasoning", text: "Hm." },
        { type: "other", style: "messages", data: { type: "server_tool_use" } },
      ),
    ).toEqual([
      { type: "text", content: "Hi" },
      { type: "text", content: "No." },
      { type: "reasoning", content: "Hm." },
      { type: "other", content: { type: "server_tool_use" } },
    ]);
  });

  test("as a call of a tool or its result, with arguments as JSON if they are", () => {
    const call = { type: "tool_call", id: "1", name: "f", kind: "function" } as const;
    const result = { type: "tool_result", callId: "1" } as const;

    expect(
      partsOf(
        { ...call, arguments: `{"a":[1]}` },
        { ...call, arguments: "free text" },
        { ...result, blocks: [TEXT] },
        { ...result, blocks: [TEXT, TEXT] },
      ),
    ).toEqual([
      { type: "tool_call", id: "1", name: "f", arguments: { a: [1] } },
      { type: "tool_call", id: "1", name: "f", arguments: "free text" },
      { type: "tool_call_response", id: "1", response: "Hi" },
      {
        type: "tool_call_response",
        id: "1",
        response: [
          { type: "text", content: "Hi" },
          { type: "text", content: "Hi" },
        ],
      },
    ]);
  });

  test("as a link, content or file of its modality", () => {
    expect(
      partsOf(
        { type: "image", source: { kind: "url", url: "https://a.example/b.png" } },
        { type: "audio", mediaType: "wav", source: { kind: "data", base64: "AAAA" } },
        { type: "file", source: { kind: "reference", id: "file-1" } },
      ),
    ).toEqual([
      { type: "uri", modality: "image", uri: "https://a.example/b.png" },
      { type: "blob", modality: "audio", mime_type: "wav", content: "AAAA" },
      { type: "file", modality: "document", file_id: "file-1" },
    ]);
  });
});

test("instructions are apart only if the format has them so, and the request has some", () => {
  const system = { role: "system", blocks: [TEXT] } as const;
  const user = { role: "user", name: "ada", blocks: [TEXT] } as const;
  const request = { ...requestOf(), messages: [system, user] };
  const parts = [{ type: "text", content: "Hi" }];

  expect(describeMessages(request, true)).toEqual({
    instructions: parts,
    input: [{ role: "user", name: "ada", parts }],
    tools: [],
  });
  expect(describeMessages(request, false)).toMatchObject({ instructions: [], input: [{}, {}] });
  expect(describeMessages({ ...request, messages: [user] }, true).input).toHaveLength(1);
});

test("a tool has its kind, name, description and schema", () => {
  const tool = { kind: "custom", name: "f", description: "d", strict: true } as const;
  const tools = [tool, { kind: "function", name: "g", parameters: { type: "object" } } as const];

  expect(describeMessages({ ...requestOf(), tools }, false).tools).toEqual([
    { type: "custom", name: "f", description: "d" },
    { type: "function", name: "g", parameters: { type: "object" } },
  ]);
});

test("each choice of an answer is a message with its parts and its reason", () => {
  const events: readonly ChatEvent[] = [
    { type: "start", id: "a", model: "m", createdAt: 0 },
    { type: "open", choice: 0, block: { type: "reasoning" } },
    { type: "delta", choice: 0, text: "Hm." },
    { type: "open", choice: 1, block: { type: "text" } },
    { type: "delta", choice: 1, text: "B" },
    { type: "open", choice: 0, block: { type: "image", mediaType: "image/png" } },
    { type: "delta", choice: 0, text: "AA" },
    { type: "delta", choice: 0, text: "AA" },
    { type: "open", choice: 0, block: { type: "audio" } },
    { type: "open", choice: 0, block: { type: "other", style: "chat", data: { a: 1 } } },
    { type: "open", choice: 0, block: { type: "tool_call", id: "1", name: "f", kind: "custom" } },
    { type: "delta", choice: 0, text: "free text" },
    { type: "finish", choice: 0, reason: "length" },
  ];

  expect(describeChoices(events)).toEqual([
    {
      role: "assistant",
      parts: [
        { type: "reasoning", content: "Hm." },
        { type: "blob", modality: "image", mime_type: "image/png", content: "AAAA" },
        { type: "blob", modality: "audio", content: "" },
        { type: "other", content: { a: 1 } },
        { type: "tool_call", id: "1", name: "f", arguments: "free text" },
      ],
      finish_reason: "length",
    },
    { role: "assistant", parts: [{ type: "text", content: "B" }] },
  ]);
});
