import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, textAt } from "./testing/chat.ts";
import { FORECAST, postMessages, say } from "./testing/messages.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

/** Status, type, and the beginning of the message, which says where. */
async function refusalOf(
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly [string, string]> {
  const response = await postMessages(sandbox, body, headers);
  const error = asObject(parseJson(await response.text()));
  return [
    `${response.status} ${textAt(error, "error", "type")}`,
    textAt(error, "error", "message"),
  ];
}

const question = { role: "user", content: "hi" };

function talk(...messages: readonly Json[]): JsonObject {
  return { model: "claude-sonnet-4-5", max_tokens: 100, messages };
}

function says(...content: readonly Json[]): JsonObject {
  return talk({ role: "user", content });
}

const call = { type: "tool_use", id: "toolu_1", name: "f", input: {} };
const result = { type: "tool_result", tool_use_id: "toolu_1", content: "x" };
const asked = [question, { role: "assistant", content: [call] }] as const;
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAC0lEQVR4nGNgwAQAABAAAVJKdW0AAAAASUVORK5CYII=";

/** Only the head of one, which is all that is looked at. */
function wide(pixels: number): string {
  const bytes = Buffer.from(png, "base64");
  bytes.writeUInt32BE(pixels, 16);
  return bytes.toString("base64");
}

function image(media_type: string, data: string): JsonObject {
  return { type: "image", source: { type: "base64", media_type, data } };
}

function cached(text: string, ttl = "5m"): JsonObject {
  return { type: "text", text, cache_control: { type: "ephemeral", ttl } };
}

function schemed(schema: JsonObject): JsonObject {
  return say("hi", { output_config: { format: { type: "json_schema", schema } } });
}

const thinking = { type: "enabled", budget_tokens: 1_024 };

test.each<[string, JsonObject, string]>([
  ["no model", { max_tokens: 5, messages: [question] }, "model: Field required"],
  [
    "no max_tokens",
    { model: "claude-sonnet-4-5", messages: [question] },
    "max_tokens: Field required",
  ],
  [
    "max_tokens below nothing",
    say("hi", { max_tokens: -1 }),
    "max_tokens: Input should be greater",
  ],
  [
    "max_tokens in letters",
    say("hi", { max_tokens: "9" }),
    "max_tokens: Input should be a valid integer",
  ],
  [
    "more tokens than the model can write",
    say("hi", { model: "claude-3-5-sonnet-20241022", max_tokens: 8_193 }),
    "max_tokens: 8193 > 8192",
  ],
  ["no messages", { model: "claude-sonnet-4-5", max_tokens: 5 }, "messages: Field required"],
  ["an empty list of messages", talk(), "messages: at least one message is required"],
  [
    "messages that are no list",
    { ...talk(), messages: "hi" },
    "messages: Input should be a valid list",
  ],
  ["a message that is no object", talk("hi"), "messages.0: Input should be a valid dictionary"],
  [
    "an unknown role",
    talk({ role: "wizard", content: "hi" }),
    "messages.0.role: Input should be 'user' or 'assistant'",
  ],
  [
    "a system message",
    talk({ role: "system", content: "hi" }),
    'messages: Unexpected role "system"',
  ],
  ["no content", talk({ role: "user" }), "messages.0.content: Field required"],
  [
    "empty content",
    talk({ role: "user", content: "" }),
    "messages.0: user messages must have non-empty",
  ],
  [
    "an empty answer in the middle",
    talk(question, { role: "assistant", content: [] }, question),
    "messages.1: all messages must have non-empty content",
  ],
  [
    "an empty text",
    says({ type: "text", text: "" }),
    "messages: text content blocks must be non-empty",
  ],
  [
    "an answer first",
    talk({ role: "assistant", content: "hi" }),
    "messages: first message must use",
  ],
  [
    "a begun answer that ends in a blank",
    talk(question, { role: "assistant", content: "So " }),
    "messages: final assistant content cannot end",
  ],
  ["an unknown field", say("hi", { n: 2 }), "n: Extra inputs are not permitted"],
  [
    "an unknown field of a message",
    talk({ ...question, name: "x" }),
    "messages.0.name: Extra inputs are not permitted",
  ],
  [
    "an unknown kind of block",
    says({ type: "image_url", image_url: {} }),
    "messages.0.content.0: Input tag 'image_url' found using 'type'",
  ],
  [
    "an unknown field of a block",
    says({ type: "text", text: "a", detail: 1 }),
    "messages.0.content.0.text.detail: Extra inputs",
  ],
  [
    "a block that only the model may send",
    says(call),
    "messages.0: `tool_use` blocks can only be in `assistant` messages",
  ],
  [
    "a block that only the user may send",
    talk(question, { role: "assistant", content: [image("image/png", png)] }),
    "messages.1: `image` blocks can only be in `user` messages",
  ],
  ["an image that is no image", says(image("image/png", "aGVsbG8=")), "Could not process image"],
  [
    "an image of another type",
    says(image("image/jpeg", png)),
    "messages.0.content.0.image.source.base64: The image was specified using the image/jpeg media type",
  ],
  [
    "an image of an unknown type",
    says(image("image/bmp", png)),
    "messages.0.content.0.image.source.base64.media_type: Input should be",
  ],
  [
    "base64 that is invalid",
    says(image("image/png", "@@@")),
    "messages.0.content.0.image.source.base64.data: Invalid base64 data",
  ],
  [
    "a data URL for an image",
    says({ type: "image", source: { type: "url", url: `data:image/png;base64,${png}` } }),
    "messages.0.content.0.image.source.url.url: Only HTTPS URLs",
  ],
  [
    "a PDF that is invalid",
    says({
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "aGVsbG8=" },
    }),
    "messages.0.content.0.document.source.base64: The PDF specified was not valid.",
  ],
  ["a temperature above 1", say("hi", { temperature: 1.1 }), "temperature: Input should be less"],
  ["a top_p above 1", say("hi", { top_p: 1.1 }), "top_p: Input should be less"],
  ["a top_k below 0", say("hi", { top_k: -2 }), "top_k: Input should be greater"],
  [
    "temperature and top_p at once",
    say("hi", { temperature: 1, top_p: 0.9 }),
    "`temperature` and `top_p` cannot both be specified",
  ],
  [
    "a temperature for a model without one",
    say("hi", { model: "claude-opus-4-7", temperature: 0.5 }),
    "`temperature` is deprecated for this model.",
  ],
  [
    "thinking switched off that is always on",
    say("hi", { model: "claude-fable-5", thinking: { type: "disabled" } }),
    '"thinking.type.disabled" is not supported for this model.',
  ],
  [
    "thinking switched off beside a great effort",
    say("hi", {
      model: "claude-opus-5",
      thinking: { type: "disabled" },
      output_config: { effort: "max" },
    }),
    '"thinking.type.disabled" is not supported with an effort of max for this model.',
  ],
  [
    "a blank stop sequence",
    say("hi", { stop_sequences: [" "] }),
    "stop_sequences: each stop sequence",
  ],
  [
    "a user id of 257 letters",
    say("hi", { metadata: { user_id: "u".repeat(257) } }),
    "metadata.user_id: String should have at most 256",
  ],
  ["an unknown tier", say("hi", { service_tier: "fast" }), "service_tier: Input should be 'auto'"],
  [
    "an unknown cache",
    says({ type: "text", text: "a", cache_control: { type: "persistent" } }),
    "messages.0.content.0.text.cache_control: Input tag 'persistent'",
  ],
  [
    "an unknown time to live",
    says(cached("a", "2h")),
    "messages.0.content.0.text.cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
  ],
  [
    "five places to cache",
    says(...["a", "b", "c", "d", "e"].map((text) => cached(text))),
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  ],
  [
    "a long time to live after a short one",
    says(cached("a"), cached("b", "1h")),
    "messages.0.content.1.cache_control.ttl: a ttl='1h' cache_control block must not come after",
  ],
  [
    "an empty text to cache",
    say("hi", { system: [cached("")] }),
    "cache_control cannot be set for empty text",
  ],
  [
    "an empty part of the system prompt",
    say("hi", { system: [{ type: "text", text: "" }] }),
    "system: text content blocks",
  ],
  [
    "a cache mark on reasoning",
    talk(question, {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "", signature: "x", cache_control: { type: "ephemeral" } },
      ],
    }),
    "messages.1.content.0.thinking.cache_control: Extra inputs",
  ],
  [
    "a tool without a schema",
    say("hi", { tools: [{ name: "f" }] }),
    "tools.0.custom.input_schema: Field required",
  ],
  [
    "a schema without a type",
    say("hi", { tools: [{ name: "f", input_schema: {} }] }),
    "tools.0.custom.input_schema.type: Field required",
  ],
  [
    "a tool name with a blank",
    say("hi", { tools: [{ ...FORECAST, name: "a b" }] }),
    "tools.0.custom.name: String should match pattern",
  ],
  [
    "a tool in another vendor's format",
    say("hi", { tools: [{ type: "function", function: { name: "f" } }] }),
    "tools.0: Input tag 'function' found using 'type'",
  ],
  [
    "two tools of one name",
    say("hi", { tools: [FORECAST, FORECAST] }),
    "tools: Tool names must be unique.",
  ],
  [
    "a tool whose beta was not asked for",
    say("hi", {
      tools: [
        { type: "computer_20250124", name: "computer", display_width_px: 9, display_height_px: 9 },
      ],
    }),
    "tools.0: Input tag 'computer_20250124'",
  ],
  [
    "a known tool under another name",
    say("hi", { tools: [{ type: "web_search_20250305", name: "google" }] }),
    "tools.0.web_search_20250305.name: Input should be 'web_search'",
  ],
  [
    "domains both allowed and blocked",
    say("hi", {
      tools: [
        {
          type: "web_search_20250305",
          name: "web_search",
          allowed_domains: ["a.com"],
          blocked_domains: ["b.com"],
        },
      ],
    }),
    "tools.0.web_search_20250305: Only one of",
  ],
  [
    "tool_choice without tools",
    say("hi", { tool_choice: { type: "auto" } }),
    "tool_choice: may only be specified while providing tools",
  ],
  [
    "a tool_choice that is not offered",
    say("hi", { tools: [FORECAST], tool_choice: { type: "tool", name: "g" } }),
    "Tool 'g' not found in provided tools",
  ],
  [
    "no choice of tools, and no parallel ones either",
    say("hi", {
      tools: [FORECAST],
      tool_choice: { type: "none", disable_parallel_tool_use: true },
    }),
    "tool_choice.none.disable_parallel_tool_use: Extra inputs",
  ],
  [
    "a call without a result",
    talk(...asked, question),
    "messages.1: `tool_use` ids were found without",
  ],
  ["a call that is left open", talk(...asked), "messages.1: `tool_use` ids were found without"],
  [
    "an answer that comes after a text",
    talk(...asked, { role: "user", content: [{ type: "text", text: "here:" }, result] }),
    "messages.1: `tool_use` ids were found without",
  ],
  ["an answer to no call", says(result), "messages.0.content.0: unexpected `tool_use_id` found"],
  [
    "two answers to one call",
    talk(...asked, { role: "user", content: [result, result] }),
    "messages.2.content.1: each tool_use must have a single result.",
  ],
  [
    "two calls of one id",
    talk(
      question,
      { role: "assistant", content: [call, call] },
      { role: "user", content: [result] },
    ),
    "messages.1.content.1: `tool_use` ids must be unique",
  ],
  [
    "a call id with a colon",
    talk(question, { role: "assistant", content: [{ ...call, id: "functions.f:0" }] }),
    "messages.1.content.0.tool_use.id: String should match pattern",
  ],
  [
    "arguments as a text",
    talk(question, { role: "assistant", content: [{ ...call, input: "{}" }] }),
    "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
  ],
  [
    "a search without its result",
    talk(
      question,
      {
        role: "assistant",
        content: [{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }],
      },
      question,
    ),
    "messages.1.content.0: `web_search` tool use with id `srvtoolu_1` was found without",
  ],
  [
    "an open object in a schema",
    schemed({ type: "object", properties: {} }),
    "output_config.format.schema: For 'object' type, 'additionalProperties' must be",
  ],
  [
    "a minimum in a schema",
    schemed({
      type: "object",
      additionalProperties: false,
      properties: { a: { type: "integer", minimum: 1 } },
    }),
    "output_config.format.schema: For 'integer' type, property 'minimum' is not supported",
  ],
  [
    "a strict tool with an open object",
    say("hi", { tools: [{ ...FORECAST, strict: true }] }),
    "tools.0.custom: For 'object' type",
  ],
  [
    "a schema for a model without schemas",
    say("hi", {
      model: "claude-sonnet-4-0",
      output_config: {
        format: { type: "json_schema", schema: { type: "object", additionalProperties: false } },
      },
    }),
    "'claude-sonnet-4-20250514' does not support output format.",
  ],
  [
    "an effort for a model without efforts",
    say("hi", { output_config: { effort: "low" } }),
    "This model does not support the effort parameter.",
  ],
  [
    "an effort that the model does not know",
    say("hi", { model: "claude-opus-4-6", output_config: { effort: "xhigh" } }),
    "output_config.effort: 'xhigh' is not supported",
  ],
  [
    "an assistant prefix for a model without prefixes",
    { ...talk(question, { role: "assistant", content: "{" }), model: "claude-opus-4-6" },
    "This model does not support assistant message prefill.",
  ],
  [
    "thinking in an unknown way",
    say("hi", { thinking: { type: "auto" } }),
    "thinking: Input tag 'auto' found using 'type'",
  ],
  [
    "thinking without a budget",
    say("hi", { thinking: { type: "enabled" } }),
    "thinking.enabled.budget_tokens: Field required",
  ],
  [
    "a budget below 1024",
    say("hi", { thinking: { type: "enabled", budget_tokens: 1_023 } }),
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
  ],
  [
    "a budget that leaves no room for an answer",
    say("hi", { max_tokens: 1_024, thinking }),
    "`max_tokens` must be greater than `thinking.budget_tokens`.",
  ],
  [
    "a temperature while thinking",
    say("hi", { thinking, temperature: 0.5 }),
    "`temperature` may only be set to 1",
  ],
  ["a top_k while thinking", say("hi", { thinking, top_k: 5 }), "`top_k` must be unset"],
  [
    "a small top_p while thinking",
    say("hi", { thinking, top_p: 0.9 }),
    "`top_p` must be greater than",
  ],
  [
    "a tool demanded while thinking",
    say("hi", { thinking, tools: [FORECAST], tool_choice: { type: "any" } }),
    "Thinking may not be enabled when tool_choice forces tool use.",
  ],
  [
    "thinking for a model that does not",
    say("hi", { model: "claude-3-5-sonnet-20241022", thinking }),
    "thinking is not supported on this model",
  ],
  [
    "a budget for a model with adaptive thinking",
    say("hi", { model: "claude-opus-4-8", thinking }),
    '"thinking.type.enabled" is not supported for this model.',
  ],
  [
    "thinking as it likes for a model that needs a budget",
    say("hi", { thinking: { type: "adaptive" } }),
    "adaptive thinking is not supported on this model",
  ],
  [
    "MCP servers without their beta",
    say("hi", { mcp_servers: [] }),
    "mcp_servers: Extra inputs are not permitted",
  ],
  [
    "edits of the context without their beta",
    say("hi", { context_management: { edits: [] } }),
    "context_management: Extra inputs are not permitted",
  ],
  [
    "a stored file without its beta",
    says({ type: "image", source: { type: "file", file_id: "file_1" } }),
    "messages.0.content.0.image.source.file: File sources are only available",
  ],
  [
    "an image of more than 5 MB",
    says(
      image(
        "image/png",
        Buffer.concat([Buffer.from(png, "base64"), Buffer.alloc(5 * 1_048_576)]).toString("base64"),
      ),
    ),
    "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 5242",
  ],
  [
    "an image of 8001 pixels",
    says(image("image/png", wide(8_001))),
    "messages.0.content.0.image.source.base64: At least one",
  ],
  [
    "an empty image",
    says(image("image/png", "")),
    "messages.0.content.0.image.source.base64.data: Invalid base64 data",
  ],
  [
    "a recording for an image",
    says(image("image/png", Buffer.from("RIFF....WAVEfmt ").toString("base64"))),
    "Could not process image",
  ],
  [
    "a top_k for a model without one",
    say("hi", { model: "claude-opus-4-7", top_k: 1 }),
    "`top_k` is deprecated for this model.",
  ],
  [
    "a form in the older field without its beta",
    say("hi", { output_format: { type: "json_schema", schema: {} } }),
    "output_format: Extra inputs are not permitted",
  ],
  [
    "quotations in a form",
    {
      ...schemed({ type: "object", additionalProperties: false }),
      messages: [
        {
          role: "user",
          content: [
            {
              type: "search_result",
              source: "s",
              title: "t",
              content: [{ type: "text", text: "x" }],
              citations: { enabled: true },
            },
          ],
        },
      ],
    },
    "Citations cannot be enabled together with an output format.",
  ],
  [
    "a form that was begun",
    {
      ...schemed({ type: "object", additionalProperties: false }),
      messages: [question, { role: "assistant", content: "{" }],
    },
    "Prefill is not supported together with an output format.",
  ],
  [
    "code execution for a model without it",
    say("hi", {
      model: "claude-haiku-4-5",
      tools: [{ type: "code_execution_20250825", name: "code_execution" }],
    }),
    "'claude-haiku-4-5-20251001' does not support tool types: code_execution_20250825.",
  ],
  [
    "a citation that was touched",
    talk(question, {
      role: "assistant",
      content: [
        {
          type: "text",
          text: "x",
          citations: [
            {
              type: "web_search_result_location",
              cited_text: "x",
              url: "https://a.example",
              title: null,
              encrypted_index: "EmFueXRoaW5n",
            },
          ],
        },
      ],
    }),
    "messages.1.content.0.text.citations.0.web_search_result_location: Invalid `encrypted_index`",
  ],
  [
    "a citation without its place",
    talk(question, {
      role: "assistant",
      content: [
        {
          type: "text",
          text: "x",
          citations: [
            { type: "char_location", cited_text: "x", document_index: 0, start_char_index: 0 },
          ],
        },
      ],
    }),
    "messages.1.content.0.text.citations.0.char_location.end_char_index: Field required",
  ],
  ["more text than the model can hold", say("word ".repeat(201_000)), "prompt is too long: 2010"],
  [
    "an answer that does not fit behind the prompt",
    say("word ".repeat(190_000), { model: "claude-3-7-sonnet-latest", max_tokens: 20_000 }),
    "input length and `max_tokens` exceed context limit: 1900",
  ],
])("%s is refused like at the vendor", async (_, body, expected) => {
  const [kind, message] = await refusalOf(body);

  expect(kind).toBe("400 invalid_request_error");
  expect(message).toStartWith(expected);
});

