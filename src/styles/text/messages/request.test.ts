import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest, Message } from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import { writeSignature } from "#core/signature.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { messagesRequestFaults } from "#test/grammar/messages-request.ts";
import { refusal } from "#test/refusal.ts";
import { buildCitation } from "./conversation/citation.ts";
import { readRequest } from "./request/facts.ts";
import { parseRequest } from "./request/request-in.ts";
import { buildRequest } from "./request/request-out.ts";

const USER = { role: "user", content: "hi" };
const TOOL = { name: "f", description: "d", input_schema: { type: "object", properties: {} } };

const SEARCH = {
  type: "web_search_20250305",
  name: "web_search",
  max_uses: 2,
  allowed_domains: ["a.example", 7],
  user_location: { type: "approximate", city: "Bern" },
};

/** Read into the hub and written for an upstream of this style. */
function rewritten(
  fields: JsonObject,
  change: Partial<ChatRequest> = {},
  model: ModelTraits = {},
): { body: JsonObject; lost: readonly string[] } {
  const wire = { model: "m", max_tokens: 50, messages: [USER], ...fields };
  readRequest(wire);
  const report = new LossReport();
  return {
    body: buildRequest({ ...parseRequest(wire), ...change }, { report, model }),
    lost: report.fields,
  };
}

/** A request of another style's caller, written for an upstream of this one. */
function written(
  request: Partial<ChatRequest>,
  model: ModelTraits = {},
): { body: JsonObject; lost: readonly string[] } {
  const report = new LossReport();
  const whole: ChatRequest = {
    model: "m",
    messages: [said("user", "hi")],
    stream: false,
    sampling: {},
    ...request,
  };
  const body = buildRequest(whole, { report, model });
  expect(messagesRequestFaults(body)).toEqual([]);
  return { body, lost: report.fields };
}

function said(role: Message["role"], text: string): Message {
  return { role, blocks: [{ type: "text", text }] };
}

function shown(...blocks: Block[]): Partial<ChatRequest> {
  return { messages: [{ role: "user", blocks }] };
}

