import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest, Message } from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import { refusal } from "#test/refusal.ts";
import type { ChatDialect } from "./request/dialect.ts";
import { readRequest } from "./request/facts.ts";
import { parseRequest } from "./request/request-in.ts";
import { buildRequest } from "./request/request-out.ts";

const USER = { role: "user", content: "hi" };

/** Read into the hub and written for an upstream of this style. */
function rewritten(
  fields: JsonObject,
  change: Partial<ChatRequest> = {},
): { body: JsonObject; lost: readonly string[] } {
  const wire = { model: "m", messages: [USER], ...fields };
  readRequest(wire);
  const report = new LossReport();
  return {
    body: buildRequest({ ...parseRequest(wire), ...change }, { report, model: {} }),
    lost: report.fields,
  };
}

/** A request of another style's caller, written for an upstream of this one. */
function written(
  request: Partial<ChatRequest>,
  { model = {}, ...dialect }: ChatDialect & { readonly model?: ModelTraits } = {},
): { body: JsonObject; lost: readonly string[] } {
  const report = new LossReport();
  const whole: ChatRequest = {
    model: "m",
    messages: [said("user", "hi")],
    stream: false,
    sampling: {},
    ...request,
  };
  return { body: buildRequest(whole, { report, model, dialect }), lost: report.fields };
}

function said(role: Message["role"], text: string): Message {
  return { role, blocks: [{ type: "text", text }] };
}