test.each<[string, JsonObject, Readonly<Record<string, string>>]>([
  [
    "null for optional fields",
    say("hi", {
      temperature: null,
      system: null,
      tools: null,
      stop_sequences: null,
      thinking: null,
    }),
    {},
  ],
  ["the bounds themselves", say("hi", { temperature: 0, top_k: 0, max_tokens: 64_000 }), {}],
  ["turns of one side in a row", talk(question, question), {}],
  ["a begun answer", talk(question, { role: "assistant", content: "So" }), {}],
  ["an empty answer at the end", talk(question, { role: "assistant", content: "" }), {}],
  ["a top_p of 0.95 while thinking", say("hi", { thinking, top_p: 0.95, temperature: null }), {}],
  ["an empty system prompt", say("hi", { system: "" }), {}],
  ["a system prompt in parts", say("hi", { system: [cached("Be brief.", "1h")] }), {}],
  [
    "results in any order, with a text behind them",
    talk(
      question,
      { role: "assistant", content: [call, { ...call, id: "call-2" }] },
      {
        role: "user",
        content: [
          { ...result, tool_use_id: "call-2", is_error: true },
          { type: "tool_result", tool_use_id: "toolu_1" },
          { type: "text", text: "Go on." },
        ],
      },
    ),
    {},
  ],
  ["an image of 8000 pixels", says(image("image/png", wide(8_000))), {}],
  [
    "a form in the older field with its beta",
    say("hi", {
      output_format: {
        type: "json_schema",
        schema: { type: "object", additionalProperties: false },
      },
    }),
    { "anthropic-beta": "structured-outputs-2025-11-13" },
  ],
  [
    "quotations that come back",
    talk(
      question,
      {
        role: "assistant",
        content: [
          {
            type: "text",
            text: "x",
            citations: [
              {
                type: "char_location",
                cited_text: "x",
                document_index: 0,
                document_title: null,
                start_char_index: 0,
                end_char_index: 1,
              },
              {
                type: "search_result_location",
                cited_text: "x",
                source: "s",
                title: "t",
                search_result_index: 0,
                start_block_index: 0,
                end_block_index: 1,
              },
            ],
          },
        ],
      },
      question,
    ),
    {},
  ],
  [
    "a budget above max_tokens with interleaved thinking",
    say("hi", { max_tokens: 1_000, thinking }),
    { "anthropic-beta": "interleaved-thinking-2025-05-14" },
  ],
  [
    "MCP servers and a stored file with their betas",
    {
      ...says({ type: "document", source: { type: "file", file_id: "file_1" } }),
      mcp_servers: [{ type: "url", url: "https://mcp.example/x", name: "x" }],
    },
    { "anthropic-beta": "mcp-client-2025-04-04, files-api-2025-04-14" },
  ],
  [
    "more than the usual context with its beta",
    say("word ".repeat(201_000), { max_tokens: 5 }),
    { "anthropic-beta": "context-1m-2025-08-07" },
  ],
])("%s: accepted", async (_, body, headers) => {
  expect((await postMessages(sandbox, body, headers)).status).toBe(200);
});

