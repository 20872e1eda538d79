import { describe, expect, test } from "bun:test";
import type { ChatRequest, Reasoning } from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import { gemini } from "./index.ts";

const BUDGET: ModelTraits = {
  kind: "chat",
  reasoningControls: { toggle: true, budget: { minTokens: 512, maxTokens: 24_576 } },
};
/** Cannot stop thinking. */
const PRO: ModelTraits = {
  kind: "chat",
  reasoningControls: { budget: { minTokens: 128, maxTokens: 32_768 } },
};
const LEVELS: ModelTraits = { kind: "chat", reasoningControls: { efforts: ["low", "high"] } };
const DEFAULTS: ModelTraits = { kind: "chat" };

function thinking(
  reasoning: Reasoning,
  model: ModelTraits,
  more: Partial<ChatRequest> = {},
): { config: unknown; lost: readonly string[] } {
  const report = new LossReport();
  const request: ChatRequest = {
    model: "m",
    messages: [],
    stream: false,
    sampling: {},
    reasoning,
    ...more,
  };
  const { generationConfig } = gemini.outbound.buildRequest(request, { report, model });
  return {
    config: (generationConfig as JsonObject | undefined)?.["thinkingConfig"],
    lost: report.fields,
  };
}

const SWITCHED: Reasoning = { enabled: true, budgetTokens: -1, visible: true };

describe("[A4.7-e] [A4.3-03] the suffix of a model name", () => {
  test.each<[string, Reasoning, ModelTraits, JsonObject]>([
    ["-thinking", SWITCHED, BUDGET, { thinkingBudget: -1, includeThoughts: true }],
    ["-thinking for levels", SWITCHED, LEVELS, { includeThoughts: true }],
    [
      "-thinking-9000",
      { enabled: true, budgetTokens: 9_000, visible: true },
      BUDGET,
      { thinkingBudget: 9_000, includeThoughts: true },
    ],
    [
      "-thinking-99999, which no model supports",
      { enabled: true, budgetTokens: 99_999, visible: true },
      BUDGET,
      { thinkingBudget: 24_576, includeThoughts: true },
    ],
    ["-nothinking", { enabled: false, budgetTokens: 0 }, BUDGET, { thinkingBudget: 0 }],
    [
      "-nothinking if it is not supported",
      { enabled: false, budgetTokens: 0 },
      PRO,
      { thinkingBudget: 128 },
    ],
    [
      "-nothinking for levels",
      { enabled: false, budgetTokens: 0 },
      LEVELS,
      { thinkingLevel: "LOW" },
    ],
    [
      "-thinking-low for levels",
      { effort: "low", visible: true },
      LEVELS,
      { thinkingLevel: "LOW", includeThoughts: true },
    ],
    [
      "-thinking-high for budgets",
      { effort: "high", visible: true },
      BUDGET,
      { thinkingBudget: 19_660, includeThoughts: true },
    ],
  ])("%s", (_ending, reasoning, model, expected) => {
    expect<unknown>(thinking(reasoning, model).config).toEqual(expected);
  });

  test("-thinking leaves two fifths of a limited output for the text", () => {
    const limited = (maxOutputTokens: number, reasoning = SWITCHED): unknown =>
      thinking(reasoning, BUDGET, { maxOutputTokens }).config;

    expect(limited(10_000)).toEqual({ thinkingBudget: 6_000, includeThoughts: true });
    expect(limited(100)).toEqual({ thinkingBudget: 512, includeThoughts: true });
    expect(limited(1_000_000)).toEqual({ thinkingBudget: 24_576, includeThoughts: true });
    expect(limited(10_000, { ...SWITCHED, effort: "low" })).toMatchObject({
      thinkingBudget: 4_915,
    });
  });
});

