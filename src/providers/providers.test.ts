import { describe, expect, test } from "bun:test";
import type { Signable } from "#core/authorize.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { findProvider, PROVIDERS } from "./index.ts";

/** The body as the vendor gets it. */
function sent(provider: string, body: JsonObject): JsonObject {
  const model = textOf(body["model"]) ?? "";
  const edits = findProvider(provider)?.text[0]?.adaptRequest?.(body, model) ?? {};
  return JSON.parse(JSON.stringify({ ...body, ...edits })) as JsonObject;
}

const SIGNABLE: Signable = {
  method: "POST",
  url: new URL("https://upstream.test/"),
  headers: {},
  body: "{}",
  options: {},
  at: 0,
};

/** Two are wherever their owner says. */
const ADDRESS = /^https:\/\/|^http:\/\/127\.0\.0\.1|^(azure-openai|openai-compatible)$/;

/** Where a vendor does not want it as everybody does. */
const OWN_HEADERS = new Map<string, Readonly<Record<string, string>>>([
  ["anthropic", { "x-api-key": "secret" }],
  ["gemini", { "x-goog-api-key": "secret" }],
  ["azure-openai", { "api-key": "secret" }],
  ["vidu", { authorization: "Token secret" }],
  // Their libraries hold a placeholder, which is replaced on the way out.
  ["bedrock", {}],
  ["ai-sdk", {}],
]);

const user: Json = { role: "user", content: "hi" };

describe("every provider", () => {
  test("has a unique id, documents, and an address unless the channel must set one", () => {
    expect(new Set(PROVIDERS.map((each) => each.id)).size).toBe(PROVIDERS.length);
    for (const each of PROVIDERS) {
      expect(each.docs).toStartWith("https://");
      if (each.adapter === undefined) {
        expect(each.baseUrl ?? each.baseUrlOf?.({}) ?? each.id).toMatch(ADDRESS);
      }
      expect(each.baseUrl ?? "").not.toEndWith("/");
      // Endpoints of styles we know, or an adapter: never both.
      const { text, embeddings = [], rerank = [], videos = [] } = each;
      const endpoints = text.length + embeddings.length + rerank.length + videos.length;
      expect(endpoints > 0).toBe(each.adapter === undefined);
    }
  });

  test("sends its credential in headers only", () => {
    for (const each of PROVIDERS) {
      const headers = OWN_HEADERS.get(each.id) ?? { authorization: "Bearer secret" };
      expect([each.id, each.authorize("secret", SIGNABLE)]).toEqual([each.id, headers]);
    }
  });

  test("leaves a plain request unchanged", () => {
    const plain = { model: "m", messages: [user], temperature: 0.5, max_tokens: 10 };
    for (const each of PROVIDERS) expect(sent(each.id, plain)).toEqual(plain);
  });
});