test("a request is checked before its model is looked up", async () => {
  expect(await refusalOf({ model: "claude-none", messages: [question] })).toEqual([
    "400 invalid_request_error",
    "max_tokens: Field required",
  ]);
  expect(await refusalOf(say("hi", { model: "claude-none" }))).toEqual([
    "404 not_found_error",
    "model: claude-none",
  ]);
});

test("keys are accepted in either header, and wrong ones get different errors", async () => {
  await using guarded = await startSandbox({ apiKeys: ["sk-right"] });
  const seen = async (headers: Record<string, string>) => {
    const response = await fetch(`${guarded.url}/anthropic/v1/models`, {
      headers: { "anthropic-version": "2023-06-01", ...headers },
    });
    const body = asObject(parseJson(await response.text()));
    return `${response.status} ${textAt(body, "error", "message")}`.trim();
  };

  expect(await seen({ "x-api-key": "sk-right" })).toBe("200");
  expect(await seen({ authorization: "Bearer sk-right" })).toBe("200");
  expect(await seen({})).toBe("401 x-api-key header is required");
  expect(await seen({ "x-api-key": "sk-wrong" })).toBe("401 invalid x-api-key");
  expect(await seen({ authorization: "Bearer sk-wrong" })).toBe("401 Invalid bearer token");
});

