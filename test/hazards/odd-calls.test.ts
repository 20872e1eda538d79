import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { openScriptedVendor, type ScriptedVendor } from "#test/scripted-vendor.ts";

/** Upstreams whose calls break the grammar of their own style, which is their callers' style as well. */
let vendor: ScriptedVendor;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = await openScriptedVendor();
  const channel = (model: string, provider: string, style?: string): string =>
    [
      `  - name: ${model}`,
      `    provider: ${provider}`,
      `    base_url: ${vendor.url}`,
      "    api_key: upstream-secret-of-the-operator",
      `    models: [${model}]`,
      ...(style === undefined ? [] : [`    style: ${style}`]),
    ].join("\n");
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      channel("c", "openai-compatible"),
      channel("r", "openai", "responses"),
      channel("m", "anthropic"),
      "",
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

const MESSAGES = [{ role: "user", content: "hi" }];
const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

async function ask(path: string, body: object): Promise<string> {
  const answer = await gateway.post(path, body);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.any(String)]);
  return text;
}

describe("tool calls that violate the grammar of their style are repaired", () => {
  test("in a complete chat completion, with everything else unchanged", async () => {
    const called = '{"type":"function","function":{"name":"f","arguments":{"a":1}}}';
    const rest = `"id": "x","big":12345678901234567890, "usage":${JSON.stringify(USAGE)}`;
    const choice = `{"index":0,"message":{"role":"assistant","tool_calls":[${called}]},"finish_reason":"stop"}`;
    vendor.play([`{${rest},"choices":[${choice}]}`], "application/json");
    const text = await ask("/v1/chat/completions", { model: "c", messages: MESSAGES });

    expect(text.startsWith(`{${rest},`)).toBe(true);
    expect(JSON.parse(text)).toMatchObject({
      choices: [
        {
          message: {
            tool_calls: [
              { id: expect.stringMatching(/^call_/), function: { arguments: '{"a":1}' } },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
    });
  });

  test("in a chat completion's stream", async () => {
    const chunk = (delta: object, reason: string | null = null): string =>
      `data: ${JSON.stringify({ id: "x", model: "c", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
    vendor.play([
      chunk({
        role: "assistant",
        tool_calls: [{ index: 0, function: { name: "f", arguments: {} } }],
      }),
      chunk({}, "stop"),
      `data: ${JSON.stringify({ id: "x", choices: [], usage: USAGE })}\n\n`,
      "data: [DONE]\n\n",
    ]);
    const text = await ask("/v1/chat/completions", {
      model: "c",
      messages: MESSAGES,
      stream: true,
    });

    expect(text).toMatch(/"id":"call_[A-Za-z0-9]{24}"/);
    expect(text).toContain('"arguments":"{}"');
    expect(text).toContain('"finish_reason":"tool_calls"');
    expect(text).not.toContain('"finish_reason":"stop"');
  });

  test("in a complete message", async () => {
    vendor.play(
      [
        JSON.stringify({
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "m",
          content: [{ type: "tool_use", name: "f", input: '{"a":1}' }],
          stop_reason: "end_turn",
          stop_sequence: null,
          usage: { input_tokens: 3, output_tokens: 2 },
        }),
      ],
      "application/json",
    );
    const text = await ask("/v1/messages", { model: "m", max_tokens: 9, messages: MESSAGES });

    expect(JSON.parse(text)).toMatchObject({
      content: [{ type: "tool_use", id: expect.stringMatching(/^toolu_/), input: { a: 1 } }],
      stop_reason: "tool_use",
    });
  });

  test("in a complete response", async () => {
    vendor.play(
      [
        JSON.stringify({
          id: "resp_1",
          object: "response",
          status: "completed",
          model: "r",
          output: [{ type: "function_call", id: "fc_1", name: "f", arguments: { a: 1 } }],
          usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
        }),
      ],
      "application/json",
    );
    const text = await ask("/v1/responses", { model: "r", input: "hi" });

    expect(JSON.parse(text)).toMatchObject({
      output: [{ type: "function_call", call_id: "fc_1", arguments: '{"a":1}' }],
    });
  });
});
