import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { readRequest } from "../request/facts.ts";
import { amend, readAnswer } from "./passthrough.ts";

describe("a passthrough request is changed only for metering", () => {
  const body = { model: "m", messages: [{ role: "user", content: "hi" }] };

  test.each<[string, JsonObject, JsonObject]>([
    [
      "a stream without options requests usage",
      { stream: true },
      { stream_options: { include_usage: true } },
    ],
    [
      "a stream that refused it asks all the same",
      { stream: true, stream_options: { include_usage: false } },
      { stream_options: { include_usage: true } },
    ],
    [
      "its other options stay",
      { stream: true, stream_options: { include_obfuscation: false } },
      { stream_options: { include_obfuscation: false, include_usage: true } },
    ],
    [
      "a stream that asks already stays as it is",
      { stream: true, stream_options: { include_usage: true } },
      {},
    ],
    ["a complete response needs no change", { stream_options: { include_usage: false } }, {}],
    [
      "[A4.3-11] options for the gateway are not sent",
      { svc_thinking_to_content: true, thinking_to_content: false },
      { svc_thinking_to_content: undefined, thinking_to_content: undefined },
    ],
  ])("%s", (_what, fields, expected) => {
    const asked = { ...body, ...fields };

    expect<unknown>(amend(asked, readRequest(asked), readRequest(asked).model)).toStrictEqual(
      expected,
    );
  });
});

describe("usage, text and failure are read from a complete response", () => {
  const message = {
    role: "assistant",
    content: "hi",
    reasoning_content: "why",
    tool_calls: [{ function: { name: "f", arguments: "{}" } }],
  };

  test("that succeeded", () => {
    const facts = readAnswer({
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    });

    expect(facts.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
    expect(facts.outputText()).toBe("whyhif{}");
    expect(facts.error).toBeUndefined();
  });

  test.each<[string, JsonObject]>([
    ["an error with a success status", { error: { message: "m" } }],
    ["an answer without a choice", { choices: [], usage: { prompt_tokens: 3 } }],
    ["something else", { pages: [] }],
    ["nothing", {}],
  ])("%s is a failure", (_what, body) => {
    expect(readAnswer(body).error?.code).toBe("upstream_failed");
  });
});