test("the version is required, and betas must exist", async () => {
  const without = await fetch(`${sandbox.url}/anthropic/v1/models`, {
    headers: { "x-api-key": "k" },
  });

  expect([
    without.status,
    textAt(asObject(parseJson(await without.text())), "error", "message"),
  ]).toEqual([400, "anthropic-version: header is required"]);
  expect(await refusalOf(say("hi"), { "anthropic-version": "2024-01-01" })).toEqual([
    "400 invalid_request_error",
    'anthropic-version: "2024-01-01" is not a valid version',
  ]);
  expect(
    await refusalOf(say("hi"), { "anthropic-beta": "pdfs-2024-09-25,magic-2025-01-01" }),
  ).toEqual([
    "400 invalid_request_error",
    "Unexpected value(s) `magic-2025-01-01` for the `anthropic-beta` header.",
  ]);
});

test("unknown paths and methods are refused in the vendor's format", async () => {
  const seen = async (path: string, method = "GET") => {
    const response = await fetch(`${sandbox.url}/anthropic${path}`, {
      method,
      headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
    });
    const body = asObject(parseJson(await response.text()));
    return [response.status, body["type"], textAt(body, "error", "type")];
  };

  expect(await seen("/v1/nowhere")).toEqual([404, "error", "not_found_error"]);
  expect(await seen("/v1/messages")).toEqual([405, "error", "invalid_request_error"]);
  expect(await seen("/v1/models", "POST")).toEqual([405, "error", "invalid_request_error"]);
  expect(await seen("/v1/models?limit=0")).toEqual([400, "error", "invalid_request_error"]);
  expect(await seen("/v1/models?after_id=none")).toEqual([400, "error", "invalid_request_error"]);
});