describe("a request of this style is sent as its client wrote it", () => {
  test.each<[string, JsonObject]>([
    [
      "tuning",
      {
        temperature: 0,
        top_p: 0.5,
        top_k: 3,
        seed: 7,
        n: 2,
        presence_penalty: 1,
        frequency_penalty: -1,
        logit_bias: { "50256": -100 },
      },
    ],
    ["a stop text", { stop: "end" }],
    ["more stops than the style allows", { stop: ["a", "b", "c", "d", "e"] }],
    ["the older limit", { max_tokens: 5 }],
    ["the newer limit", { max_completion_tokens: 5 }],
    ["both limits", { max_tokens: 4, max_completion_tokens: 5 }],
    ["probabilities", { logprobs: true, top_logprobs: 2 }],
    [
      "formats",
      {
        response_format: {
          type: "json_schema",
          json_schema: { name: "a", schema: { type: "object" }, strict: true },
        },
      },
    ],
    ["a vendor's format", { response_format: { type: "regex", pattern: "a+" } }],
    ["sound", { modalities: ["text", "audio"], audio: { voice: "v", format: "wav" } }],
    [
      "search",
      {
        web_search_options: {
          search_context_size: "low",
          user_location: { type: "approximate", approximate: { city: "Bern" } },
        },
      },
    ],
    [
      "reasoning, in any of its forms",
      {
        reasoning_effort: "high",
        thinking: { type: "enabled", clear_thinking: false },
        enable_thinking: true,
        thinking_budget: 9,
        reasoning: { effort: "low" },
      },
    ],
    [
      "a vendor's reasoning",
      {
        extra_body: {
          brand: { thinking_config: { thinking_budget: 5 }, tools: [{ vendorSearch: {} }] },
        },
      },
    ],
    [
      "a reasoning level",
      { generationConfig: { thinkingConfig: { thinkingLevel: "LOW" }, other: 1 } },
    ],
    [
      "a family's parameters",
      { parameters: { incremental_output: true, asr_options: { language: "de" } } },
    ],
    [
      "bookkeeping",
      {
        user: "u",
        metadata: { a: "b" },
        store: false,
        service_tier: "flex",
        prompt_cache_key: "k",
      },
    ],
    ["an unknown field", { brand_new: { a: [1, null] } }],
    [
      "tools",
      {
        tools: [
          {
            type: "function",
            function: {
              name: "f",
              description: "d",
              parameters: { type: "object" },
              strict: false,
            },
            cache_control: { type: "ephemeral" },
          },
          { type: "custom", custom: { name: "c", format: { type: "text" } } },
        ],
        tool_choice: { type: "function", function: { name: "f" } },
        parallel_tool_calls: false,
      },
    ],
    ["a vendor's tools", { tools: [{ type: "web_search", limit: 3 }], tool_choice: "auto" }],
    [
      "a choice of several tools",
      {
        tools: [{ type: "function", function: { name: "f" } }],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }] },
        },
      },
    ],
    [
      "a choice among a vendor's own tools too",
      {
        tools: [{ type: "function", function: { name: "f" } }],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: [{ type: "novel", novel: {} }] },
        },
      },
    ],
    [
      "the other value for required",
      { tools: [{ type: "function", function: { name: "f" } }], tool_choice: "any" },
    ],
  ])("%s", (_what, fields) => {
    expect(rewritten(fields)).toEqual({
      body: { model: "m", messages: [USER], ...fields },
      lost: [],
    });
  });

  test.each<[string, JsonObject[]]>([
    [
      "every role",
      [{ role: "system", content: "s" }, { role: "developer", content: "d", name: "x" }, USER],
    ],
    ["one part, which stays a part", [{ role: "user", content: [{ type: "text", text: "a" }] }]],
    [
      "parts",
      [
        {
          role: "user",
          content: [
            { type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
            { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
            { type: "file", file: { file_id: "file-1" } },
            {
              type: "file",
              file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
            },
            { type: "video_url", video_url: { url: "https://a.example/b.mp4" }, fps: 2 },
          ],
        },
      ],
    ],
    [
      "other ways to write them",
      [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: "https://a.example/b.png" },
            { type: "input_audio", input_audio: "AAAA" },
            { type: "input_audio", input_audio: { data: "data:;base64,AAAA" } },
          ],
        },
      ],
    ],
    [
      "unknown parts",
      [{ role: "user", content: [{ type: "document_url", document_url: "https://a.example/b" }] }],
    ],
    [
      "a conversation with tools",
      [
        USER,
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c1", type: "function", function: { name: "f", arguments: '{"a": 1}' } },
            { id: "c2", type: "custom", custom: { name: "g", input: "raw" } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "1", name: "f" },
        { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "2" }] },
      ],
    ],
    [
      "reasoning sent back",
      [
        USER,
        { role: "assistant", content: "4", reasoning_content: "2+2" },
        {
          role: "assistant",
          content: "",
          reasoning: "r",
          reasoning_details: [
            { type: "reasoning.text", text: "r", signature: { issuer: "other", value: "s" } },
          ],
        },
      ],
    ],
    [
      "a refusal and a spoken answer",
      [
        { role: "assistant", content: null, refusal: "no" },
        { role: "assistant", content: null, audio: { id: "audio_1" } },
      ],
    ],
    [
      "unknown members",
      [
        { role: "assistant", content: "a", prefix: true },
        { role: "user", content: "b", cache_control: { type: "ephemeral" } },
      ],
    ],
    [
      "a vendor's signature on a call",
      [
        {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: "c",
              type: "function",
              function: { name: "f", arguments: "{}" },
              extra_content: { brand: { thought_signature: "sig" } },
            },
          ],
        },
      ],
    ],
    [
      "an image in a tool result",
      [
        {
          role: "tool",
          tool_call_id: "c",
          content: [
            { type: "text", text: "see" },
            { type: "image_url", image_url: { url: "https://a.example/b.png" } },
          ],
        },
      ],
    ],
  ])("messages: %s", (_what, messages) => {
    expect(rewritten({ messages })).toEqual({ body: { model: "m", messages }, lost: [] });
  });
});