describe("a request of this style is sent as its client wrote it", () => {
  test("except for sources of another style's vendor, which are refused", () => {
    const lent = buildCitation({ url: "https://a.example" });
    const text = { type: "text", text: "a", citations: [lent] };
    const { body, lost } = rewritten({
      messages: [USER, { role: "assistant", content: [text] }, USER],
    });

    const content = [{ type: "text", text: "a" }];
    expect(body["messages"]).toEqual([USER, { role: "assistant", content }, USER]);
    expect(lost).toEqual(["citations"]);
  });

  test("except for empty texts with sources of another style's vendor", () => {
    const lent = buildCitation({ url: "https://a.example" });
    const call = { type: "tool_use", id: "a", name: "f", input: {} };
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] };
    const cited = { type: "text", text: "", citations: [lent] };
    const { body } = rewritten({
      messages: [USER, { role: "assistant", content: [call, cited] }, result],
    });

    expect(body["messages"]).toEqual([USER, { role: "assistant", content: [call] }, result]);
  });

  test("except for a top_k of -1", () => {
    expect(rewritten({ top_k: -1 }).body).not.toHaveProperty("top_k");
  });

  test.each<[string, JsonObject]>([
    [
      "[A4.5-e] tuning",
      { temperature: 0, top_p: 0.5, top_k: 3, stop_sequences: ["a", "b", "c", "d", "e"] },
    ],
    ["a stream", { stream: true }],
    ["the system as a string", { system: "be brief" }],
    [
      "[A4.5-b] the system in blocks with a mark",
      { system: [{ type: "text", text: "long", cache_control: { type: "ephemeral", ttl: "5m" } }] },
    ],
    [
      "tools of every kind, in their order",
      {
        tools: [
          { type: "bash_20250124", name: "bash" },
          {
            ...TOOL,
            strict: true,
            eager_input_streaming: true,
            cache_control: { type: "ephemeral" },
          },
          {
            type: "web_search_20260209",
            name: "web_search",
            max_uses: 3,
            blocked_domains: ["a.example"],
            user_location: { type: "approximate", country: "CH" },
          },
          { type: "custom", name: "g", input_schema: {} },
        ],
      },
    ],
    [
      "a choice, and one call at a time",
      { tools: [TOOL], tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true } },
    ],
    [
      "thinking, with the client's sampling options",
      { thinking: { type: "enabled", budget_tokens: 2_000 }, temperature: 1, max_tokens: 4_000 },
    ],
    ["thinking as the model likes", { thinking: { type: "adaptive", display: "omitted" } }],
    ["no thinking", { thinking: { type: "disabled" } }],
    [
      "effort, format and other fields there",
      {
        output_config: {
          effort: "low",
          format: { type: "json_schema", schema: { type: "object", maxProperties: 2 } },
          task_budget: 5,
        },
      },
    ],
    ["the older form of a format", { output_format: { type: "json_schema", schema: {} } }],
    ["the user", { metadata: { user_id: "u".repeat(300), team: "x" } }],
    [
      "[A4.5-e] fields of this style only",
      {
        mcp_servers: [{ type: "url", url: "https://a.example/mcp", name: "x" }],
        context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
        container: "c1",
        service_tier: "standard_only",
        cache_control: { type: "ephemeral" },
        brand_new: [1, { a: 2 }],
      },
    ],
  ])("%s", (_what, fields) => {
    expect(rewritten(fields)).toEqual({
      body: { model: "m", max_tokens: 50, messages: [USER], ...fields },
      lost: [],
    });
  });

  test.each<[string, JsonObject[]]>([
    [
      "turns with their additional members",
      [
        USER,
        USER,
        { role: "assistant", content: "so " },
        { role: "system", content: "s" },
        { role: "assistant", content: "" },
      ],
    ],
    ["a text that stays a block", [{ role: "user", content: [{ type: "text", text: "a" }] }]],
    [
      "images and documents",
      [
        {
          role: "user",
          content: [
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
            },
            { type: "image", source: { type: "url", url: "https://a.example/b.png" } },
            { type: "image", source: { type: "file", file_id: "f1" } },
            {
              type: "document",
              source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
              title: "t",
              context: "c",
              citations: { enabled: true },
            },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "d" } },
            {
              type: "document",
              source: { type: "content", content: [{ type: "text", text: "e" }] },
            },
            {
              type: "search_result",
              source: "s",
              title: "t",
              content: [{ type: "text", text: "x" }],
            },
          ],
        },
      ],
    ],
    [
      "calls, results and the thinking before them",
      [
        USER,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "why", signature: "c2ln" },
            { type: "redacted_thinking", data: "ZGF0YQ==" },
            { type: "thinking", thinking: "", signature: "b21pdA==" },
            { type: "text", text: "so", citations: [{ type: "char_location", cited_text: "x" }] },
            {
              type: "tool_use",
              id: "toolu_1",
              name: "f",
              input: { n: 1 },
              caller: { type: "direct" },
            },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              is_error: true,
              content: [
                { type: "text", text: "r", cache_control: { type: "ephemeral" } },
                { type: "image", source: { type: "url", url: "https://a.example/b.png" } },
                { type: "tool_reference", tool_name: "f" },
              ],
            },
            { type: "text", text: "go on" },
          ],
        },
      ],
    ],
    [
      "a result without content, and one that is a string",
      [
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a" },
            { type: "tool_result", tool_use_id: "b", content: "r" },
          ],
        },
      ],
    ],
    [
      "an upstream's own tools at work",
      [
        {
          role: "assistant",
          content: [
            {
              type: "server_tool_use",
              id: "srvtoolu_1",
              name: "web_search",
              input: { query: "q" },
            },
            {
              type: "web_search_tool_result",
              tool_use_id: "srvtoolu_1",
              content: [{ type: "web_search_result", url: "u", encrypted_content: "e" }],
            },
            { type: "mcp_tool_use", id: "m1", name: "x", server_name: "s", input: {} },
            { type: "compaction", content: "c" },
          ],
        },
      ],
    ],
  ])("%s", (_what, turns) => {
    expect(rewritten({ messages: turns })).toEqual({
      body: { model: "m", max_tokens: 50, messages: turns },
      lost: [],
    });
  });

  test("[A4.5-b] a persistent cache mark is sent as one of an hour, in every position", () => {
    const mark = { type: "persistent" };
    const hour = { type: "ephemeral", ttl: "1h" };
    const block = (control: Json): JsonObject => ({
      type: "text",
      text: "a",
      cache_control: control,
    });
    const body = (control: Json): JsonObject => ({
      system: [block(control)],
      tools: [{ ...TOOL, cache_control: control }],
      cache_control: control,
      messages: [
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "a", content: [block(control)] }],
        },
      ],
    });

    expect(rewritten(body(mark)).body).toMatchObject(body(hour));
    expect(rewritten(body(mark)).lost).toEqual([]);
  });

  test("an image that was downloaded is sent instead of its link, with its cache mark", () => {
    const linked = {
      type: "image",
      source: { type: "url", url: "https://a.example/b.png" },
      cache_control: { type: "ephemeral" },
    };
    const wire = { model: "m", max_tokens: 1, messages: [{ role: "user", content: [linked] }] };
    const [asked] = parseRequest(wire).messages;
    const [link] = asked?.blocks ?? [];
    const source = { kind: "data", base64: "/9j/AAAA" } as const;
    const picture: Block[] = link?.type === "image" ? [{ ...link, source }] : [];
    const fetched: Message[] = asked === undefined ? [] : [{ ...asked, blocks: picture }];

    expect(rewritten({ messages: wire.messages }, { messages: fetched }).body["messages"]).toEqual([
      {
        role: "user",
        content: [
          {
            type: "image",
            source: { type: "base64", media_type: "image/jpeg", data: "/9j/AAAA" },
            cache_control: { type: "ephemeral" },
          },
        ],
      },
    ]);
  });
});