test("a body that is not JSON, or too large, is refused", async () => {
  const send = async (body: string) => {
    const response = await fetch(`${sandbox.url}/anthropic/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
      body,
    });
    return `${response.status} ${textAt(asObject(parseJson(await response.text())), "error", "type")}`;
  };

  expect(await send('{"model":')).toBe("400 invalid_request_error");
  expect(await send("[]")).toBe("400 invalid_request_error");
  expect(await send(" ".repeat(32 * 1_048_576 + 1))).toBe("413 request_too_large");
});

test("token counting accepts the prompt's fields, and no output fields", async () => {
  const count = async (body: JsonObject) => {
    const response = await postMessages(sandbox, body, {}, "/v1/messages/count_tokens");
    return [response.status, await response.text()] as const;
  };
  const { max_tokens: _, ...prompt } = say("Hello, Claude");

  expect((await count(prompt))[0]).toBe(200);
  const [status, text] = await count(say("Hello, Claude"));
  expect([status, textAt(asObject(parseJson(text)), "error", "message")]).toEqual([
    400,
    "max_tokens: Extra inputs are not permitted",
  ]);
});

test("an error has the id of its header", async () => {
  const response = await postMessages(sandbox, talk());
  const body = asObject(parseJson(await response.text()));

  expect(textAt(body, "request_id")).toStartWith("req_");
  expect(response.headers.get("request-id")).toBe(textAt(body, "request_id"));
  expect(response.headers.get("x-should-retry")).toBe("false");
});
