import { describe, expect, test } from "bun:test";
import { writeSignature } from "#core/signature.ts";
import type { JsonObject } from "#lib/json.ts";
import { buildCitation } from "../conversation/citation.ts";
import { readRequest } from "../request/facts.ts";
import { amend, readAnswer } from "./passthrough.ts";

/** As an answer of another style's vendor has it, and as one of this style's. */
const LENT = buildCitation({ url: "https://a.example" });
const OWN = { ...LENT, encrypted_index: "EmFueXRoaW5n" };
const USER = { role: "user", content: "hi" };

function edits(fields: JsonObject, upstreamModel = "m"): unknown {
  const body = { model: "m", max_tokens: 9, messages: [USER], ...fields };
  return amend(body, readRequest(body), upstreamModel);
}

/** A conversation with one answer, between two messages of the user. */
function between(...content: JsonObject[]): JsonObject["messages"] {
  return [USER, { role: "assistant", content }, USER];
}

describe("a passthrough request is changed only if a vendor would refuse it", () => {
  const foreign = writeSignature({ issuer: "gemini", value: "x" }, "messages");
  const enabled = { type: "enabled", budget_tokens: 2_000 };
  const call = {
    type: "tool_use",
    id: "a",
    name: "f",
    input: { cache_control: { type: "persistent" } },
  };

  test.each<[string, JsonObject, JsonObject]>([
    ["nothing", { stream: true, thinking: enabled, top_p: 0.99 }, {}],
    ["a mark of five minutes", { cache_control: { type: "ephemeral" } }, {}],
    [
      "[A4.5-b] a persistent mark, in every position",
      {
        system: [{ type: "text", text: "s", cache_control: { type: "persistent" } }],
        tools: [{ name: "f", input_schema: {}, cache_control: { type: "persistent" } }],
        cache_control: { type: "persistent" },
      },
      {
        system: [{ type: "text", text: "s", cache_control: { type: "ephemeral", ttl: "1h" } }],
        tools: [{ name: "f", input_schema: {}, cache_control: { type: "ephemeral", ttl: "1h" } }],
        cache_control: { type: "ephemeral", ttl: "1h" },
      },
    ],
    [
      "a persistent mark on a block, but not in a tool's arguments",
      {
        messages: [
          USER,
          { role: "assistant", content: [call] },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "a", cache_control: { type: "persistent" } },
            ],
          },
        ],
      },
      {
        messages: [
          USER,
          { role: "assistant", content: [call] },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "a",
                cache_control: { type: "ephemeral", ttl: "1h" },
              },
            ],
          },
        ],
      },
    ],
    ["a top_p of nought beside thinking", { thinking: enabled, top_p: 0 }, { top_p: undefined }],
    ["a top_p of nought without it", { top_p: 0 }, {}],
    [
      "thinking that another vendor signed, or that is unsigned",
      {
        thinking: enabled,
        messages: between(
          { type: "thinking", thinking: "w", signature: foreign },
          { type: "thinking", thinking: "w", signature: "" },
          { type: "thinking", thinking: "w", signature: "Z2VudWluZQ==" },
          { type: "text", text: "so" },
        ),
      },
      {
        messages: between(
          { type: "thinking", thinking: "w", signature: "Z2VudWluZQ==" },
          { type: "text", text: "so" },
        ),
      },
    ],
    [
      "thinking that can no longer go on, and a turn that is empty without it",
      {
        thinking: enabled,
        messages: [
          USER,
          { role: "assistant", content: [{ type: "thinking", thinking: "w", signature: foreign }] },
          USER,
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "w", signature: foreign },
              { type: "tool_use", id: "a", name: "f", input: {} },
            ],
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
        ],
      },
      {
        thinking: { type: "disabled" },
        messages: [
          USER,
          USER,
          { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
        ],
      },
    ],
    [
      "thinking that is requested although calls lack it, as those of another style's vendor",
      { thinking: enabled, messages: [USER, { role: "assistant", content: [call] }, USER] },
      { thinking: { type: "disabled" } },
    ],
    [
      "but not if the client's own content is invalid",
      { thinking: enabled, messages: [USER, { role: "assistant", content: "so" }] },
      {},
    ],
    ["a top_k of -1", { top_k: -1 }, { top_k: undefined }],
    [
      "sources that another style's vendor named",
      {
        messages: between(
          { type: "text", text: "a", citations: [LENT] },
          { type: "text", text: "b", citations: [LENT, OWN] },
          { type: "text", text: "c", citations: null },
        ),
      },
      {
        messages: between(
          { type: "text", text: "a" },
          { type: "text", text: "b", citations: [OWN] },
          { type: "text", text: "c", citations: null },
        ),
      },
    ],
    [
      "empty texts that another style's vendor named sources for",
      {
        messages: [
          USER,
          {
            role: "assistant",
            content: [
              { type: "tool_use", id: "a", name: "f", input: {} },
              { type: "text", text: "", citations: [LENT] },
            ],
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
          { role: "assistant", content: [{ type: "text", text: "", citations: [LENT] }] },
          USER,
        ],
      },
      {
        messages: [
          USER,
          { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
          USER,
        ],
      },
    ],
    [
      "thinking that is requested although an answer was empty, and earlier calls lack it",
      {
        thinking: enabled,
        messages: [
          USER,
          { role: "assistant", content: [call] },
          USER,
          { role: "assistant", content: [] },
          USER,
        ],
      },
      {
        thinking: { type: "disabled" },
        messages: [USER, { role: "assistant", content: [call] }, USER, USER],
      },
    ],
    [
      "but nothing between thinking of the vendor's own, which must come back as it was",
      {
        messages: [
          USER,
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "w", signature: "Z2VudWluZQ==" },
              { type: "text", text: "" },
              { type: "tool_use", id: "a", name: "f", input: {} },
            ],
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
        ],
      },
      {},
    ],
  ])("%s", (_what, fields, expected) => {
    expect(edits(fields)).toStrictEqual(expected);
  });

  test("the model has the upstream's name", () => {
    expect(edits({}, "other")).toEqual({ model: "other" });
  });
});

describe("usage, text and failure are read from a complete response", () => {
  test("that succeeded", () => {
    const facts = readAnswer({
      type: "message",
      content: [
        { type: "thinking", thinking: "why", signature: "s" },
        { type: "text", text: "hi" },
        { type: "tool_use", id: "a", name: "f", input: { a: 1 } },
        { type: "web_search_tool_result", content: [{ title: "x" }] },
      ],
      usage: { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 2 },
    });

    expect(facts.usage).toMatchObject({ inputTokens: 7, cachedInputTokens: 4, outputTokens: 2 });
    expect(facts.outputText()).toBe('whyhif{"a":1}');
    expect(facts.error).toBeUndefined();
  });

  test.each<[string, JsonObject, string]>([
    [
      "an error with a success status",
      { type: "error", error: { type: "overloaded_error", message: "m" } },
      "upstream_overloaded",
    ],
    [
      "an answer without content",
      { type: "message", usage: { input_tokens: 3, output_tokens: 1 } },
      "upstream_failed",
    ],
    ["something else", { pages: [] }, "upstream_failed"],
    ["nothing", {}, "upstream_failed"],
  ])("%s is a failure", (_what, body, code) => {
    expect<string | undefined>(readAnswer(body).error?.code).toBe(code);
  });
});