describe("thinking without a signature of this style never reaches a vendor of the style", () => {
  const marked = writeSignature({ issuer: "gemini", value: "c2ln" }, "messages");

  test.each<[string, JsonObject]>([
    ["unsigned", { type: "thinking", thinking: "why", signature: "" }],
    ["without a signature", { type: "thinking", thinking: "why" }],
    ["signed by another", { type: "thinking", thinking: "why", signature: marked }],
  ])("%s", (_what, thinking) => {
    const messages = [
      USER,
      { role: "assistant", content: [thinking, { type: "text", text: "so" }] },
      USER,
    ];
    const { body, lost } = rewritten({ messages });

    expect(body["messages"]).toEqual([
      USER,
      { role: "assistant", content: [{ type: "text", text: "so" }] },
      USER,
    ]);
    expect(lost).toEqual(["reasoning"]);
  });

  test("and a turn with nothing else is omitted", () => {
    const content = [{ type: "thinking", thinking: "why", signature: marked }];

    expect(
      rewritten({ messages: [USER, { role: "assistant", content }, USER] }).body["messages"],
    ).toEqual([USER, USER]);
  });

  test("and if calls depend on it, thinking is off for this turn", () => {
    const thinking = { type: "enabled", budget_tokens: 2_000 };
    const messages = [
      USER,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "why", signature: marked },
          { type: "tool_use", id: "a", name: "f", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "r" }] },
    ];

    expect(rewritten({ tools: [TOOL], thinking, messages }).body["thinking"]).toEqual({
      type: "disabled",
    });
  });

  test("and the hub has its issuer", () => {
    const content = [{ type: "thinking", thinking: "why", signature: marked }];
    const { messages } = parseRequest({ messages: [{ role: "assistant", content }] });

    expect(messages[0]?.blocks[0]).toMatchObject({
      signature: { issuer: "gemini", value: "c2ln" },
    });
  });
});

