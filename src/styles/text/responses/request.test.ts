import { describe, expect, test } from "bun:test";
import type {
  AllowedTool,
  Block,
  ChatRequest,
  Message,
  Reasoning,
  ToolResultBlock,
} from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf } from "#lib/values.ts";
import { chat } from "#styles/text/chat/index.ts";
import { refusal } from "#test/refusal.ts";
import { readRequest } from "./request/facts.ts";
import { parseRequest } from "./request/request-in.ts";
import { buildRequest } from "./request/request-out.ts";

const USER = { role: "user", content: "hi" };
const ENCRYPTED = "reasoning.encrypted_content";

function read(fields: JsonObject): ChatRequest {
  const wire = { model: "m", input: [USER], ...fields };
  readRequest(wire);
  return parseRequest(wire);
}

interface Written {
  readonly body: JsonObject;
  readonly lost: readonly string[];
}

/** Read into the hub and written for an upstream of this style. */
function rewritten(
  fields: JsonObject,
  change: Partial<ChatRequest> = {},
  model: ModelTraits = {},
): Written {
  const report = new LossReport();
  const body = buildRequest({ ...read(fields), ...change }, { report, model });
  return { body, lost: report.fields };
}

/** A request of another style's caller, written for an upstream of this one. */
function written(request: Partial<ChatRequest>, model: ModelTraits = {}): Written {
  const report = new LossReport();
  const whole: ChatRequest = {
    model: "m",
    messages: [said("user", "hi")],
    stream: false,
    sampling: {},
    ...request,
  };
  return { body: buildRequest(whole, { report, model }), lost: report.fields };
}

/** Written for an upstream of chat completions. */
function asChat(fields: JsonObject): Written {
  const report = new LossReport();
  const body = chat.outbound.buildRequest(read(fields), { report, model: {} });
  return { body, lost: report.fields };
}

function said(role: Message["role"], text: string): Message {
  return { role, blocks: [{ type: "text", text }] };
}

function by(role: Message["role"], ...blocks: Block[]): Message {
  return { role, blocks };
}

function call(id: string, name = "f", args = "{}"): Block {
  return { type: "tool_call", id, name, arguments: args, kind: "function" };
}

function result(callId: string, text: string): ToolResultBlock {
  return { type: "tool_result", callId, blocks: [{ type: "text", text }] };
}