test("a call has the kind of its type, with any other members", () => {
  const custom = { name: "", input: "" };
  const tool_calls = [
    { id: "a", type: "function", function: { name: "f", arguments: "{}" }, custom },
    { id: "b", type: "custom", function: null, custom: { name: "g", input: "raw" } },
  ];
  const wire = { model: "m", messages: [{ role: "assistant", content: null, tool_calls }] };

  expect(parseRequest(wire).messages[0]?.blocks).toMatchObject([
    { name: "f", kind: "function", arguments: "{}" },
    { name: "g", kind: "custom", arguments: "raw" },
  ]);
});

describe("differences in the upstream request", () => {
  test("usage is always requested, with any other stream options", () => {
    const { body } = rewritten({ stream: true, stream_options: { include_obfuscation: false } });

    expect(body).toMatchObject({
      stream: true,
      stream_options: { include_obfuscation: false, include_usage: true },
    });
  });

  test("[A4.3-11] the option for reasoning in the content is applied by the gateway", () => {
    expect(rewritten({ svc_thinking_to_content: true, enable_thinking: true }).body).toEqual({
      model: "m",
      messages: [USER],
      enable_thinking: true,
    });
  });

  test("options for tools are omitted without tools", () => {
    expect(rewritten({ tools: [], tool_choice: "auto", parallel_tool_calls: false }).body).toEqual({
      model: "m",
      messages: [USER],
    });
  });

  test("a changed meaning is written again", () => {
    const { body } = rewritten(
      { max_completion_tokens: 5, thinking: { type: "enabled" } },
      { maxOutputTokens: 9, reasoning: { effort: "low" } },
    );

    expect(body).toEqual({ model: "m", messages: [USER], max_tokens: 9, reasoning_effort: "low" });
  });

  test("an image that was downloaded is sent as its content", () => {
    const wire = {
      model: "m",
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "https://a.example/b.png", detail: "low" } },
          ],
        },
      ],
    };
    const request = parseRequest(wire);
    const messages = request.messages.map((message) => ({
      ...message,
      blocks: message.blocks.map((block): Block =>
        block.type === "image"
          ? { ...block, source: { kind: "data", base64: "AAAA" }, mediaType: "image/webp" }
          : block,
      ),
    }));

    expect(
      buildRequest({ ...request, messages }, { report: new LossReport(), model: {} })["messages"],
    ).toEqual([
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "data:image/webp;base64,AAAA", detail: "low" } },
        ],
      },
    ]);
  });
});

describe("functions, the older form of tools", () => {
  const FUNCTIONS = {
    functions: [{ name: "f", parameters: { type: "object" } }],
    function_call: { name: "f" },
  };

  test("become tools, one call at a time", () => {
    expect(rewritten(FUNCTIONS).body).toEqual({
      model: "m",
      messages: [USER],
      tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
      tool_choice: { type: "function", function: { name: "f" } },
      parallel_tool_calls: false,
    });
  });

  test("[A4.3-02] a call and its result are matched again", () => {
    const messages = [
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "1" },
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "2" },
    ];

    expect(rewritten({ ...FUNCTIONS, messages }).body["messages"]).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_function_1", type: "function", function: { name: "f", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "call_function_1", content: "1", name: "f" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_function_2", type: "function", function: { name: "f", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "call_function_2", content: "2", name: "f" },
    ]);
  });
});