describe("its translation to the hub", () => {
  function read(fields: JsonObject): ChatRequest {
    return parseRequest({ model: "m", max_tokens: 50, messages: [USER], ...fields });
  }

  test("sampling, thinking, tools and format have hub fields", () => {
    const request = read({
      temperature: 0.5,
      top_k: 3,
      stop_sequences: ["END"],
      thinking: { type: "enabled", budget_tokens: 2_000 },
      output_config: {
        effort: "high",
        format: { type: "json_schema", schema: { type: "object" } },
      },
      tools: [TOOL, SEARCH],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
      metadata: { user_id: "u", team: "x" },
    });

    expect(request).toMatchObject({
      sampling: { temperature: 0.5, topK: 3 },
      maxOutputTokens: 50,
      stop: ["END"],
      reasoning: { effort: "high", enabled: true, budgetTokens: 2_000, visible: true },
      format: { type: "json_schema", schema: { type: "object" } },
      tools: [{ kind: "function", name: "f", parameters: { type: "object" } }],
      webSearch: { maxUses: 2, allowedDomains: ["a.example"], location: { city: "Bern" } },
      toolChoice: { mode: "required" },
      parallelToolCalls: false,
      user: "u",
      metadata: { team: "x" },
    });
    expect(request.extra).toBeUndefined();
  });

  test("[A4.5-e] fields of this style stay separate, and so does a tool of this style", () => {
    const fetch = { type: "web_fetch_20250910", name: "web_fetch" };
    const { extra } = read({ tools: [fetch], container: "c", context_management: {} });

    expect(extra).toEqual({ messages: { tools: [fetch], container: "c", context_management: {} } });
  });

  test("a text document and search results are text, a page is a file", () => {
    const { messages } = read({
      messages: [
        {
          role: "user",
          content: [
            { type: "document", title: "T", source: { type: "text", data: "body" } },
            {
              type: "search_result",
              source: "s",
              title: "t",
              content: [{ type: "text", text: "x" }],
            },
            { type: "document", source: { type: "url", url: "https://a.example/b.pdf" } },
            { type: "document", source: { type: "wire" } },
            { type: "document", source: { type: "content", content: "plain" } },
            { type: "image", source: { type: "file", file_id: "f1" } },
            {
              type: "document",
              source: {
                type: "content",
                content: [
                  { type: "text", text: "a" },
                  { type: "image", source: { type: "url", url: "https://a.example/b.png" } },
                ],
              },
            },
          ],
        },
      ],
    });

    expect(messages[0]?.blocks).toMatchObject([
      { type: "text", text: "T\n\nbody" },
      { type: "text", text: "t\ns\nx" },
      { type: "file", source: { kind: "url", url: "https://a.example/b.pdf" } },
      { type: "other", style: "messages" },
      { type: "text", text: "plain" },
      { type: "image", source: { kind: "reference", id: "f1" } },
      { type: "other", style: "messages" },
    ]);
  });

  test.each<[JsonObject, ChatRequest["toolChoice"]]>([
    [{ type: "auto" }, { mode: "auto" }],
    [{ type: "none" }, { mode: "none" }],
    [
      { type: "tool", name: "f" },
      { mode: "named", name: "f", kind: "function" },
    ],
  ])("a tool choice has a hub field: %j", (tool_choice, expected) => {
    expect(read({ tools: [TOOL], tool_choice }).toolChoice).toEqual(expected);
  });

  test("hidden thinking is requested as well", () => {
    expect(read({ thinking: { type: "adaptive", display: "omitted" } }).reasoning).toEqual({
      enabled: true,
      visible: false,
    });
  });
});

