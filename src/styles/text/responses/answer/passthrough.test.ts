import { describe, expect, test } from "bun:test";
import type { ModelTraits } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import { readRequest } from "../request/facts.ts";
import { amend, readAnswer } from "./passthrough.ts";

const ENCRYPTED = "reasoning.encrypted_content";

function edits(fields: JsonObject, model?: ModelTraits): unknown {
  const body = { model: "m", input: "hi", store: false, ...fields };
  return amend(body, readRequest(body), "m", model);
}

describe("a passthrough request is changed only if necessary", () => {
  const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
  const foreign = Buffer.from("sluice:messages:sig").toString("base64");

  test.each<[string, JsonObject, JsonObject]>([
    ["nothing needs to be", { temperature: 1, x: 1 }, {}],
    ["the gateway keeps responses, not the vendor", { store: true }, { store: false }],
    ["unless it is told otherwise, the vendor would", { store: null }, { store: false }],
    [
      "[A4.4-d] a reference that the gateway resolved is not sent",
      { previous_response_id: "resp_1" },
      { previous_response_id: undefined },
    ],
    [
      "reasoning is asked for in a form that can be sent back",
      { reasoning: { effort: "low" }, include: ["a"] },
      { include: ["a", ENCRYPTED] },
    ],
    ["an existing include option is not repeated", { include: [ENCRYPTED] }, {}],
    [
      "[A4.4-e] no summary is asked for by not asking",
      { reasoning: { effort: "low", summary: "none" } },
      { reasoning: { effort: "low" }, include: [ENCRYPTED] },
    ],
    [
      "[A4.4-b] [A4.4-c] nested tools and choices become flat",
      {
        tools: [{ type: "function", function: { name: "f", strict: true } }, { type: "x" }],
        tool_choice: { type: "function", function: { name: "f" } },
      },
      {
        tools: [{ type: "function", name: "f", strict: true }, { type: "x" }],
        tool_choice: { type: "function", name: "f" },
      },
    ],
    [
      "[A4.4-a] parts among the items become a message",
      { input: [{ type: "input_text", text: "a" }] },
      { input: [{ role: "user", content: [{ type: "input_text", text: "a" }] }] },
    ],
    [
      "reasoning that the vendor cannot read or find is left out",
      {
        include: [ENCRYPTED],
        input: [
          reasoning,
          { ...reasoning, encrypted_content: foreign },
          { ...reasoning, encrypted_content: "gAAA" },
          { ...reasoning, content: [{ type: "reasoning_text", text: "w" }] },
          { role: "assistant", content: "hi" },
        ],
      },
      {
        input: [
          { ...reasoning, encrypted_content: "gAAA" },
          { ...reasoning, content: [{ type: "reasoning_text", text: "w" }] },
          { role: "assistant", content: "hi" },
        ],
      },
    ],
    [
      "reasoning that was cut off before it led to anything is left out",
      {
        include: [ENCRYPTED],
        input: [
          { ...reasoning, encrypted_content: "gAAA" },
          { ...reasoning, encrypted_content: "gBBB" },
          { role: "user", content: "go on" },
          { ...reasoning, encrypted_content: "gCCC" },
          { ...reasoning, encrypted_content: "gDDD" },
          { role: "assistant", content: "so" },
          { ...reasoning, encrypted_content: "gEEE" },
        ],
      },
      {
        input: [
          { role: "user", content: "go on" },
          { ...reasoning, encrypted_content: "gCCC" },
          { ...reasoning, encrypted_content: "gDDD" },
          { role: "assistant", content: "so" },
        ],
      },
    ],
  ])("%s", (_what, fields, expected) => {
    expect<unknown>(edits(fields)).toStrictEqual(expected);
  });

  test("a reasoning model is always asked for signatures, other models never", () => {
    const asked = { reasoning: { effort: "low" } };

    expect(edits({}, { kind: "chat", reasoningControls: {} })).toEqual({ include: [ENCRYPTED] });
    expect(edits(asked, { kind: "chat" })).toEqual({});
    expect(edits({})).toEqual({});
  });

  test("the upstream's model name replaces the client's", () => {
    const body = { model: "m", input: "hi", store: false };

    expect(amend(body, readRequest(body), "other")).toEqual({ model: "other" });
  });
});

describe("usage, text and failure are read from a complete response", () => {
  test("that succeeded", () => {
    const facts = readAnswer({
      status: "completed",
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "why" }] },
        { type: "message", content: [{ type: "output_text", text: "hi" }] },
        { type: "function_call", name: "f", arguments: "{}" },
      ],
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    });

    expect(facts.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
    expect(facts.outputText()).toBe("whyhif{}");
    expect(facts.error).toBeUndefined();
  });

  test.each<[string, JsonObject]>([
    ["an error with a success status", { error: { message: "m" } }],
    ["a response that failed", { status: "failed", output: [] }],
    ["another style's answer", { choices: [{}] }],
    ["nothing", {}],
  ])("%s is a failure", (_what, body) => {
    expect(readAnswer(body).error?.code).toBe("upstream_failed");
  });
});