describe("a quirk", () => {
  const cases: [string, string, JsonObject, JsonObject][] = [
    [
      "DeepSeek knows no developer role and no max_completion_tokens",
      "deepseek",
      {
        model: "deepseek-chat",
        max_completion_tokens: 9,
        messages: [{ role: "developer", content: "x" }, user],
      },
      { model: "deepseek-chat", max_tokens: 9, messages: [{ role: "system", content: "x" }, user] },
    ],
    [
      "DeepSeek's first reasoner refuses its own reasoning",
      "deepseek",
      {
        model: "deepseek-reasoner",
        messages: [{ role: "assistant", content: "a", reasoning_content: "r" }],
      },
      { model: "deepseek-reasoner", messages: [{ role: "assistant", content: "a" }] },
    ],
    [
      "DeepSeek's later models demand it",
      "deepseek",
      { model: "deepseek-v4", messages: [user, { role: "assistant", content: "a" }] },
      {
        model: "deepseek-v4",
        messages: [user, { role: "assistant", content: "a", reasoning_content: "" }],
      },
    ],
    [
      "Groq refuses log probabilities and earlier reasoning, and accepts names of speakers",
      "groq",
      {
        model: "m",
        logprobs: true,
        top_logprobs: 2,
        messages: [
          { role: "user", name: "Ann", content: "hi" },
          { role: "assistant", name: "Bob", content: "a", reasoning_content: "r" },
        ],
      },
      {
        model: "m",
        messages: [
          { role: "user", name: "Ann", content: "hi" },
          { role: "assistant", name: "Bob", content: "a" },
        ],
      },
    ],
    [
      "xAI refuses names of system and assistant messages",
      "xai",
      {
        model: "grok-2",
        messages: [
          { role: "system", name: "rules", content: "s" },
          { role: "user", name: "Ann", content: "hi" },
          { role: "assistant", name: "Bob", content: "a" },
          { role: "tool", name: "add", tool_call_id: "c", content: "5" },
        ],
      },
      {
        model: "grok-2",
        messages: [
          { role: "system", content: "s" },
          { role: "user", name: "Ann", content: "hi" },
          { role: "assistant", content: "a" },
          { role: "tool", name: "add", tool_call_id: "c", content: "5" },
        ],
      },
    ],
    [
      "Mistral has another value for a required tool call, and its own seed",
      "mistral",
      {
        model: "m",
        seed: 4,
        tool_choice: "required",
        stream_options: { include_usage: true },
        messages: [user],
      },
      { model: "m", random_seed: 4, tool_choice: "any", messages: [user] },
    ],
    [
      "xAI's reasoning models refuse penalties and stops",
      "xai",
      { model: "grok-4", stop: ["x"], presence_penalty: 1, messages: [user] },
      { model: "grok-4", messages: [user] },
    ],
    [
      "xAI's other models accept them",
      "xai",
      { model: "grok-4-fast-non-reasoning", stop: ["x"], messages: [user] },
      { model: "grok-4-fast-non-reasoning", stop: ["x"], messages: [user] },
    ],
  ];
  test.each(cases)("%s", (_what, provider, body, expected) => {
    expect(sent(provider, body)).toEqual(expected);
  });

  test("Mistral gets tool-call ids of nine characters, the same for call and result", () => {
    const body = sent("mistral", {
      model: "m",
      messages: [
        {
          role: "assistant",
          tool_calls: [
            {
              id: "call_from_elsewhere_1",
              type: "function",
              function: { name: "f", arguments: "{}" },
            },
          ],
        },
        { role: "tool", tool_call_id: "call_from_elsewhere_1", content: "r" },
      ],
    }) as { messages: [{ tool_calls: [{ id: string }] }, { tool_call_id: string }] };
    const [call, result] = body.messages;

    expect(call.tool_calls[0].id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(result.tool_call_id).toBe(call.tool_calls[0].id);
  });
});

describe("a field that the vendor would refuse is omitted", () => {
  const said = (more: JsonObject): JsonObject => ({ role: "assistant", content: "a", ...more });

  test.each<[string, JsonObject, readonly string[]]>([
    ["xai", { model: "grok-4", stop: ["END"], presence_penalty: 0 }, ["stop"]],
    ["xai", { model: "grok-2", stop: ["END"] }, []],
    ["mistral", { model: "m", user: "u", seed: 1, store: false, service_tier: "auto" }, ["user"]],
    ["groq", { model: "m", logprobs: true, logit_bias: {} }, ["logprobs"]],
    ["groq", { model: "m", messages: [said({ reasoning_content: "r" })] }, ["reasoning"]],
    ["groq", { model: "m", messages: [said({ name: "Bob" })] }, []],
    ["xai", { model: "grok-4", messages: [said({ name: "Bob" })] }, ["messages.name"]],
  ])("with a report (%s, %j)", (provider, body, lost) => {
    const report = new LossReport();
    findProvider(provider)?.text[0]?.adaptRequest?.(body, textOf(body["model"]) ?? "", report);

    expect(report.fields).toEqual(lost);
  });
});

describe("a reasoning switch of another family is written in the vendor's terms", () => {
  const graded = {
    kind: "chat",
    reasoningControls: { efforts: ["low", "medium", "high"] },
  } as const;
  const onOff = { kind: "chat", reasoningControls: { efforts: ["none", "high"] } } as const;
  const budgeted = { reasoningControls: { toggle: true, budget: { maxTokens: 32_768 } } } as const;
  const switched = { kind: "chat", reasoningControls: { toggle: true } } as const;
  const counted = { thinking: { type: "enabled", budget_tokens: 2_000 } };
  const plain = { kind: "chat" } as const;
  const on = { enable_thinking: true };
  const off = { thinking: { type: "disabled" } };

  test.each<[string, ModelTraits, JsonObject, JsonObject, readonly string[]]>([
    ["groq", graded, on, {}, []],
    ["groq", graded, off, { reasoning_effort: "low" }, ["reasoning"]],
    ["groq", plain, on, {}, ["reasoning"]],
    ["groq", plain, off, {}, []],
    ["mistral", onOff, on, { reasoning_effort: "high" }, []],
    ["mistral", onOff, off, { reasoning_effort: "none" }, []],
    ["xai", graded, off, { reasoning_effort: "low" }, ["reasoning"]],
    ["siliconflow", budgeted, off, { enable_thinking: false }, []],
    ["siliconflow", budgeted, { reasoning_effort: "none" }, { enable_thinking: false }, []],
    ["siliconflow", budgeted, on, on, []],
    ["together", switched, on, { reasoning: { enabled: true } }, []],
    ["together", switched, off, { reasoning: { enabled: false } }, []],
    ["together", switched, { reasoning_effort: "none" }, { reasoning: { enabled: false } }, []],
    [
      "together",
      switched,
      { reasoning: { enabled: false } },
      { reasoning: { enabled: false } },
      [],
    ],
    ["together", graded, { reasoning: { effort: "low" } }, { reasoning_effort: "low" }, []],
    ["together", graded, off, { reasoning_effort: "low" }, ["reasoning"]],
    ["together", {}, off, { reasoning: { enabled: false } }, []],
    ["fireworks", switched, { enable_thinking: false }, { reasoning_effort: "none" }, []],
    ["fireworks", switched, on, {}, []],
    ["fireworks", switched, { reasoning_effort: "none" }, { reasoning_effort: "none" }, []],
    ["fireworks", graded, { reasoning: { effort: "low" } }, { reasoning_effort: "low" }, []],
    ["fireworks", budgeted, { enable_thinking: true, thinking_budget: 2_000 }, counted, []],
    ["fireworks", budgeted, counted, counted, []],
    ["fireworks", {}, off, off, []],
  ])("%s, %j: %j", (provider, model, members, expected, lost) => {
    const report = new LossReport();
    const endpoint = findProvider(provider)?.text[0];
    const body = { model: "m", messages: [user], ...members };

    const edits = endpoint?.style.outbound.fitRequest?.(body, {
      report,
      model,
      ...(endpoint.dialect === undefined ? {} : { dialect: endpoint.dialect }),
    });

    const { model: _, messages: __, ...rest } = JSON.parse(JSON.stringify({ ...body, ...edits }));
    expect([rest, report.fields]).toEqual([expected, lost]);
  });
});