describe("a request of another style", () => {
  test("is written in this style", () => {
    const { body, lost } = written({
      stream: true,
      messages: [
        said("system", "be brief"),
        {
          role: "user",
          blocks: [
            { type: "text", text: "a" },
            { type: "image", source: { kind: "data", base64: "iVBORw0KGgoAAAA" } },
          ],
        },
      ],
      sampling: { temperature: 0.5, topK: 3 },
      maxOutputTokens: 7,
      stop: ["x"],
      tools: [{ kind: "function", name: "f", parameters: { type: "object" } }],
      toolChoice: { mode: "required" },
      parallelToolCalls: false,
      webSearch: { contextSize: "high", location: { country: "CH" } },
      user: "u",
    });

    expect(body).toEqual({
      model: "m",
      max_tokens: 7,
      system: "be brief",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgoAAAA" },
            },
          ],
        },
      ],
      stream: true,
      temperature: 0.5,
      top_k: 3,
      stop_sequences: ["x"],
      metadata: { user_id: "u" },
      tools: [
        { name: "f", input_schema: { type: "object" } },
        {
          type: "web_search_20250305",
          name: "web_search",
          max_uses: 10,
          user_location: { type: "approximate", country: "CH" },
        },
      ],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    });
    expect(lost).toEqual([]);
  });

  test.each<[string, ModelTraits, number | undefined, number, readonly string[]]>([
    ["the default, for an unknown model", {}, undefined, 8_192, []],
    ["the model's maximum as the default", { maxOutputTokens: 64_000 }, undefined, 64_000, []],
    ["the client's limit", { maxOutputTokens: 64_000 }, 10, 10, []],
    ["more than there is", { maxOutputTokens: 4_096 }, 9_999, 4_096, ["max_tokens"]],
  ])("has an output limit: %s", (_what, model, said, expected, loss) => {
    const { body, lost } = written(said === undefined ? {} : { maxOutputTokens: said }, model);

    expect(body["max_tokens"]).toBe(expected);
    expect(lost).toEqual(loss);
  });

  test.each<[string, ChatRequest["sampling"], JsonObject, readonly string[]]>([
    ["is clamped, not scaled", { temperature: 1.6 }, { temperature: 1 }, ["temperature"]],
    [
      "takes precedence over top_p",
      { temperature: 0.3, topP: 0.9 },
      { temperature: 0.3 },
      ["top_p"],
    ],
    ["is omitted if it is the default", { temperature: 1, topP: 0.9 }, { top_p: 0.9 }, []],
    ["is alone beside a default top_p", { temperature: 0.3, topP: 1 }, { temperature: 0.3 }, []],
    ["is not made up", { topK: -1 }, {}, []],
  ])("a temperature %s", (_how, sampling, expected, loss) => {
    const { body, lost } = written({ sampling });
    const { temperature, top_p, top_k } = body;

    expect<unknown>(JSON.parse(JSON.stringify({ temperature, top_p, top_k }))).toEqual(expected);
    expect(lost).toEqual(loss);
  });

  test.each<[string, Partial<ChatRequest>, readonly string[]]>([
    [
      "penalties",
      { sampling: { presencePenalty: 1, frequencyPenalty: -1 } },
      ["presence_penalty", "frequency_penalty"],
    ],
    ["penalties of nothing", { sampling: { presencePenalty: 0, frequencyPenalty: 0 } }, []],
    ["a seed", { sampling: { seed: 7 } }, ["seed"]],
    ["probabilities", { logprobs: { top: 2 } }, ["logprobs"]],
    ["blank stops", { stop: ["a", "\n"] }, ["stop"]],
    ["a long name of its user", { user: "u".repeat(257) }, ["user"]],
    ["its notes", { metadata: { a: 1 } }, ["metadata"]],
    ["another vendor's fields", { extra: { chat: { logit_bias: {} } } }, ["logit_bias"]],
    [
      "who of them speaks",
      { messages: [{ ...said("user", "hi"), name: "Ann" }] },
      ["messages.name"],
    ],
    [
      "a later change of the rules",
      { messages: [said("user", "a"), said("system", "b")] },
      ["messages.role"],
    ],
    [
      "activity of another style's tools",
      {
        messages: [
          said("user", "a"),
          { role: "assistant", blocks: [{ type: "other", style: "chat", data: { type: "x" } }] },
          said("user", "b"),
        ],
      },
      ["messages.x"],
    ],
    [
      "reasoning of another",
      {
        messages: [
          said("user", "a"),
          {
            role: "assistant",
            blocks: [
              { type: "reasoning", text: "why" },
              { type: "text", text: "b" },
            ],
          },
          said("user", "c"),
        ],
      },
      ["reasoning"],
    ],
    [
      "citations of another",
      {
        messages: [
          said("user", "a"),
          {
            role: "assistant",
            blocks: [{ type: "text", text: "b", citations: [{ url: "https://a.example" }] }],
          },
          said("user", "c"),
        ],
      },
      ["citations"],
    ],
    [
      "a result among the instructions",
      {
        messages: [
          { role: "system", blocks: [{ type: "tool_result", callId: "a", blocks: [] }] },
          said("user", "a"),
        ],
      },
      ["messages.tool_result"],
    ],
    [
      "strictness of a tool",
      { tools: [{ kind: "function", name: "f", strict: true }] },
      ["tools.strict"],
    ],
  ])("%s: unsupported options are reported", (_what, request, expected) => {
    expect(written(request).lost).toEqual([...expected]);
  });

  test.each<[string, Partial<ChatRequest>, string]>([
    ["several answers", { choices: 2 }, "n"],
    ["sound as its answer", { modalities: ["text", "audio"] }, "modalities"],
    [
      "sound to listen to",
      shown({ type: "audio", source: { kind: "data", base64: "AAAA" }, mediaType: "wav" }),
      "messages[0]",
    ],
    [
      "film to watch",
      shown({ type: "video", source: { kind: "url", url: "https://a.example/b.mp4" } }),
      "messages[0]",
    ],
    [
      "an image of another type",
      shown({ type: "image", source: { kind: "data", base64: "Qk0AAAA" }, mediaType: "image/bmp" }),
      "messages[0]",
    ],
    [
      "a file stored at another vendor",
      shown({ type: "file", source: { kind: "reference", id: "file-1" } }),
      "messages[0]",
    ],
    [
      "a file that is no text",
      shown({
        type: "file",
        source: { kind: "data", base64: "AAECAwD/" },
        mediaType: "application/zip",
      }),
      "messages[0]",
    ],
    [
      "tools that are not there",
      {
        tools: [{ kind: "function", name: "f" }],
        toolChoice: { mode: "allowed", required: false, tools: [{ kind: "function", name: "g" }] },
      },
      "tool_choice",
    ],
  ])("%s: a loss that would change the result is refused", (_what, request, param) => {
    expect(refusal(() => written(request))).toEqual(["not_carried", param]);
  });
});