describe("[A4.3-04] [A4.3-14] reasoning options are read in every form that clients write", () => {
  test.each<[string, JsonObject, ChatRequest["reasoning"]]>([
    ["an effort", { reasoning_effort: "low" }, { effort: "low" }],
    ["a switch", { thinking: { type: "enabled" } }, { enabled: true }],
    ["a switch that is off", { thinking: { type: "disabled" } }, { enabled: false }],
    ["nothing, which is not on", {}, undefined],
    [
      "a switch with a budget",
      { thinking: { type: "enabled", budget_tokens: 2048 } },
      { enabled: true, budgetTokens: 2048 },
    ],
    [
      "another family's switch",
      { enable_thinking: true, thinking_budget: 100 },
      { enabled: true, budgetTokens: 100 },
    ],
    [
      "a vendor's budget",
      {
        extra_body: { brand: { thinking_config: { thinking_budget: -1, include_thoughts: true } } },
      },
      { budgetTokens: -1, visible: true },
    ],
    [
      "a vendor's budget at the root",
      { brand: { thinking_config: { thinking_budget: 0 } } },
      { budgetTokens: 0 },
    ],
    [
      "a level",
      { generationConfig: { thinkingConfig: { thinkingLevel: "HIGH" } } },
      { effort: "high", visible: true },
    ],
    [
      "a level that is not to be seen",
      {
        generationConfig: { thinkingConfig: { thinkingLevel: "low", includeThoughts: false } },
      },
      { effort: "low", visible: false },
    ],
    [
      "a vendor's token limit, which includes reasoning",
      { extra_body: { brand: { thinking_config: { thinking_budget: 512 } } } },
      { budgetTokens: 512, visible: true },
    ],
    [
      "a vendor's number of tokens, not to be shown",
      {
        extra_body: {
          brand: { thinking_config: { thinking_budget: 512, include_thoughts: false } },
        },
      },
      { budgetTokens: 512, visible: false },
    ],
    [
      "a family's budget among its parameters",
      { enable_thinking: true, parameters: { thinking_budget: 64 } },
      { enabled: true, budgetTokens: 64 },
    ],
    [
      "an object",
      { reasoning: { effort: "high", max_tokens: 5, exclude: true } },
      { effort: "high", budgetTokens: 5, visible: false },
    ],
  ])("%s", (_form, fields, expected) => {
    expect(parseRequest({ model: "m", messages: [USER], ...fields }).reasoning).toEqual(expected);
  });

  test("members beside it in the vendor's object are kept for upstreams that support them", () => {
    const { extra } = parseRequest({
      model: "m",
      messages: [USER],
      extra_body: {
        brand: { thinking_config: { thinking_budget: 1 }, cached_content: "c" },
        other: 1,
      },
    });

    expect(extra).toEqual({
      chat: { extra_body: { brand: { cached_content: "c" }, other: 1 } },
    });
  });
});