describe("a request of this style is sent as its client wrote it", () => {
  test.each<[string, JsonObject]>([
    ["tuning", { temperature: 0, top_p: 0.5, max_output_tokens: 3, parallel_tool_calls: false }],
    ["instructions", { instructions: "Be brief." }],
    ["a plain string", { input: "hi" }],
    ["typed messages", { input: [{ type: "message", role: "developer", content: "x" }, USER] }],
    [
      "parts, known and unknown",
      {
        input: [
          {
            role: "user",
            content: [
              { type: "input_text", text: "a" },
              { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "original" },
              { type: "input_file", file_id: "file_1" },
              { type: "input_smell", smell: "rose" },
            ],
          },
        ],
      },
    ],
    [
      "a turn with reasoning, text, a server tool and a call",
      {
        include: [ENCRYPTED],
        input: [
          USER,
          { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
          { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
          {
            type: "message",
            id: "msg_1",
            role: "assistant",
            status: "completed",
            phase: "commentary",
            content: [
              { type: "output_text", text: "a", annotations: [], logprobs: [] },
              { type: "output_smell", smell: "rose" },
              { type: "refusal", refusal: "b" },
            ],
          },
          { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: "{broken" },
          {
            type: "function_call_output",
            call_id: "c1",
            output: [{ type: "input_text", text: "r" }],
            status: "completed",
          },
        ],
      },
    ],
    [
      "a free-text call",
      {
        input: [
          USER,
          { type: "custom_tool_call", call_id: "c1", name: "p", input: "*** raw" },
          { type: "custom_tool_call_output", call_id: "c1", output: "ok" },
        ],
      },
    ],
    [
      "tools of every kind, in their order",
      {
        tools: [
          { type: "web_search", external_web_access: false },
          { type: "function", name: "f", parameters: {}, strict: null, defer_loading: true },
          { type: "file_search", vector_store_ids: ["vs"] },
          {
            type: "custom",
            name: "p",
            format: { type: "grammar", syntax: "lark", definition: "x" },
          },
          { type: "namespace", name: "n", tools: [] },
        ],
        tool_choice: { type: "file_search" },
      },
    ],
    [
      "a choice among tools",
      {
        tools: [{ type: "function", name: "f", parameters: {} }],
        tool_choice: {
          type: "allowed_tools",
          mode: "auto",
          tools: [{ type: "function", name: "f" }],
        },
      },
    ],
    [
      "a schema, and how long to speak",
      {
        text: {
          format: { type: "json_schema", name: "n", schema: { type: "object" }, strict: true },
          verbosity: "low",
        },
      },
    ],
    ["logprobs", { include: ["message.output_text.logprobs"], top_logprobs: 2 }],
    [
      "content of this style only",
      {
        truncation: "auto",
        max_tool_calls: 3,
        metadata: { a: "b" },
        user: "u",
        safety_identifier: "s",
        prompt_cache_key: "k",
        service_tier: "flex",
        client_metadata: { a: 1 },
        conversation: "conv_1",
        prompt: { id: "pmpt_1" },
      },
    ],
  ])("%s", (_what, fields) => {
    expect(rewritten(fields)).toEqual({
      body: { model: "m", input: [USER], store: false, ...fields },
      lost: [],
    });
  });

  test("a changed block is written again, and its neighbours stay", () => {
    const input = [
      {
        role: "user",
        content: [
          { type: "input_text", text: "a", mark: 1 },
          { type: "input_image", image_url: "https://x.test/y.png", detail: "low" },
        ],
      },
    ];
    const messages = read({ input }).messages.map((message) => ({
      ...message,
      blocks: message.blocks.map((block) =>
        block.type === "image"
          ? { ...block, mediaType: "image/png", source: { kind: "data", base64: "AA==" } as const }
          : block,
      ),
    }));

    expect(rewritten({ input }, { messages }).body["input"]).toEqual([
      {
        role: "user",
        content: [
          { type: "input_text", text: "a", mark: 1 },
          { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "low" },
        ],
      },
    ]);
  });

  test("an effort from the model's suffix is sent, and the summary is still requested", () => {
    const asked = { reasoning: { summary: "detailed" } };
    const { body } = rewritten(asked, { reasoning: { effort: "high", visible: true } });

    expect(body["reasoning"]).toEqual({ effort: "high", summary: "auto" });
  });
});

describe("forms that the vendor refuses are accepted, and translated", () => {
  test("[A4.4-a] parts among the items are a user message", () => {
    const parts = [
      { type: "input_text", text: "What is it?" },
      { type: "input_image", image_url: "https://x.test/y.png", detail: "high" },
      { type: "input_file", file_url: "https://x.test/a.pdf" },
    ];
    const input = [{ role: "system", content: "s" }, ...parts, USER, parts[0] ?? null];

    expect(rewritten({ input }).body["input"]).toEqual([
      { role: "system", content: "s" },
      { role: "user", content: parts },
      USER,
      { role: "user", content: parts.slice(0, 1) },
    ]);
  });

  test("[A4.4-b] [A4.4-c] nested functions and choices become flat", () => {
    const fn = { name: "f", description: "d", parameters: { type: "object" } };
    const { body } = rewritten({
      tools: [{ type: "function", function: fn }],
      tool_choice: { type: "function", function: { name: "f" } },
    });

    expect(body["tools"]).toEqual([{ type: "function", ...fn, strict: false }]);
    expect(body["tool_choice"]).toEqual({ type: "function", name: "f" });
  });

  test("an assistant's text is output text", () => {
    const input = [USER, { role: "assistant", content: [{ type: "input_text", text: "a" }] }, USER];

    expect(rewritten({ input }).body["input"]).toEqual([
      USER,
      { role: "assistant", content: [{ type: "output_text", text: "a" }] },
      USER,
    ]);
  });

  test("[A4.4-e] a missing summary option requests no summary", () => {
    const { body } = rewritten({ reasoning: { effort: "low", summary: "none" } });

    expect(body["reasoning"]).toEqual({ effort: "low" });
  });

  test("a schema gets a name", () => {
    const { body } = rewritten({ text: { format: { type: "json_schema", schema: {} } } });

    expect(body["text"]).toEqual({ format: { type: "json_schema", schema: {}, name: "response" } });
  });
});

describe("an upstream stores no response", () => {
  test("[A4.4-d] and never gets the id of a response that the gateway stores", () => {
    const { body } = rewritten({ previous_response_id: "resp_1", store: true });

    expect([body["store"], "previous_response_id" in body]).toEqual([false, false]);
  });

  test.each<[string, JsonObject, ModelTraits, boolean]>([
    ["a model that reasons", {}, { kind: "chat", reasoningControls: {} }, true],
    ["a model that does not", { reasoning: { effort: "low" } }, { kind: "chat" }, false],
    ["an unknown model with reasoning requested", { reasoning: { effort: "low" } }, {}, true],
    ["an unknown model", {}, {}, false],
  ])("and encrypted reasoning is requested from %s: %j", (_what, fields, model, isAsked) => {
    const { body } = rewritten(fields, {}, model);

    expect(body["include"]).toEqual(isAsked ? [ENCRYPTED] : undefined);
  });
});

describe("a request has the same meaning in every style", () => {
  test("a conversation of items becomes turns", () => {
    const input = [
      { role: "developer", content: "d" },
      USER,
      {
        type: "reasoning",
        summary: [
          { type: "summary_text", text: "one" },
          { type: "summary_text", text: "two" },
        ],
        encrypted_content: "gAAA",
      },
      { role: "assistant", content: "so" },
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      { type: "function_call", call_id: "c2", name: "g", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "1" },
      { type: "function_call_output", call_id: "c2", output: "2" },
    ];
    const { messages } = read({ instructions: "i", input });

    expect(messages.map(({ role, blocks }) => [role, ...blocks.map(({ type }) => type)])).toEqual([
      ["system", "text"],
      ["developer", "text"],
      ["user", "text"],
      ["assistant", "reasoning", "text", "tool_call", "tool_call"],
      ["tool", "tool_result"],
      ["tool", "tool_result"],
    ]);
    expect(messages[3]?.blocks[0]).toMatchObject({
      text: "one\n\ntwo",
      signature: { issuer: "responses", value: "gAAA" },
    });
  });

  test("text and calls of one turn both reach an upstream of chat completions", () => {
    const { body } = asChat({
      instructions: "i",
      input: [
        USER,
        { role: "assistant", content: [{ type: "output_text", text: "so" }] },
        { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "c1", output: "1" },
      ],
    });

    expect(body["messages"]).toMatchObject([
      { role: "system", content: "i" },
      { role: "user", content: "hi" },
      { role: "assistant", tool_calls: [{ id: "c1", function: { name: "f", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c1", content: "1" },
    ]);
    expect(JSON.stringify(body["messages"])).toContain('"so"');
  });

  test("[A4.4-b] web search, a schema and a tool choice have hub fields", () => {
    const request = read({
      tools: [
        {
          type: "web_search_preview",
          search_context_size: "high",
          user_location: { type: "approximate", country: "DE", timezone: "Europe/Berlin" },
        },
        { type: "function", function: { name: "f", parameters: {} } },
      ],
      tool_choice: "required",
      text: { format: { type: "json_schema", name: "n", schema: {}, strict: true } },
      include: ["message.output_text.logprobs"],
      top_logprobs: 3,
      safety_identifier: "s",
    });

    expect(request).toMatchObject({
      webSearch: { contextSize: "high", location: { country: "DE", timezone: "Europe/Berlin" } },
      tools: [{ kind: "function", name: "f" }],
      toolChoice: { mode: "required" },
      format: { type: "json_schema", name: "n", schema: {}, strict: true },
      logprobs: { top: 3 },
      user: "s",
    });
  });

  test("[A4.4-e] [A4.4-d] options that the gateway applies itself are no loss", () => {
    const { lost } = asChat({
      previous_response_id: "resp_1",
      truncation: "auto",
      store: false,
      background: false,
      include: [ENCRYPTED],
      stream_options: { include_obfuscation: false },
    });

    expect(lost).toEqual([]);
  });

  test("tuning options are reported by name", () => {
    const { lost } = asChat({
      text: { verbosity: "low" },
      reasoning: { context: "all_turns" },
      max_tool_calls: 3,
      client_metadata: {},
      include: ["web_search_call.action.sources"],
      tools: [{ type: "image_generation" }, { type: "tool_search" }],
    });

    expect([...lost].sort()).toEqual([
      "client_metadata",
      "include",
      "max_tool_calls",
      "reasoning.context",
      "text.verbosity",
      "tools.image_generation",
      "tools.tool_search",
    ]);
  });

  test.each<[string, JsonObject]>([
    ["tools.file_search", { tools: [{ type: "file_search" }] }],
    ["tools.mcp", { tools: [{ type: "mcp", server_label: "a" }] }],
    ["tools.code_interpreter", { tools: [{ type: "code_interpreter" }] }],
    ["tools.computer_use_preview", { tools: [{ type: "computer_use_preview" }] }],
    ["conversation", { conversation: "conv_1" }],
    ["prompt", { prompt: { id: "p" } }],
  ])("an option that another style lacks is refused: %s", (param, fields) => {
    expect(refusal(() => asChat(fields))).toEqual(["not_carried", param]);
  });
});

describe("a request of another style for an upstream of this one", () => {
  test("has its first instructions in their own field, later ones stay in place", () => {
    const { body } = written({
      messages: [
        said("system", "a"),
        said("system", "b"),
        said("user", "hi"),
        said("system", "later"),
        said("developer", "too"),
      ],
    });

    expect([body["instructions"], body["input"]]).toEqual([
      "a\n\nb",
      [
        { role: "user", content: "hi" },
        { role: "system", content: "later" },
        { role: "developer", content: "too" },
      ],
    ]);
  });

  test("with instructions only is valid", () => {
    const { body } = written({ messages: [said("system", "a")] });

    expect([body["instructions"], body["input"]]).toEqual([
      undefined,
      [{ role: "system", content: "a" }],
    ]);
  });

  test("has a turn as items, including results in a user turn", () => {
    const { body, lost } = written({
      messages: [
        said("user", "hi"),
        by("assistant", { type: "text", text: "so" }, call("c1", "f", ""), call("c2", "g", "{bad")),
        by(
          "user",
          result("c1", "1"),
          { ...result("c2", "2"), isError: true },
          {
            type: "text",
            text: "go on",
          },
        ),
      ],
    });

    expect(body["input"]).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "so" },
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      { type: "function_call", call_id: "c2", name: "g", arguments: "{bad" },
      { type: "function_call_output", call_id: "c1", output: "1" },
      { type: "function_call_output", call_id: "c2", output: "Error: 2" },
      { role: "user", content: "go on" },
    ]);
    expect(lost).toEqual([]);
  });

  test("has images, files and audio as parts, also in tool results", () => {
    const png = { type: "image", mediaType: "image/png", source: { kind: "data", base64: "AA==" } };
    const { body } = written({
      messages: [
        by(
          "user",
          { type: "text", text: "look" },
          png as Block,
          { type: "image", source: { kind: "url", url: "https://x.test/y.png" }, detail: "low" },
          {
            type: "file",
            mediaType: "application/pdf",
            filename: "a.pdf",
            source: { kind: "data", base64: "AA==" },
          },
          { type: "file", source: { kind: "url", url: "https://x.test/a.pdf" } },
          { type: "audio", mediaType: "audio/mpeg", source: { kind: "data", base64: "AA==" } },
        ),
        by("assistant", call("c1")),
        by("tool", { type: "tool_result", callId: "c1", blocks: [png as Block] }),
      ],
    });
    const image = { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "auto" };

    expect(body["input"]).toEqual([
      {
        role: "user",
        content: [
          { type: "input_text", text: "look" },
          image,
          { type: "input_image", image_url: "https://x.test/y.png", detail: "low" },
          {
            type: "input_file",
            filename: "a.pdf",
            file_data: "data:application/pdf;base64,AA==",
          },
          { type: "input_file", file_url: "https://x.test/a.pdf" },
          { type: "input_audio", input_audio: { data: "AA==", format: "mp3" } },
        ],
      },
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: [image] },
    ]);
  });

  test.each<[string, Block, ModelTraits]>([
    ["a video", { type: "video", source: { kind: "url", url: "https://x.test/v" } }, {}],
    ["another vendor's file", { type: "file", source: { kind: "reference", id: "f" } }, {}],
    ["sound that is only a link", { type: "audio", source: { kind: "url", url: "x" } }, {}],
    [
      "sound for a model that is deaf",
      { type: "audio", source: { kind: "data", base64: "AA==" } },
      { kind: "chat", input: ["text"] },
    ],
  ])("%s is refused", (_what, block, model) => {
    expect(refusal(() => written({ messages: [by("user", block)] }, model))).toEqual([
      "not_carried",
      "messages[0]",
    ]);
  });

  test("has flat functions, without strict by default, and with a schema", () => {
    const { body } = written({
      tools: [
        { kind: "function", name: "f", description: "d" },
        { kind: "function", name: "g", parameters: { type: "object" }, strict: true },
        {
          kind: "custom",
          name: "p",
          format: { type: "grammar", grammar: { syntax: "lark", definition: "x" } },
        },
      ],
      toolChoice: { mode: "named", name: "p", kind: "custom" },
      parallelToolCalls: false,
      webSearch: { contextSize: "low", allowedDomains: ["a.test"], location: { country: "DE" } },
    });

    expect(body).toMatchObject({
      tools: [
        {
          type: "function",
          name: "f",
          description: "d",
          parameters: { type: "object", properties: {} },
          strict: false,
        },
        { type: "function", name: "g", parameters: { type: "object" }, strict: true },
        { type: "custom", name: "p", format: { type: "grammar", syntax: "lark", definition: "x" } },
        {
          type: "web_search",
          search_context_size: "low",
          user_location: { type: "approximate", country: "DE" },
          filters: { allowed_domains: ["a.test"] },
        },
      ],
      tool_choice: { type: "custom", name: "p" },
      parallel_tool_calls: false,
    });
  });

  test("has a flat tool choice", () => {
    const tools = [{ kind: "function", name: "f" }] as const;
    const { body } = written({
      tools: [{ kind: "function", name: "f" }],
      toolChoice: { mode: "allowed", required: true, tools },
    });

    expect(body["tool_choice"]).toEqual({
      type: "allowed_tools",
      mode: "required",
      tools: [{ type: "function", name: "f" }],
    });
  });

  test("with a choice of another style's server tool is reported beside others, and refused if it is the only one", () => {
    const choice = (...tools: AllowedTool[]): Partial<ChatRequest> => ({
      tools: [{ kind: "function", name: "f" }],
      toolChoice: {
        mode: "allowed",
        required: false,
        tools,
        extra: { chat: { allowed_tools: [{ type: "novel" }] } },
      },
    });
    const beside = written(choice({ kind: "custom", name: "p" }));

    expect(beside.body["tool_choice"]).toMatchObject({ tools: [{ type: "custom", name: "p" }] });
    expect(beside.lost).toEqual(["tool_choice.allowed_tools"]);
    expect(refusal(() => written(choice()))).toEqual(["not_carried", "tool_choice"]);
  });

  test("a choice that includes hosted tools is unchanged for its own style, and read for the others", () => {
    const tool_choice = {
      type: "allowed_tools",
      mode: "required",
      tools: [
        { type: "web_search" },
        { type: "function", name: "f" },
        { type: "custom", custom: { name: "p" } },
      ],
    };
    const fields = { tools: [{ type: "function", name: "f" }], tool_choice };

    expect(read(fields).toolChoice).toEqual({
      mode: "allowed",
      required: true,
      tools: [
        { kind: "function", name: "f" },
        { kind: "custom", name: "p" },
      ],
      extra: { responses: { allowed_tools: [{ type: "web_search" }] } },
    });
    expect(rewritten(fields).body["tool_choice"]).toEqual({
      ...tool_choice,
      tools: [...tool_choice.tools.slice(0, 2), { type: "custom", name: "p" }],
    });
    expect(asChat(fields)).toMatchObject({
      body: { tool_choice: "required", tools: [{ function: { name: "f" } }] },
      lost: ["tool_choice.allowed_tools"],
    });
  });

  test("without tools has no tool choice", () => {
    const { body } = written({ toolChoice: { mode: "auto" }, parallelToolCalls: true });

    expect(Object.keys(body).sort()).toEqual(["input", "model", "store"]);
  });

  test("has escaped names that can be restored", () => {
    const { body } = written({
      tools: [{ kind: "function", name: "a.b:c" }],
      messages: [
        said("user", "hi"),
        by("assistant", call("c1", "a.b:c")),
        by("tool", result("c1", "")),
      ],
    });
    const name = "a_x2e_b_x3a_c";

    expect(body).toMatchObject({ tools: [{ name }], input: [{}, { name }, {}] });
  });

  test("has shortened ids, of the call and its result alike", () => {
    const long = "c".repeat(500);
    const { body } = written({
      messages: [said("user", "hi"), by("assistant", call(long)), by("tool", result(long, "1"))],
    });
    const [, one, two] = body["input"] as JsonObject[];

    expect(one?.["call_id"]).toBe(two?.["call_id"] ?? null);
    expect(one?.["call_id"]).toMatch(/^.{1,64}$/);
  });

  test("a result before its call belongs to no call, and neither does a second one", () => {
    const { body, lost } = written({
      messages: [
        by("tool", result("a", "0")),
        by("assistant", call("a")),
        by("assistant", call("b")),
        by("tool", result("b", "1")),
        by("tool", result("b", "2")),
      ],
    });

    expect(body["input"]).toMatchObject([
      { role: "user", content: "0" },
      { type: "function_call", call_id: "a" },
      {
        type: "function_call_output",
        call_id: "a",
        output: "The call was interrupted: there is no result.",
      },
      { type: "function_call", call_id: "b" },
      { type: "function_call_output", call_id: "b", output: "1" },
      { role: "user", content: "2" },
    ]);
    expect([...lost].sort()).toEqual(["messages.tool_call_id", "messages.tool_calls"]);
  });

  test("an id of two calls becomes two, and each gets its result", () => {
    const { body } = written({
      messages: [
        by("assistant", call("a"), call("a"), call("x".repeat(64)), call("x".repeat(64))),
        by("tool", result("a", "1"), result("a", "2")),
        by("tool", result("x".repeat(64), "3"), result("x".repeat(64), "4")),
      ],
    });
    const items = listOf(body["input"]).filter(isObject);
    const ids = items.slice(0, 4).map(({ call_id }) => call_id);

    expect(ids.slice(0, 2)).toEqual(["a", "a_2"]);
    expect(new Set(ids).size).toBe(4);
    expect(ids.filter((id) => typeof id !== "string" || id.length > 64)).toEqual([]);
    expect(items.slice(4).map(({ call_id, output }) => [call_id, output])).toEqual(
      ids.map((id, index) => [id, `${index + 1}`]),
    );
  });

  test("a call stored upstream may be answered first, but no call is answered twice", () => {
    const output = (call_id: string, said: string): JsonObject => ({
      type: "function_call_output",
      call_id,
      output: said,
    });
    const { body } = rewritten({
      input: [
        { type: "item_reference", id: "i" },
        output("far", "0"),
        { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
        output("a", "1"),
        output("a", "2"),
      ],
    });

    expect(listOf(body["input"]).slice(1)).toEqual([
      output("far", "0"),
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      output("a", "1"),
      { role: "user", content: "2" },
    ]);
  });

  test("a call without a result gets one, and a result without a call is user text", () => {
    const { body, lost } = written({
      messages: [
        said("user", "hi"),
        by("tool", result("gone", "5")),
        by("assistant", call("c1"), call("c2")),
        by("tool", result("c2", "2")),
      ],
    });

    expect(body["input"]).toMatchObject([
      { content: "hi" },
      { role: "user", content: "5" },
      { type: "function_call", call_id: "c1" },
      { type: "function_call_output", call_id: "c1" },
      { type: "function_call", call_id: "c2" },
      { type: "function_call_output", call_id: "c2", output: "2" },
    ]);
    expect([...lost].sort()).toEqual(["messages.tool_call_id", "messages.tool_calls"]);
  });

  test("the result of a free-text call has that type", () => {
    const { body } = written({
      messages: [
        said("user", "hi"),
        by("assistant", { type: "tool_call", id: "c1", name: "p", arguments: "x", kind: "custom" }),
        by("tool", result("c1", "1")),
      ],
    });

    expect(body["input"]).toMatchObject([
      {},
      { type: "custom_tool_call", call_id: "c1", name: "p", input: "x" },
      { type: "custom_tool_call_output", call_id: "c1", output: "1" },
    ]);
  });

  test("has a flat schema", () => {
    const format = { type: "json_schema", name: "n", schema: { type: "object" } } as const;

    expect(written({ format }).body["text"]).toEqual({ format });
    expect(written({ format: { type: "json" } }).body["text"]).toEqual({
      format: { type: "json_object" },
    });
  });

  test("reports tuning options that the style lacks", () => {
    const { body, lost } = written({
      sampling: { temperature: 0.5, topK: 1, presencePenalty: 1, frequencyPenalty: 1, seed: 1 },
      stop: ["x"],
      maxOutputTokens: 5,
      user: "u".repeat(65),
      metadata: { record: { a: 1 } },
      webSearch: { maxUses: 1, blockedDomains: ["a.test"] },
    });

    expect(body).toMatchObject({ temperature: 0.5, max_output_tokens: 16 });
    expect([...lost].sort()).toEqual([
      "frequency_penalty",
      "max_tokens",
      "metadata",
      "presence_penalty",
      "seed",
      "stop",
      "top_k",
      "user",
      "web_search.blocked_domains",
      "web_search.max_uses",
    ]);
  });

  test("has the fields shared with chat completions, and reports the rest", () => {
    const shared = { prompt_cache_key: "k", service_tier: "flex", safety_identifier: "s" };
    const { body, lost } = written({
      extra: { chat: { ...shared, verbosity: "low", logit_bias: { "1": 2 } } },
      format: { type: "json" },
    });

    expect(body).toMatchObject({
      ...shared,
      text: { verbosity: "low", format: { type: "json_object" } },
    });
    expect(lost).toEqual(["logit_bias"]);
  });

  test.each<[string, Partial<ChatRequest>]>([
    ["n", { choices: 2 }],
    ["modalities", { modalities: ["text", "audio"] }],
    ["modalities", { modalities: ["text", "image"] }],
  ])("is refused if a loss would change the result: %s", (param, request) => {
    expect(refusal(() => written(request))).toEqual(["not_carried", param]);
  });

  test("requests probabilities in this style's field", () => {
    const { body } = written({ logprobs: { top: 2 } });

    expect([body["include"], body["top_logprobs"]]).toEqual([["message.output_text.logprobs"], 2]);
  });
});

describe("reasoning", () => {
  const REASONER: ModelTraits = {
    kind: "chat",
    reasoningControls: { efforts: ["minimal", "low", "medium", "high"] },
  };
  const SWITCHED: ModelTraits = {
    kind: "chat",
    reasoningControls: { efforts: ["none", "low", "high"] },
  };

  test.each<[string, Reasoning, ModelTraits, Json | undefined]>([
    ["an effort", { effort: "high" }, REASONER, { effort: "high" }],
    ["an effort the model lacks", { effort: "max" }, REASONER, { effort: "high" }],
    ["a budget", { budgetTokens: 2_000 }, REASONER, { effort: "low" }],
    ["a switch that is off", { enabled: false }, REASONER, { effort: "minimal" }],
    ["off, for an unknown model", { enabled: false }, {}, { effort: "none" }],
    ["to be shown", { enabled: true, visible: true }, REASONER, { summary: "auto" }],
    ["a switch that is on, if the default is off", { enabled: true }, SWITCHED, { effort: "low" }],
    ["any budget, if the default is off", { budgetTokens: -1 }, SWITCHED, { effort: "low" }],
    ["a switch that is on, if the default is on", { enabled: true }, REASONER, undefined],
    ["a model that does not reason", { effort: "high" }, { kind: "chat" }, undefined],
  ])("%s is translated to this style", (_what, reasoning, model, expected) => {
    expect(written({ reasoning }, model).body["reasoning"]).toEqual(expected);
  });

  test("signed by an upstream of this style goes back to one before its call", () => {
    const { body } = written({
      messages: [
        said("user", "hi"),
        by(
          "assistant",
          {
            type: "reasoning",
            text: "why",
            signature: { issuer: "responses", value: "gAAA" },
            extra: { responses: { id: "rs_1" } },
          },
          call("c1"),
        ),
        by("tool", result("c1", "1")),
      ],
    });

    expect(body["input"]).toMatchObject([
      {},
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "why" }],
        encrypted_content: "gAAA",
      },
      { type: "function_call" },
      {},
    ]);
  });

  test.each<[string, Block]>([
    [
      "another style's signature",
      {
        type: "reasoning",
        text: "why",
        signature: { issuer: "messages", value: "sig" },
      },
    ],
    ["a missing signature", { type: "reasoning", text: "why" }],
  ])("%s is never sent", (_what, thought) => {
    const { body, lost } = written({
      messages: [said("user", "hi"), by("assistant", thought, { type: "text", text: "so" })],
    });

    expect(body["input"]).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "so" },
    ]);
    expect(lost).toEqual(["reasoning"]);
  });

  test("of another vendor returned by this style's own client is not sent either", () => {
    const marked = Buffer.from("sluice:messages:sig").toString("base64");
    const input = [
      USER,
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: marked },
      { role: "assistant", content: "so" },
    ];

    expect(read({ input }).messages[1]?.blocks[0]).toMatchObject({
      signature: { issuer: "messages", value: "sig" },
    });
    expect(rewritten({ input })).toMatchObject({
      body: { input: [USER, { content: "so" }] },
      lost: ["reasoning"],
    });
  });

  test("with an id that only its vendor can resolve is omitted, readable reasoning is not", () => {
    const shown = {
      type: "reasoning",
      summary: [],
      content: [{ type: "reasoning_text", text: "w" }],
    };
    const input = [
      USER,
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "w" }] },
      shown,
      { role: "assistant", content: "so" },
    ];

    expect(rewritten({ input })).toMatchObject({
      body: { input: [USER, shown, { content: "so" }] },
      lost: ["reasoning"],
    });
  });

  test("without anything after it is omitted", () => {
    const input = [
      { type: "reasoning", id: "rs_0", summary: [], encrypted_content: "gAAA" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
      { role: "user", content: "hi" },
    ];

    expect(rewritten({ input })).toMatchObject({ body: { input: [USER] }, lost: ["reasoning"] });
  });
});

test("a prefix of the assistant is continued by an instruction", () => {
  const begun = [said("user", "Count."), said("assistant", "1, 2,")];
  const { body, lost } = written({ messages: begun, rawFields: { messages: {} } });

  expect(listOf(body["input"]).at(-1)).toMatchObject({ role: "user" });
  expect(JSON.stringify(listOf(body["input"]).at(-1))).toContain("Continue.");
  expect(lost).toEqual(["messages.prefill"]);
  expect(written({ messages: begun }).lost).toEqual([]);
});