describe("media, by type", () => {
  test.each<[string, Block, JsonObject]>([
    [
      "an image with another stated type",
      {
        type: "image",
        source: { kind: "data", base64: "UklGRh4AAABXRUJQ" },
        mediaType: "image/png",
      },
      {
        type: "image",
        source: { type: "base64", media_type: "image/webp", data: "UklGRh4AAABXRUJQ" },
      },
    ],
    [
      "an image with a short type name",
      { type: "image", source: { kind: "data", base64: "AAAA" }, mediaType: "image/jpg" },
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "AAAA" } },
    ],
    [
      "a linked image",
      { type: "image", source: { kind: "url", url: "https://a.example/b.png" }, detail: "low" },
      { type: "image", source: { type: "url", url: "https://a.example/b.png" } },
    ],
    [
      "an image sent as a file",
      { type: "file", source: { kind: "data", base64: "/9j/AAAA" }, mediaType: "image/jpeg" },
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "/9j/AAAA" } },
    ],
    [
      "a book",
      { type: "file", source: { kind: "data", base64: "JVBERi0x" }, filename: "a.pdf" },
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: "JVBERi0x" },
        title: "a.pdf",
      },
    ],
    [
      "notes, of any stated type",
      {
        type: "file",
        source: { kind: "data", base64: "R3LDvMOfZQ==" },
        mediaType: "text/markdown",
      },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "Grüße" } },
    ],
  ])("%s", (_what, block, expected) => {
    expect(written(shown(block)).body["messages"]).toEqual([{ role: "user", content: [expected] }]);
  });
});

describe("cache marks are four at most, the long ones first", () => {
  const marked = (text: string, cache: "short" | "long"): Block => ({ type: "text", text, cache });

  test("they are unchanged up to the limit", () => {
    const { body, lost } = written({
      messages: [
        { role: "system", blocks: [marked("s", "long")] },
        { role: "user", blocks: [marked("u", "short"), { type: "text", text: "v" }] },
      ],
    });

    expect(body["system"]).toEqual([
      { type: "text", text: "s", cache_control: { type: "ephemeral", ttl: "1h" } },
    ]);
    expect(body["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "u", cache_control: { type: "ephemeral" } },
          { type: "text", text: "v" },
        ],
      },
    ]);
    expect(lost).toEqual([]);
  });

  test("above it the first and the last stay, and a long one behind a short one is shortened", () => {
    const { body, lost } = written({
      messages: [
        { role: "system", blocks: [marked("s", "short")] },
        { role: "user", blocks: ["a", "b", "c", "d", "e"].map((text) => marked(text, "long")) },
      ],
    });
    const text = JSON.stringify(body);

    expect(text.match(/cache_control/g)?.length).toBe(4);
    expect(text).not.toContain("1h");
    expect(body["messages"]).toMatchObject([
      {
        content: [
          { text: "a" },
          { text: "b" },
          { cache_control: {} },
          { cache_control: {} },
          { cache_control: {} },
        ],
      },
    ]);
    expect(lost).toEqual(["cache_control"]);
  });

  test("one within a tool result moves to the end of the result", () => {
    const { body } = written({
      messages: [
        {
          role: "assistant",
          blocks: [{ type: "tool_call", id: "a", name: "f", arguments: "{}", kind: "function" }],
        },
        {
          role: "tool",
          blocks: [{ type: "tool_result", callId: "a", blocks: [marked("r", "short")] }],
        },
      ],
    });

    expect(JSON.stringify(body["messages"])).toContain(
      '{"type":"tool_result","tool_use_id":"a","content":"r","cache_control":{"type":"ephemeral"}}',
    );
  });
});

