import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openVendor } from "#test/adapter/vendor.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { openScriptedVendor, type ScriptedVendor } from "#test/scripted-vendor.ts";

/** The newest members of answers, as @anthropic-ai/sdk 1.12.0 declares them. */
const ANSWER: JsonObject = {
  id: "msg_01",
  type: "message",
  role: "assistant",
  model: "claude-opus-5-5",
  content: [
    { type: "thinking", thinking: "", signature: "EqQB" },
    {
      type: "fallback",
      from: { model: "claude-fable-5-1" },
      to: { model: "claude-opus-5-5" },
      trigger: { type: "refusal", category: "cyber" },
    },
    { type: "mcp_tool_listing", mcp_server_name: "x", tools: [{ name: "f" }] },
    { type: "compaction", content: "so far", signature: "s", tool_changes: [] },
    {
      type: "tool_use",
      id: "toolu_01",
      name: "f",
      input: {},
      caller: { type: "direct" },
      toolset_name: "computer",
    },
    { type: "something_new", data: [1, { deep: null }] },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  stop_details: {
    type: "refusal",
    category: "cyber",
    explanation: null,
    fallback_credit_token: "tok",
    fallback_has_prefill_claim: false,
    recommended_model: "claude-opus-5-5",
  },
  container: { id: "container_1", expires_at: "2026-12-01T00:00:00Z", skills: [] },
  context_management: { applied_edits: [] },
  diagnostics: { cache_miss_reason: { type: "tools_changed", cache_missed_tokens: 7 } },
  input_transformations: [
    {
      type: "thinking_dropped",
      path: "messages.1.content.0",
      reason: "prefix_binding_mismatch",
    },
  ],
  usage: {
    input_tokens: 9,
    output_tokens: 5,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    iterations: [{ type: "fallback_message", input_tokens: 9, output_tokens: 5 }],
    fallback_credit: { status: { type: "redeemed" } },
    speed: "fast",
    service_tier: "priority",
    inference_geo: "us",
  },
};

const event = (data: JsonObject & { readonly type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const STREAM = [
  { type: "message_start", message: { ...ANSWER, content: [], stop_reason: null } },
  { type: "ping" },
  {
    type: "content_block_start",
    index: 0,
    content_block: { type: "thinking", thinking: "", signature: "" },
  },
  {
    type: "content_block_delta",
    index: 0,
    delta: { type: "thinking_delta", thinking: "", estimated_tokens: 40 },
  },
  {
    type: "content_block_delta",
    index: 0,
    delta: { type: "signature_delta", signature: "EqQB" },
  },
  { type: "content_block_stop", index: 0 },
  {
    type: "content_block_start",
    index: 1,
    content_block: {
      type: "fallback",
      from: { model: "a" },
      to: { model: "b" },
      trigger: { type: "refusal", category: null },
    },
  },
  { type: "content_block_stop", index: 1 },
  { type: "content_block_start", index: 2, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "hi" } },
  { type: "content_block_stop", index: 2 },
  {
    type: "message_delta",
    delta: {
      stop_reason: "end_turn",
      stop_sequence: null,
      stop_details: null,
      container: { id: "container_1", expires_at: "2026-12-01T00:00:00Z" },
    },
    usage: ANSWER["usage"] ?? null,
    input_transformations: ANSWER["input_transformations"] ?? null,
  },
  { type: "message_stop" },
].map(event);

describe("members of a response, known or not, pass a gateway of the same style byte for byte", () => {
  let vendor: ScriptedVendor;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await openScriptedVendor();
    gateway = await openTestGateway({
      yaml: `channels:
  - { name: claude, provider: anthropic, base_url: "${vendor.url}", api_key: upstream-key, models: [claude-opus-5-5] }
`,
    });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await vendor[Symbol.asyncDispose]();
  });
  const ask = (stream: boolean): Promise<Response> =>
    gateway.post("/v1/messages", {
      model: "claude-opus-5-5",
      max_tokens: 100,
      messages: [{ role: "user", content: "hi" }],
      stream,
    });

  test("in a complete response", async () => {
    const text = JSON.stringify(ANSWER);
    vendor.play([text], "application/json");

    expect(await (await ask(false)).text()).toBe(text);
  });

  test("in a stream", async () => {
    vendor.play(STREAM);

    expect(await (await ask(true)).text()).toBe(STREAM.join(""));
  });
});

describe("a request's members, known or not, reach a vendor of the same style", () => {
  let sandbox: Sandbox;
  let gateway: TestGateway;
  beforeAll(async () => {
    sandbox = await startSandbox();
    gateway = await openTestGateway({
      yaml: `channels:
  - { name: claude, provider: anthropic, base_url: "${sandbox.url}/anthropic/v1", api_key: upstream-key, models: [claude-sonnet-5-5] }
`,
    });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await sandbox.stop();
  });
  const HELLO = { role: "user", content: "Say hi" };

  test.each<[string, JsonObject]>([
    ["thinking between tools", { thinking: { type: "between_tools" } }],
    ["progress lines", { thinking: { type: "adaptive", display: "updates" } }],
    ["no tokens, to fill the cache", { max_tokens: 0 }],
    [
      "an effort from here on",
      { messages: [HELLO, { role: "system", output_config: { effort: "low" } }] },
    ],
    [
      "an instruction that ends by itself",
      {
        messages: [HELLO, { role: "system", content: "Be brief.", clear_at: "next_user_message" }],
      },
    ],
    [
      "a tool that is added on the way",
      {
        messages: [
          HELLO,
          {
            role: "system",
            content: [
              { type: "tool_addition", tool: { type: "tool_reference", name: "f" } },
              { type: "tool_removal", tool: { type: "tool_reference", name: "g" } },
            ],
          },
        ],
      },
    ],
    ["cache diagnostics", { diagnostics: { previous_message_id: null } }],
    ["fallbacks and speed", { fallbacks: "default", speed: "fast" }],
  ])("%s", async (_what, more) => {
    const body = { model: "claude-sonnet-5-5", max_tokens: 100, messages: [HELLO], ...more };
    const answer = await gateway.post("/v1/messages", body, { "anthropic-version": "2026-10-21" });

    expect([answer.status, answer.headers.get("sluice-lossy")]).toEqual([200, null]);
    expect(sandbox.requests.at(-1)?.body).toEqual(body);
  });
});

test("blocks of earlier responses go back to the vendor with all their members", async () => {
  await using vendor = openVendor(() => Response.json(ANSWER));
  await using gateway = await openTestGateway({
    yaml: `channels:
  - { name: claude, provider: anthropic, base_url: "${vendor.url}", api_key: upstream-key, models: [claude-opus-5-5] }
`,
  });
  const messages = [
    { role: "user", content: "hi" },
    { role: "assistant", content: ANSWER["content"] ?? [] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_01" }] },
  ];
  const body = { model: "claude-opus-5-5", max_tokens: 100, messages };
  const answer = await gateway.post("/v1/messages", body);

  expect([answer.status, answer.headers.get("sluice-lossy")]).toEqual([200, null]);
  expect(vendor.seen.at(-1)?.text).toContain(JSON.stringify(messages));
});
