import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { stream as streamed, type Respond } from "#test/adapter/vendor.ts";
import { CALLERS, openLosses, type Losses } from "./losses.ts";

let losses: Losses;
beforeAll(async () => {
  losses = await openLosses();
});
afterAll(async () => {
  await losses[Symbol.asyncDispose]();
});

/** What a test writes in their places, and no double changes. */
const [ID, SHARE, BOUND] = [111222333, 444555666, 777888999];
const NUMBERS = new Map([
  [ID, "1234567890123456789"],
  [SHARE, "0.12345678901234567890123"],
  [BOUND, "9223372036854775807"],
]);

function withDigits(text: string): string {
  let out = text;
  for (const [place, digits] of NUMBERS) out = out.replaceAll(String(place), digits);
  return out;
}

type Caller = keyof typeof CALLERS;
function callOf(caller: Caller, model: string, body: JsonObject): readonly [string, JsonObject] {
  return CALLERS[caller](model, body);
}

const STYLES: readonly Caller[] = ["chat", "responses", "messages", "gemini"];
const MODELS = [
  "gpt-4o-mini",
  "gpt-4o",
  "claude-sonnet-4-5",
  "gemini-2.5-flash",
  "mistral-large-latest",
  "command-a",
];
const PAIRS = STYLES.flatMap((caller) => MODELS.map((model) => [caller, model] as const));

const ARGUMENTS = { id: ID, deep: [{ share: SHARE }] };
const TEXT = JSON.stringify(ARGUMENTS);
const SCHEMA = { type: "object", properties: { id: { type: "integer", maximum: BOUND } } };
const FUNCTION = { name: "f", parameters: SCHEMA };
const ID_OF_CALL = "call_1";

/** A conversation in which a tool was called, and the tool, in each style. */
const CONVERSATIONS: Readonly<Record<Caller, JsonObject>> = {
  chat: {
    messages: [
      { role: "user", content: "a" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: ID_OF_CALL, type: "function", function: { name: "f", arguments: TEXT } },
        ],
      },
      { role: "tool", tool_call_id: ID_OF_CALL, content: "done" },
    ],
    tools: [{ type: "function", function: FUNCTION }],
  },
  responses: {
    input: [
      { role: "user", content: "a" },
      { type: "function_call", call_id: ID_OF_CALL, name: "f", arguments: TEXT },
      { type: "function_call_output", call_id: ID_OF_CALL, output: "done" },
    ],
    tools: [{ type: "function", ...FUNCTION, strict: false }],
  },
  messages: {
    messages: [
      { role: "user", content: "a" },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: ID_OF_CALL, name: "f", input: ARGUMENTS }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: ID_OF_CALL, content: "done" }],
      },
    ],
    tools: [{ name: "f", input_schema: SCHEMA }],
  },
  gemini: {
    contents: [
      { role: "user", parts: [{ text: "a" }] },
      { role: "model", parts: [{ functionCall: { name: "f", args: ARGUMENTS } }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "done" } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: SCHEMA }] }],
  },
};

describe("numbers in earlier calls, and in tool schemas, reach the vendor digit for digit", () => {
  test.each(PAIRS)("%s to %s", async (caller, model) => {
    const [path, body] = callOf(caller, model, CONVERSATIONS[caller]);
    const { status, sent } = await losses.ask(path, withDigits(JSON.stringify(body)));

    expect(status).toBe(200);
    for (const digits of NUMBERS.values()) expect(sent.text).toContain(digits);
  });
});

test("a passthrough request keeps them if its messages are changed", async () => {
  const { messages, ...rest } = CONVERSATIONS.messages;
  const prefilled = [
    ...(Array.isArray(messages) ? messages : []),
    { role: "assistant", content: "{" },
  ];
  const [path, body] = callOf("messages", "claude-opus-4-6", { ...rest, messages: prefilled });
  const { sent } = await losses.ask(path, withDigits(JSON.stringify(body)));

  expect(sent.body["messages"]).toHaveLength(prefilled.length + 1);
  for (const digits of NUMBERS.values()) expect(sent.text).toContain(digits);
});

const USAGE = { input_tokens: 3, output_tokens: 2 };
const CHAT_CALL = { id: ID_OF_CALL, type: "function", function: { name: "f", arguments: TEXT } };
const RESPONSES_CALL = {
  type: "function_call",
  id: "fc_1",
  call_id: ID_OF_CALL,
  name: "f",
  arguments: TEXT,
  status: "completed",
};
const RESPONSE = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  output: [RESPONSES_CALL],
  usage: USAGE,
};
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [],
  usage: USAGE,
};
const MESSAGES_CALL = { type: "tool_use", id: ID_OF_CALL, name: "f", input: ARGUMENTS };
const CANDIDATES = [
  {
    content: { role: "model", parts: [{ functionCall: { name: "f", args: ARGUMENTS } }] },
    finishReason: "STOP",
    index: 0,
  },
];
const NATIVE_USAGE = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };

/** An answer that calls the tool, whole, and as the events of a stream. */
const ANSWERS: Readonly<Record<string, { whole?: JsonObject; events: readonly JsonObject[] }>> = {
  "gpt-4o-mini": {
    whole: {
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: null, tool_calls: [CHAT_CALL] },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    },
    events: [
      {
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [
          {
            index: 0,
            delta: { role: "assistant", tool_calls: [{ index: 0, ...CHAT_CALL }] },
            finish_reason: null,
          },
        ],
      },
      {
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }],
      },
    ],
  },
  "gpt-4o": {
    whole: RESPONSE,
    events: [
      { type: "response.created", response: { ...RESPONSE, output: [], status: "in_progress" } },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...RESPONSES_CALL, arguments: "", status: "in_progress" },
      },
      {
        type: "response.function_call_arguments.delta",
        output_index: 0,
        item_id: "fc_1",
        delta: TEXT,
      },
      {
        type: "response.function_call_arguments.done",
        output_index: 0,
        item_id: "fc_1",
        arguments: TEXT,
      },
      { type: "response.output_item.done", output_index: 0, item: RESPONSES_CALL },
      { type: "response.completed", response: RESPONSE },
    ],
  },
  "claude-sonnet-4-5": {
    whole: { ...MESSAGE, content: [MESSAGES_CALL], stop_reason: "tool_use" },
    events: [
      { type: "message_start", message: MESSAGE },
      { type: "content_block_start", index: 0, content_block: { ...MESSAGES_CALL, input: {} } },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: TEXT },
      },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ],
  },
  // Some servers put the whole input into the head of its block.
  "claude-opus-4-6": {
    events: [
      { type: "message_start", message: MESSAGE },
      { type: "content_block_start", index: 0, content_block: MESSAGES_CALL },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ],
  },
  "gemini-2.5-flash": {
    whole: { candidates: CANDIDATES, usageMetadata: NATIVE_USAGE },
    events: [{ candidates: CANDIDATES, usageMetadata: NATIVE_USAGE }],
  },
  // Arguments in pieces, each with its path.
  "gemini-3-pro-preview": {
    events: [
      {
        candidates: [
          {
            content: {
              role: "model",
              parts: [
                { functionCall: { name: "f", willContinue: true } },
                {
                  functionCall: {
                    partialArgs: [{ jsonPath: "$.id", numberValue: ID }],
                    willContinue: true,
                  },
                },
                {
                  functionCall: {
                    partialArgs: [{ jsonPath: "$.deep[0].share", numberValue: SHARE }],
                  },
                },
              ],
            },
            finishReason: "STOP",
            index: 0,
          },
        ],
        usageMetadata: NATIVE_USAGE,
      },
    ],
  },
  // Some servers write the object itself.
  "mistral-large-latest": {
    whole: {
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: null,
            tool_calls: [{ ...CHAT_CALL, function: { name: "f", arguments: ARGUMENTS } }],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    },
    events: [
      {
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [
          {
            index: 0,
            delta: {
              role: "assistant",
              tool_calls: [
                { index: 0, ...CHAT_CALL, function: { name: "f", arguments: ARGUMENTS } },
              ],
            },
            finish_reason: "tool_calls",
          },
        ],
      },
    ],
  },
  "command-a": {
    events: [
      { type: "message-start", id: "m1", delta: { message: { role: "assistant", content: [] } } },
      {
        type: "tool-call-start",
        index: 0,
        delta: {
          message: {
            tool_calls: {
              id: ID_OF_CALL,
              type: "function",
              function: { name: "f", arguments: "" },
            },
          },
        },
      },
      {
        type: "tool-call-delta",
        index: 0,
        delta: { message: { tool_calls: { function: { arguments: TEXT } } } },
      },
      { type: "tool-call-end", index: 0 },
      { type: "message-end", delta: { finish_reason: "TOOL_CALL", usage: { tokens: USAGE } } },
    ],
  },
};

const ANSWERED = STYLES.flatMap((caller) =>
  Object.entries(ANSWERS).flatMap(([model, { whole }]) => [
    ...(whole === undefined ? [] : [[caller, model, false] as const]),
    [caller, model, true] as const,
  ]),
);

describe("numbers in calls of a response reach the client digit for digit", () => {
  test.each(ANSWERED)("%s from %s (stream %p)", async (caller, model, stream) => {
    const { whole = {}, events = [] } = ANSWERS[model] ?? {};
    const written = events.map((event) =>
      withDigits(formatSse(JSON.stringify(event), typeOf(event))),
    );
    const respond: Respond = ({ body, path }) =>
      body["stream"] === true || path.includes("stream")
        ? streamed([
            ...written,
            ...(events[0]?.["object"] === undefined ? [] : ["data: [DONE]\n\n"]),
          ])
        : new Response(withDigits(JSON.stringify(whole)), { headers: JSON_TYPE });
    losses.play(respond);
    const { tools } = CONVERSATIONS[caller];
    const question = {
      chat: { messages: [{ role: "user", content: "a" }] },
      responses: { input: "a" },
      messages: { messages: [{ role: "user", content: "a" }] },
      gemini: { contents: [{ role: "user", parts: [{ text: "a" }] }] },
    }[caller];
    const asked = {
      ...question,
      ...(tools === undefined ? {} : { tools }),
      ...(stream ? { stream } : {}),
    };
    const { status, text } = await losses.ask(...callOf(caller, model, asked));
    losses.play();

    expect([status, text]).toEqual([200, expect.stringContaining("1234567890123456789")]);
    expect(text).toContain("0.12345678901234567890123");
  });
});

const JSON_TYPE = { "content-type": "application/json" };

function typeOf({ type }: JsonObject): string | undefined {
  return typeof type === "string" ? type : undefined;
}