describe("a request of another style", () => {
  test("is written in this style", () => {
    const { body, lost } = written(
      {
        stream: true,
        messages: [
          said("system", "in JSON"),
          {
            role: "user",
            blocks: [
              { type: "text", text: "a" },
              { type: "image", source: { kind: "data", base64: "AAAA" }, mediaType: "image/jpeg" },
            ],
          },
        ],
        sampling: { temperature: 0.5, topP: 0.9, seed: 3 },
        maxOutputTokens: 7,
        stop: ["x"],
        tools: [{ kind: "function", name: "f", parameters: { type: "object" } }],
        toolChoice: { mode: "required" },
        format: { type: "json" },
        webSearch: { contextSize: "high", location: { country: "CH" } },
        logprobs: { top: 1 },
        user: "u",
      },
      { webSearch: { as: "options" } },
    );

    expect(body).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "in JSON" },
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "image_url", image_url: { url: "data:image/jpeg;base64,AAAA" } },
          ],
        },
      ],
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
      top_p: 0.9,
      seed: 3,
      max_tokens: 7,
      stop: ["x"],
      tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
      tool_choice: "required",
      response_format: { type: "json_object" },
      web_search_options: {
        search_context_size: "high",
        user_location: { type: "approximate", approximate: { country: "CH" } },
      },
      logprobs: true,
      top_logprobs: 1,
      user: "u",
    });
    expect(lost).toEqual([]);
  });

  test("with several texts has one, since many servers accept nothing else", () => {
    const texts: Block[] = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];

    expect(
      written({
        messages: [
          { role: "system", blocks: texts },
          { role: "assistant", blocks: texts },
        ],
      }).body["messages"],
    ).toEqual([
      { role: "system", content: "a\n\nb" },
      { role: "assistant", content: "ab" },
    ]);
  });

  test("[A4.3-02] has a tool's results first and together, its images after them, its failure as text", () => {
    const { body } = written({
      messages: [
        {
          role: "assistant",
          blocks: [
            { type: "tool_call", id: "c1", name: "f", arguments: "{}", kind: "function" },
            { type: "tool_call", id: "c2", name: "f", arguments: "{}", kind: "function" },
          ],
        },
        {
          role: "user",
          blocks: [
            { type: "text", text: "go on" },
            {
              type: "tool_result",
              callId: "c1",
              blocks: [
                { type: "text", text: "see" },
                { type: "image", source: { kind: "url", url: "https://a.example/b.png" } },
              ],
            },
            {
              type: "tool_result",
              callId: "c2",
              isError: true,
              blocks: [{ type: "text", text: "no such file" }],
            },
          ],
        },
      ],
    });

    expect(body["messages"]).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "f", arguments: "{}" } },
          { id: "c2", type: "function", function: { name: "f", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "see" },
      { role: "tool", tool_call_id: "c2", content: "Error: no such file" },
      {
        role: "user",
        content: [{ type: "image_url", image_url: { url: "https://a.example/b.png" } }],
      },
      { role: "user", content: "go on" },
    ]);
  });

  test.each<[string, Partial<ChatRequest>, string[]]>([
    ["top_k", { sampling: { topK: 5 } }, ["top_k"]],
    ["more stops than there may be", { stop: ["a", "b", "c", "d", "e"] }, ["stop"]],
    ["an exact budget", { reasoning: { budgetTokens: 2_000 } }, ["reasoning.budget_tokens"]],
    ["no reasoning at all", { reasoning: { enabled: false } }, ["reasoning"]],
    [
      "its own fields",
      { extra: { other: { container: "x", thread: 1 } } },
      ["container", "thread"],
    ],
    [
      "caching marks",
      { messages: [{ role: "user", blocks: [{ type: "text", text: "a", cache: "short" }] }] },
      ["cache_control"],
    ],
    [
      "earlier reasoning",
      {
        messages: [
          {
            role: "assistant",
            blocks: [
              { type: "reasoning", text: "r", signature: { issuer: "other", value: "s" } },
              { type: "text", text: "a" },
            ],
          },
        ],
      },
      ["reasoning"],
    ],
    [
      "content of its own kind",
      {
        messages: [
          {
            role: "user",
            blocks: [
              { type: "other", style: "other", data: { type: "search_result" } },
              { type: "text", text: "a" },
            ],
          },
        ],
      },
      ["messages.search_result"],
    ],
    [
      "a generated image",
      {
        messages: [
          {
            role: "assistant",
            blocks: [{ type: "image", source: { kind: "data", base64: "AAAA" } }],
          },
        ],
      },
      ["messages.image"],
    ],
  ])("reports fields that cannot be carried: %s", (_what, request, lost) => {
    expect(written(request).lost).toEqual(lost);
  });

  test.each<[number, string]>([
    [1_024, "low"],
    [12_000, "medium"],
    [20_000, "high"],
  ])("a budget of %i tokens is about effort %s", (budgetTokens, effort) => {
    expect(written({ reasoning: { budgetTokens } }).body["reasoning_effort"]).toBe(effort);
  });

  test.each<[string, Block]>([
    ["a file of another vendor", { type: "file", source: { kind: "reference", id: "file_1" } }],
    ["an image of another vendor", { type: "image", source: { kind: "reference", id: "img_1" } }],
    [
      "sound behind a link",
      { type: "audio", source: { kind: "url", url: "https://a.example/b.mp3" } },
    ],
    [
      "a file behind a link",
      { type: "file", source: { kind: "url", url: "https://a.example/b.pdf" } },
    ],
  ])("is refused if a loss would change the result: %s", (_what, block) => {
    const messages: Message[] = [said("user", "a"), { role: "user", blocks: [block] }];

    expect(refusal(() => written({ messages }))).toEqual(["not_carried", "messages[1]"]);
  });
});