describe("[A4.3-09] an output format", () => {
  test("with a schema is enforced, in the subset that vendors support", () => {
    const schema = {
      type: "object",
      properties: {
        age: { type: "integer", minimum: 0, maximum: 150, description: "Years." },
        tags: {
          type: "array",
          items: { type: "object", properties: { a: { $ref: "#/$defs/n" } } },
        },
      },
      required: ["age"],
      $defs: { n: { anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }] } },
    };
    const { body, lost } = written({
      format: { type: "json_schema", name: "person", description: "A person.", schema },
    });

    expect(body["output_config"]).toEqual({
      format: {
        type: "json_schema",
        schema: {
          description: "A person.",
          type: "object",
          properties: {
            age: { type: "integer", description: "Years.\n\n{minimum: 0, maximum: 150}" },
            tags: {
              type: "array",
              items: {
                type: "object",
                properties: { a: { $ref: "#/$defs/n" } },
                additionalProperties: false,
              },
            },
          },
          required: ["age"],
          $defs: {
            n: { anyOf: [{ type: "string", description: "{maxLength: 3}" }, { type: "null" }] },
          },
          additionalProperties: false,
        },
      },
    });
    // Its bounds are told, and not enforced.
    expect(lost).toEqual(["response_format"]);
  });

  test.each<[JsonObject, JsonObject]>([
    [
      { type: "object", properties: { a: {} }, additionalProperties: true },
      { type: "object", properties: { a: {} }, additionalProperties: false },
    ],
    [
      { type: ["object", "null"], additionalProperties: false },
      { type: ["object", "null"], additionalProperties: false },
    ],
    [
      { type: "object", $ref: "#/$defs/a", $defs: { a: { properties: { b: {} } } } },
      {
        type: "object",
        $ref: "#/$defs/a",
        $defs: { a: { properties: { b: {} }, additionalProperties: false } },
        additionalProperties: false,
      },
    ],
    [
      { type: "array", minItems: 1, maxItems: 3, items: { type: "string", minLength: 2 } },
      {
        type: "array",
        minItems: 1,
        description: "{maxItems: 3}",
        items: { type: "string", description: "{minLength: 2}" },
      },
    ],
    [
      { type: "array", minItems: 2 },
      { type: "array", description: "{minItems: 2}" },
    ],
    [
      { anyOf: "odd", properties: 7, items: null, type: ["string"] },
      { anyOf: "odd", properties: 7, items: null, type: ["string"] },
    ],
  ])("is adapted for any schema: %j", (schema, expected) => {
    const { body } = written({ format: { type: "json_schema", name: "a", schema } });

    expect(body["output_config"]).toEqual({ format: { type: "json_schema", schema: expected } });
  });

  const TEXT = { type: "string" };
  test.each<[string, JsonObject]>([
    ["a map", { type: "object", additionalProperties: TEXT }],
    ["any object", { type: "object" }],
    ["names by a pattern", { type: "object", patternProperties: { "^a": TEXT } }],
    ["a map within a list", { type: "array", items: { type: ["object", "null"] } }],
    [
      "a map that is referred to",
      {
        type: "object",
        properties: { a: { anyOf: [{ $ref: "#/$defs/m" }] } },
        $defs: { m: { type: "object", additionalProperties: {} } },
      },
    ],
  ])(
    "with %s in it becomes an instruction, since a closed object could only be empty",
    (_what, schema) => {
      const { body, lost } = written({ format: { type: "json_schema", name: "a", schema } });

      expect(body["output_config"]).toBeUndefined();
      expect(body["system"]).toContain(JSON.stringify(schema));
      expect(lost).toEqual(["response_format"]);
    },
  );

  test("of JSON alone becomes an instruction, with a report", () => {
    const { body, lost } = written({
      messages: [said("system", "be brief"), said("user", "hi")],
      format: { type: "json" },
    });

    expect(body["system"]).toMatch(/^be brief\n\n.*JSON/s);
    expect(body["output_config"]).toBeUndefined();
    expect(lost).toEqual(["response_format"]);
  });
});

