import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest, Message, Reasoning } from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import { messagesRequestFaults } from "#test/grammar/messages-request.ts";
import { parseRequest } from "./request/request-in.ts";
import { buildRequest } from "./request/request-out.ts";

const BUDGETS: ModelTraits = {
  maxOutputTokens: 32_000,
  reasoningControls: { budget: { minTokens: 1_024 } },
};
const ITSELF: ModelTraits = {
  maxOutputTokens: 64_000,
  reasoningControls: { efforts: ["low", "medium", "high", "max"] },
};
const BOTH: ModelTraits = {
  maxOutputTokens: 64_000,
  reasoningControls: { efforts: ["low", "high"], budget: { minTokens: 1_024 } },
};
const USER: Message = { role: "user", blocks: [{ type: "text", text: "hi" }] };

function written(
  request: Partial<ChatRequest>,
  model: ModelTraits,
): { body: JsonObject; lost: readonly string[] } {
  const report = new LossReport();
  const whole = { model: "m", messages: [USER], stream: false, sampling: {}, ...request };
  const body = buildRequest(whole, { report, model });
  expect(messagesRequestFaults(body)).toEqual([]);
  return { body, lost: report.fields };
}

describe("a reasoning option in the model's terms", () => {
  const enabled = (tokens: number): JsonObject => ({ type: "enabled", budget_tokens: tokens });
  const adaptive = { type: "adaptive", display: "summarized" };
  const disabled = { type: "disabled" };

  test.each<[string, Reasoning, ModelTraits, JsonObject | undefined, JsonObject | undefined]>([
    ["a budget", { budgetTokens: 5_000 }, BUDGETS, enabled(5_000), undefined],
    ["a budget below the least", { budgetTokens: 10 }, {}, enabled(1_024), undefined],
    [
      "a budget, for one that measures itself",
      { budgetTokens: 5_000 },
      ITSELF,
      adaptive,
      { effort: "low" },
    ],
    ["an effort", { effort: "high" }, ITSELF, adaptive, { effort: "high" }],
    ["an effort that it does not know", { effort: "minimal" }, ITSELF, adaptive, { effort: "low" }],
    ["an effort, for a model with budgets", { effort: "low" }, BUDGETS, enabled(4_915), undefined],
    [
      "an effort, for a model with both",
      { effort: "low" },
      BOTH,
      enabled(4_915),
      { effort: "low" },
    ],
    ["an effort, for an unknown model", { effort: "low" }, {}, enabled(4_915), undefined],
    ["nothing but to think", { enabled: true }, BUDGETS, enabled(25_600), undefined],
    [
      "a model that always thinks, with an adaptive budget",
      { enabled: true },
      ITSELF,
      adaptive,
      undefined,
    ],
    [
      "unseen",
      { enabled: true, visible: false },
      ITSELF,
      { type: "adaptive", display: "omitted" },
      undefined,
    ],
    ["not to think", { enabled: false }, BUDGETS, disabled, undefined],
    ["no effort", { effort: "none" }, {}, disabled, undefined],
    ["a budget of nothing", { budgetTokens: 0 }, BOTH, disabled, undefined],
    [
      "not to think, for one that cannot stop",
      { enabled: false },
      ITSELF,
      undefined,
      { effort: "low" },
    ],
    ["nothing at all", {}, BUDGETS, undefined, undefined],
  ])("%s", (_what, reasoning, model, thinking, config) => {
    const { body, lost } = written({ reasoning }, model);

    expect(body["thinking"]).toEqual(thinking);
    expect(body["output_config"]).toEqual(config);
    // A number of tokens that the model does not take is not what the caller asked for.
    const { budgetTokens = 0 } = reasoning;
    const isKept = budgetTokens === 0 || thinking?.["budget_tokens"] === budgetTokens;
    expect(lost).toEqual(isKept ? [] : ["reasoning.budget_tokens"]);
  });

  test("a budget above the model's maximum is lowered and reported", () => {
    const { body, lost } = written({ reasoning: { budgetTokens: 99_999 } }, BUDGETS);

    expect(body).toMatchObject({ max_tokens: 32_000, thinking: enabled(25_600) });
    expect(lost).toEqual(["reasoning"]);
  });

  test("a default output limit is raised if thinking would leave no room for the answer", () => {
    const { body, lost } = written({ reasoning: { budgetTokens: 8_000 } }, {});

    expect(body).toMatchObject({ max_tokens: 16_192, thinking: enabled(8_000) });
    expect(lost).toEqual([]);
  });

  test.each<[string, Reasoning, number, JsonObject, readonly string[]]>([
    ["holds the budget", { budgetTokens: 5_000 }, 6_000, enabled(5_000), []],
    ["leaves room for the text", { budgetTokens: 5_000 }, 5_001, enabled(5_000), []],
    ["holds less than the budget", { budgetTokens: 5_000 }, 5_000, enabled(4_000), ["reasoning"]],
    ["holds less than the effort", { effort: "low" }, 5_000, enabled(4_000), ["reasoning"]],
    ["holds the effort and a short answer", { effort: "low" }, 5_171, enabled(4_915), []],
    ["holds the least", { effort: "low" }, 1_280, enabled(1_024), ["reasoning"]],
    ["holds less than that", { effort: "low" }, 1_279, disabled, ["reasoning"]],
    ["holds hardly anything", { effort: "low" }, 50, disabled, ["reasoning"]],
    ["holds hardly anything, of any", { enabled: true }, 50, disabled, ["reasoning"]],
    ["holds as much as one likes", { enabled: true }, 2_000, enabled(1_600), []],
  ])(
    "the client's output limit is never raised: one that %s",
    (_what, reasoning, limit, thinking, loss) => {
      const { body, lost } = written({ reasoning, maxOutputTokens: limit }, BUDGETS);

      expect(body).toMatchObject({ max_tokens: limit, thinking });
      expect(lost).toEqual(loss);
    },
  );
});