describe("[A4.3-04] [A4.3-12] [A4.3-14] efforts, budgets and levels of other styles", () => {
  test.each<[string, Reasoning, ModelTraits, JsonObject | undefined]>([
    [
      "an effort is a share of the budget",
      { effort: "medium" },
      BUDGET,
      { thinkingBudget: 12_288 },
    ],
    ["an effort is a level", { effort: "high" }, LEVELS, { thinkingLevel: "HIGH" }],
    ["an effort between two levels", { effort: "medium" }, LEVELS, { thinkingLevel: "LOW" }],
    ["more than there is", { effort: "max" }, LEVELS, { thinkingLevel: "HIGH" }],
    ["more than there is, of an unknown model", { effort: "max" }, {}, { thinkingLevel: "HIGH" }],
    ["a budget is a level", { budgetTokens: 20_000 }, LEVELS, { thinkingLevel: "HIGH" }],
    ["a budget stays within its bounds", { budgetTokens: 10 }, BUDGET, { thinkingBudget: 512 }],
    ["as much as the model likes", { enabled: true }, BUDGET, { thinkingBudget: -1 }],
    ["automatic", { budgetTokens: -1 }, BUDGET, { thinkingBudget: -1 }],
  ])("%s", (_what, reasoning, model, expected) => {
    expect<unknown>(thinking(reasoning, model).config).toEqual({
      ...expected,
      includeThoughts: true,
    });
  });

  test("never set a budget and a level together", () => {
    for (const model of [BUDGET, PRO, LEVELS, {}]) {
      const { config } = thinking({ effort: "high", budgetTokens: 1_000 }, model);

      expect(
        Object.keys(config as JsonObject).filter((name) => name !== "includeThoughts"),
      ).toHaveLength(1);
    }
  });

  test("with reasoning turned off show no reasoning, and the option to show it does not turn it on", () => {
    expect(thinking({ enabled: false }, BUDGET).config).toEqual({ thinkingBudget: 0 });
    expect(thinking({ effort: "none" }, BUDGET).config).toEqual({ thinkingBudget: 0 });
    expect(thinking({ visible: true }, BUDGET).config).toEqual({ includeThoughts: true });
    expect(thinking({ effort: "low", visible: false }, LEVELS).config).toEqual({
      thinkingLevel: "LOW",
      includeThoughts: false,
    });
  });

  test("for a model that cannot reason are not sent, and that is reported", () => {
    expect(thinking({ effort: "high" }, DEFAULTS)).toEqual({
      config: undefined,
      lost: ["reasoning"],
    });
    expect(thinking({ enabled: false }, DEFAULTS)).toEqual({ config: undefined, lost: [] });
  });
});

describe("[A4.7-e] a client of this style", () => {
  function parsed(thinkingConfig: JsonObject): Reasoning | undefined {
    const facts = { model: "m", stream: false, choices: 1, messages: 1, wantsUsage: true };
    return gemini.inbound.parseRequest(
      { contents: [], generationConfig: { thinkingConfig } },
      { ...facts, maxOutputTokens: undefined },
    ).reasoning;
  }

  test.each<[JsonObject, Reasoning | undefined]>([
    [
      { includeThoughts: true, thinkingBudget: 5 },
      { visible: true, budgetTokens: 5 },
    ],
    [
      { include_thoughts: false, thinking_level: "HIGH" },
      { effort: "high", visible: false },
    ],
    [{ thinkingBudget: 0 }, { budgetTokens: 0 }],
    [{ thinkingLevel: "" }, undefined],
    [{ thinkingLevel: "THINKING_LEVEL_UNSPECIFIED" }, undefined],
    [{}, undefined],
  ])("may write %p", (wire, expected) => {
    expect(parsed(wire)).toEqual(expected as Reasoning);
  });

  test("gets no reasoning unless it requests it", () => {
    expect(thinking({ budgetTokens: 600 }, BUDGET, { rawFields: { gemini: {} } }).config).toEqual({
      thinkingBudget: 600,
    });
  });
});