describe("tools", () => {
  const f = { kind: "function", name: "f" } as const;
  const g = { kind: "function", name: "g" } as const;

  test("without parameters have a schema as well, and a wrong type is corrected", () => {
    const odd = { ...g, parameters: { type: ["object", "null"], properties: { a: {} } } };

    expect(written({ tools: [f, odd] }).body["tools"]).toEqual([
      { name: "f", input_schema: { type: "object", properties: {} } },
      { name: "g", input_schema: { type: "object", properties: { a: {} } } },
    ]);
  });

  test("of free text have an object schema, and their grammar is described", () => {
    const format = { type: "grammar", syntax: "lark", definition: "start: /x+/" };
    const { body } = written({
      tools: [{ kind: "custom", name: "patch", description: "Patches.", format }],
      toolChoice: { mode: "named", name: "patch", kind: "custom" },
      messages: [
        said("user", "a"),
        {
          role: "assistant",
          blocks: [
            { type: "tool_call", id: "c", name: "patch", arguments: "*** x", kind: "custom" },
          ],
        },
        { role: "tool", blocks: [{ type: "tool_result", callId: "c", blocks: [] }] },
      ],
    });

    expect(body["tools"]).toMatchObject([
      {
        name: "patch_xtext_",
        description: expect.stringContaining("start: /x+/"),
        input_schema: { required: ["input"] },
      },
    ]);
    expect(body["tool_choice"]).toEqual({ type: "tool", name: "patch_xtext_" });
    expect(JSON.stringify(body["messages"])).toContain(
      '"name":"patch_xtext_","input":{"input":"*** x"}',
    );
  });

  test.each<[string, Partial<ChatRequest>, Json | undefined]>([
    ["any", { toolChoice: { mode: "auto" } }, { type: "auto" }],
    ["none", { toolChoice: { mode: "none" }, parallelToolCalls: false }, { type: "none" }],
    [
      "one by name",
      { toolChoice: { mode: "named", name: "g", kind: "function" } },
      { type: "tool", name: "g" },
    ],
    [
      "one at a time",
      { parallelToolCalls: false },
      { type: "auto", disable_parallel_tool_use: true },
    ],
    ["several at a time, which is usual", { parallelToolCalls: true }, undefined],
  ])("with a choice: %s", (_what, request, expected) => {
    expect(written({ tools: [f, g], ...request }).body["tool_choice"]).toEqual(expected);
  });

  test("that are excluded are not sent", () => {
    const tools = [{ kind: "function", name: "g" }] as const;
    const { body } = written({
      tools: [f, g],
      toolChoice: { mode: "allowed", required: true, tools },
    });

    expect(body["tools"]).toMatchObject([{ name: "g" }]);
    expect(body["tool_choice"]).toEqual({ type: "any" });
  });

  test("that another style's server runs cannot be allowed, which is reported", () => {
    const { body, lost } = written({
      tools: [f, g],
      toolChoice: {
        mode: "allowed",
        required: true,
        tools: [{ kind: "function", name: "g" }],
        extra: { responses: { allowed_tools: [{ type: "web_search" }] } },
      },
    });

    expect(body["tools"]).toMatchObject([{ name: "g" }]);
    expect(lost).toEqual(["tool_choice.allowed_tools"]);
  });

  test("of earlier calls only are declared, and a choice forbids their use", () => {
    const { body } = written({
      messages: [
        said("user", "a"),
        {
          role: "assistant",
          blocks: [
            { type: "tool_call", id: "c", name: "old.tool", arguments: "", kind: "function" },
          ],
        },
        {
          role: "tool",
          blocks: [{ type: "tool_result", callId: "c", blocks: [{ type: "text", text: "r" }] }],
        },
      ],
      toolChoice: { mode: "auto" },
    });

    expect(body["tools"]).toEqual([
      { name: "old_x2e_tool", input_schema: { type: "object", properties: {} } },
    ]);
    expect(body["tool_choice"]).toEqual({ type: "none" });
  });

  test("that are allowed but not defined are reported, and so are blocked domains beside allowed ones", () => {
    const allowed = ["g", "h"].map((name) => ({ kind: "function", name }) as const);

    expect(
      written({
        tools: [f, g],
        toolChoice: { mode: "allowed", required: false, tools: allowed },
        webSearch: { allowedDomains: ["a.example"], blockedDomains: ["b.example"] },
      }),
    ).toMatchObject({
      body: {
        tools: [{ name: "g" }, { name: "web_search", allowed_domains: ["a.example"] }],
        tool_choice: { type: "auto" },
      },
      lost: ["tool_choice.allowed_tools", "blocked_domains"],
    });
  });

  test("a choice without any tool is omitted", () => {
    expect(written({ toolChoice: { mode: "required" } }).body["tool_choice"]).toBeUndefined();
  });

  test("[A4.5-c] a search tool of the client replaces the upstream's", () => {
    const { body, lost } = written({
      tools: [{ kind: "function", name: "web_search" }],
      webSearch: { maxUses: 2 },
    });

    expect(body["tools"]).toMatchObject([{ name: "web_search", input_schema: {} }]);
    expect(lost).toEqual(["web_search_options"]);
  });

  test.each<[string, string, JsonObject]>([
    ["an object", '{"a":1}', { a: 1 }],
    ["nothing", "", {}],
    ["blank", " \n", {}],
    ["null", "null", {}],
    ["cut short", '{"a":', { _raw: '{"a":' }],
    ["no object", "[1]", { value: [1] }],
  ])("arguments that are %s become an object", (_what, args, expected) => {
    const call: Block = {
      type: "tool_call",
      id: "c",
      name: "f",
      arguments: args,
      kind: "function",
    };
    const { body } = written({
      messages: [said("user", "a"), { role: "assistant", blocks: [call] }],
    });

    expect(body["messages"]).toMatchObject([{}, { content: [{ input: expected }] }, {}]);
  });
});