describe("options that a thinking model refuses are omitted, and reported", () => {
  const reasoning = { budgetTokens: 2_000 };
  const tools = [{ kind: "function", name: "f" }] as const;

  test.each<[string, Partial<ChatRequest>, JsonObject, readonly string[]]>([
    ["a temperature", { sampling: { temperature: 0.2 } }, {}, ["temperature"]],
    ["the usual temperature", { sampling: { temperature: 1, topP: 1 } }, {}, []],
    ["top_p", { sampling: { topK: 3 } }, {}, ["top_k"]],
    ["a narrow top_p", { sampling: { topP: 0.5 } }, {}, ["top_p"]],
    ["a wide top_p stays", { sampling: { topP: 0.97 } }, { top_p: 0.97 }, []],
    [
      "any call",
      { tools, toolChoice: { mode: "required" } },
      { tool_choice: { type: "auto" } },
      ["tool_choice"],
    ],
    [
      "a certain call, one at a time",
      {
        tools,
        toolChoice: { mode: "named", name: "f", kind: "function" },
        parallelToolCalls: false,
      },
      { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
      ["tool_choice"],
    ],
    [
      "no call at all stays",
      { tools, toolChoice: { mode: "none" } },
      { tool_choice: { type: "none" } },
      [],
    ],
  ])("%s", (_what, request, expected, loss) => {
    const { body, lost } = written({ reasoning, ...request }, BUDGETS);
    const { temperature, top_p, top_k, tool_choice } = body;

    expect<unknown>(JSON.parse(JSON.stringify({ temperature, top_p, top_k, tool_choice }))).toEqual(
      expected,
    );
    expect(lost).toEqual([...loss]);
  });
});

describe("thinking continues only if the conversation allows it", () => {
  const call: Block = { type: "tool_call", id: "a", name: "f", arguments: "{}", kind: "function" };
  const result: Message = {
    role: "tool",
    blocks: [{ type: "tool_result", callId: "a", blocks: [] }],
  };
  const thought: Block = {
    type: "reasoning",
    text: "why",
    signature: { issuer: "messages", value: "c2ln" },
  };
  const reasoning = { budgetTokens: 2_000 };
  const thinking = { type: "enabled", budget_tokens: 2_000 };

  test.each<[string, readonly Block[], boolean]>([
    ["with the thinking before the call", [thought, call], true],
    [
      "with encrypted thinking",
      [
        { ...thought, text: "", signature: { issuer: "messages", value: "redacted:ZGF0YQ==" } },
        call,
      ],
      true,
    ],
    ["without it", [call], false],
    [
      "with another vendor's",
      [{ ...thought, signature: { issuer: "gemini", value: "x" } }, call],
      false,
    ],
    ["with text before it", [{ type: "text", text: "so" }, thought, call], false],
  ])("%s", (_what, blocks, thinks) => {
    const messages: Message[] = [USER, { role: "assistant", blocks }, result];
    const { body, lost } = written({ messages, reasoning }, BUDGETS);

    expect(body["thinking"]).toEqual(thinks ? thinking : { type: "disabled" });
    expect(lost.includes("reasoning")).toBe(!thinks);
  });

  test("an earlier call does not prevent it after a user turn and an answer", () => {
    const messages: Message[] = [
      USER,
      { role: "assistant", blocks: [call] },
      result,
      { role: "assistant", blocks: [{ type: "text", text: "done" }] },
      USER,
    ];

    expect(written({ messages, reasoning }, BUDGETS).body["thinking"]).toEqual(thinking);
  });

  test("a model with adaptive thinking needs no earlier thinking", () => {
    const messages: Message[] = [USER, { role: "assistant", blocks: [call] }, result];

    expect(written({ messages, reasoning }, ITSELF).body["thinking"]).toMatchObject({
      type: "adaptive",
    });
  });

  test("a prefix of the assistant turns it off, since the model continues the prefix", () => {
    const messages: Message[] = [
      USER,
      { role: "assistant", blocks: [{ type: "text", text: "{ " }] },
    ];
    const { body, lost } = written({ messages, reasoning }, BUDGETS);

    expect(body["thinking"]).toEqual({ type: "disabled" });
    expect(body["messages"]).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "{" },
    ]);
    expect(lost).toEqual(["reasoning"]);
  });

  test("a model that refuses a prefix gets an instruction to continue", () => {
    const messages: Message[] = [
      USER,
      { role: "assistant", blocks: [{ type: "text", text: "One," }] },
    ];
    const { body, lost } = written({ messages, reasoning }, ITSELF);

    expect(body["messages"]).toMatchObject([{}, {}, { role: "user", content: "Continue." }]);
    expect(lost).toEqual(["messages.prefill", "reasoning.budget_tokens"]);
  });
});

describe("a client of this style whose model suffix requests thinking", () => {
  const wire = {
    model: "m",
    max_tokens: 5_000,
    temperature: 0.2,
    messages: [{ role: "user", content: "hi" }],
  };

  test("gets it, with the options that it requires", () => {
    const report = new LossReport();
    const request = { ...parseRequest(wire), reasoning: { enabled: true, budgetTokens: 4_000 } };

    expect(buildRequest(request, { report, model: BUDGETS })).toEqual({
      model: "m",
      max_tokens: 5_000,
      messages: [{ role: "user", content: "hi" }],
      thinking: { type: "enabled", budget_tokens: 4_000 },
    });
    expect(report.fields).toEqual(["temperature"]);
  });

  test("[A8] a top_p of 0 beside thinking is omitted, since vendors refuse it", () => {
    const thinking = { type: "enabled", budget_tokens: 2_000 };
    const request = parseRequest({ ...wire, temperature: 1, top_p: 0, thinking });

    expect(buildRequest(request, { report: new LossReport(), model: BUDGETS })).toEqual({
      ...wire,
      temperature: 1,
      thinking,
    });
  });
});
