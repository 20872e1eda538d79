import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

/** A vendor of two styles that answers with a call if it is given tools, and with words if not. */
function openVendor() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as JsonObject;
      sent.push(body);
      const isMessages = request.url.includes("messages");
      const [tool] = (body["tools"] ?? []) as readonly JsonObject[];
      const named = ((tool?.["function"] as JsonObject | undefined) ?? tool)?.["name"];
      const answer = isMessages ? messagesAnswer(named) : chatAnswer(named);
      if (body["stream"] !== true) return Response.json(answer.whole);
      const events = answer.events.map((each) => {
        const { type } = each;
        return `${typeof type === "string" ? `event: ${type}\n` : ""}data: ${JSON.stringify(each)}\n\n`;
      });
      const end = isMessages ? "" : "data: [DONE]\n\n";
      return new Response(events.join("") + end, {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });
}

const sent: JsonObject[] = [];
let said = "{}";

function chatAnswer(name: unknown) {
  const called = { index: 0, id: "c1", type: "function", function: { name, arguments: said } };
  const message = {
    role: "assistant",
    ...(name === undefined ? { content: said } : { content: null, tool_calls: [called] }),
  };
  const finish_reason = name === undefined ? "stop" : "tool_calls";
  const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };
  const head = { id: "a", object: "chat.completion.chunk", created: 1, model: "m" };
  return {
    whole: {
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason }],
      usage,
    } as JsonObject,
    events: [
      { ...head, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason }], usage },
    ] as unknown as JsonObject[],
  };
}

function messagesAnswer(name: unknown) {
  const usage = { input_tokens: 5, output_tokens: 7 };
  const half = Math.ceil(said.length / 2);
  const isCall = name !== undefined;
  const block = isCall
    ? { type: "tool_use", id: "t1", name, input: {} }
    : { type: "text", text: "" };
  const delta = (text: string) =>
    isCall ? { type: "input_json_delta", partial_json: text } : { type: "text_delta", text };
  const stop_reason = isCall ? "tool_use" : "end_turn";
  const whole = isCall ? { ...block, input: JSON.parse(said) } : { ...block, text: said };
  const head = { id: "a", type: "message", role: "assistant", model: "m", content: [] };
  return {
    whole: { ...head, content: [whole], stop_reason, usage } as unknown as JsonObject,
    events: [
      { type: "message_start", message: { ...head, usage } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta: delta(said.slice(0, half)) },
      { type: "content_block_delta", index: 0, delta: delta(said.slice(half)) },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 7 } },
      { type: "message_stop" },
    ] as unknown as JsonObject[],
  };
}

let vendor: ReturnType<typeof openVendor>;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = openVendor();
  const url = `http://127.0.0.1:${vendor.port}/v1`;
  gateway = await openTestGateway({
    yaml: `channels:
  - { name: deep, provider: deepseek, base_url: "${url}", api_key: k, models: [deepseek-flash, deepseek-reasoner] }
  - { name: claude, provider: anthropic, base_url: "${url}", api_key: k, models: [claude-opus-4-20250514, claude-sonnet-4-5] }`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor.stop(true);
});

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const FORMAT = { type: "json_schema", json_schema: { name: "place", schema: SCHEMA } };
const QUESTION = [{ role: "user", content: "Where?" }];

/** The answer's text, why it ended, and what was lost. */
async function ask(model: string, fields: JsonObject, stream: boolean) {
  const answer = await gateway.post("/v1/chat/completions", {
    model,
    messages: QUESTION,
    response_format: FORMAT,
    stream,
    ...fields,
  });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.any(String)]);
  const chunks = stream
    ? [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""))
    : [JSON.parse(text)];
  const choices = chunks.flatMap(({ choices: each }) => each as JsonObject[]);
  const messages = choices.map((each) => (each["delta"] ?? each["message"] ?? {}) as JsonObject);
  return {
    text: messages.map(({ content }) => (typeof content === "string" ? content : "")).join(""),
    calls: messages.filter(({ tool_calls: calls }) => calls !== undefined).length,
    finish: choices.map((each) => each["finish_reason"]).findLast((reason) => reason != null),
    lost: answer.headers.get("sluice-lossy"),
    body: sent.at(-1) as JsonObject,
  };
}

describe("a response in a schema that the model does not accept is the arguments of a forced tool", () => {
  test.each([
    ["deepseek-flash", false],
    ["deepseek-flash", true],
    ["claude-opus-4-20250514", false],
    ["claude-opus-4-20250514", true],
  ])("%s (stream %p)", async (model, stream) => {
    said = '{"city":"Lübeck"}';
    const { text, calls, finish, lost, body } = await ask(model, {}, stream);

    expect({ text, calls, finish, lost }).toEqual({
      text: said,
      calls: 0,
      finish: "stop",
      lost: "response_format",
    });
    expect(body["response_format"]).toBeUndefined();
    expect(JSON.stringify(body["tools"])).toContain(JSON.stringify(SCHEMA));
    expect(JSON.stringify(body["tool_choice"])).toContain('"name":"place"');
  });

  test.each([
    [
      "the client has tools",
      "deepseek-flash",
      { tools: [{ type: "function", function: { name: "f" } }] },
    ],
    [
      "reasoning is asked for",
      "claude-opus-4-20250514",
      { reasoning_effort: "high", max_tokens: 9_000 },
    ],
    ["the model cannot be made to call a tool", "deepseek-reasoner", {}],
    [
      "the schema is of no object",
      "deepseek-flash",
      {
        response_format: {
          type: "json_schema",
          json_schema: { name: "list", schema: { type: "array" } },
        },
      },
    ],
  ])("but is requested by an instruction if %s", async (_why, model, fields: JsonObject) => {
    said = "{}";
    const { lost, body } = await ask(model, fields, false);

    expect(lost).toContain("response_format");
    expect(JSON.stringify(body)).toContain("one valid JSON object");
    expect(JSON.stringify(body["tools"] ?? [])).not.toContain("place");
  });

  test("a model that accepts the schema is sent it", async () => {
    said = '{"city":"Lübeck"}';
    const { text, lost, body } = await ask("claude-sonnet-4-5", {}, false);

    expect([text, lost]).toEqual([said, null]);
    expect(body["output_config"]).toEqual({ format: { type: "json_schema", schema: SCHEMA } });
    expect(body["tools"]).toBeUndefined();
  });
});

describe("a native choice among words returns the plain word", () => {
  const body = {
    contents: [{ role: "user", parts: [{ text: "Is it?" }] }],
    generationConfig: {
      responseMimeType: "text/x.enum",
      responseSchema: { type: "STRING", enum: ["yes", "no"] },
    },
  };
  const CHOICE = '{"choice":"yes"}';

  test.each([
    ["by a tool", "deepseek-flash", CHOICE],
    ["by a tool", "claude-opus-4-20250514", CHOICE],
    ["by a schema", "claude-sonnet-4-5", CHOICE],
    ["in words", "deepseek-reasoner", CHOICE],
    ["in text, answered with the word", "deepseek-reasoner", "yes"],
  ])("%s: %s", async (_how, model, answered) => {
    said = answered;
    for (const operation of ["generateContent", "streamGenerateContent?alt=sse"]) {
      const answer = await gateway.post(`/v1beta/models/${model}:${operation}`, body);
      const text = await answer.text();
      const parts = [...text.matchAll(/"text":"([^"]*)"/g)].map(([, part]) => part).join("");

      expect([answer.status, parts]).toEqual([200, "yes"]);
      expect(text).toContain('"STOP"');
      expect(text).not.toContain("functionCall");
    }
    expect(JSON.stringify(sent.at(-1)).replaceAll("\\", "")).toContain('"enum":["yes","no"]');
  });
});
