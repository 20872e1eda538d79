import { describe, expect, test } from "bun:test";
import type { ChatRequest, Reasoning } from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import { readSuffixes } from "#relay/routing/suffix.ts";
import type { OutboundContext } from "#core/style.ts";
import { defined } from "#lib/values.ts";
import type { ChatDialect } from "../request/dialect.ts";
import { fitRequest } from "../request/fit-request.ts";
import { parseRequest } from "../request/request-in.ts";
import { buildRequest } from "../request/request-out.ts";

const QUESTION: ChatRequest = {
  model: "m",
  messages: [{ role: "user", blocks: [{ type: "text", text: "hi" }] }],
  stream: true,
  sampling: {},
};

/** What a request says beside its question, and what of it was lost. */
function written(
  request: Partial<ChatRequest>,
  model: ModelTraits,
  dialect: ChatDialect,
): [JsonObject, readonly string[]] {
  const report = new LossReport();
  const body = sent({ ...QUESTION, ...request }, { report, model, dialect: { ...dialect } });
  const { model: _m, messages: _q, stream: _s, stream_options: _o, tools: _t, ...rest } = body;
  return [rest, report.fields];
}

/** A body as it leaves: what is left out of it is not there. */
function sent(request: ChatRequest, context: OutboundContext): JsonObject {
  const body = buildRequest(request, context);
  return defined({ ...body, ...fitRequest(body, context) }) as JsonObject;
}

function steered(
  reasoning: Reasoning,
  reasoningControls: ModelTraits["reasoningControls"],
  dialect: ChatDialect,
  more: Partial<ChatRequest> = {},
): [JsonObject, readonly string[]] {
  const model = reasoningControls === undefined ? {} : { reasoningControls };
  return written({ reasoning, ...more }, model, dialect);
}

type Case = [string, Reasoning, ModelTraits["reasoningControls"], JsonObject, string[]];

const BUDGET = ["reasoning.budget_tokens"];
const EFFORT = ["reasoning.effort"];
const EMPTY = ["reasoning"];

describe("[A4.3-04] a reasoning option is translated for the model's family", () => {
  const NEW = { efforts: ["none", "low", "medium", "high"] };
  const OLD = { efforts: ["low", "medium", "high"] };
  test.each<Case>([
    ["an effort", { effort: "high" }, OLD, { reasoning_effort: "high" }, []],
    ["an effort of a stranger", { effort: "high" }, undefined, { reasoning_effort: "high" }, []],
    ["one that it does not have", { effort: "minimal" }, OLD, { reasoning_effort: "low" }, []],
    ["one above all", { effort: "max" }, OLD, { reasoning_effort: "high" }, []],
    ["tokens", { budgetTokens: 12_000 }, OLD, { reasoning_effort: "medium" }, BUDGET],
    [
      "tokens of a stranger",
      { budgetTokens: 1_024 },
      undefined,
      { reasoning_effort: "low" },
      BUDGET,
    ],
    ["any number of tokens", { budgetTokens: -1, enabled: true }, OLD, {}, []],
    [
      "any number, if there is no default",
      { budgetTokens: -1 },
      NEW,
      { reasoning_effort: "medium" },
      [],
    ],
    [
      "enabled, if neither end is the middle",
      { enabled: true },
      { efforts: ["none", "low", "high"] },
      { reasoning_effort: "low" },
      [],
    ],
    ["none", { enabled: false }, NEW, { reasoning_effort: "none" }, []],
    ["none, for an unknown model", { effort: "none" }, undefined, { reasoning_effort: "none" }, []],
    ["none, if there is no value for it", { budgetTokens: 0 }, undefined, {}, EMPTY],
    [
      "none, if the lowest value is higher",
      { enabled: false },
      OLD,
      { reasoning_effort: "low" },
      EMPTY,
    ],
  ])("by effort: %s", (_what, asked, controls, body, lost) => {
    expect(steered(asked, controls, {})).toEqual([body, lost]);
  });

  const BOTH = { toggle: true, budget: {} } as const;
  const ALWAYS = { budget: {} };
  test.each<Case>([
    ["on", { enabled: true }, BOTH, { enable_thinking: true }, []],
    ["off", { enabled: false }, BOTH, { enable_thinking: false }, []],
    ["zero is off", { budgetTokens: 0 }, BOTH, { enable_thinking: false }, []],
    ["-1 is on", { budgetTokens: -1 }, BOTH, { enable_thinking: true }, []],
    [
      "so many tokens",
      { budgetTokens: 500 },
      BOTH,
      { enable_thinking: true, thinking_budget: 500 },
      [],
    ],
    [
      "an effort is a share of the usual tokens",
      { effort: "low" },
      BOTH,
      { enable_thinking: true, thinking_budget: 4_915 },
      [],
    ],
    [
      "an effort, of one that cannot count",
      { effort: "low" },
      { toggle: true },
      { enable_thinking: true },
      EFFORT,
    ],
    ["on, of one that does nothing else", { enabled: true }, ALWAYS, {}, []],
    [
      "tokens, of one that does nothing else",
      { budgetTokens: 500 },
      ALWAYS,
      { thinking_budget: 500 },
      [],
    ],
    ["on, of a stranger", { enabled: true }, undefined, { enable_thinking: true }, []],
  ])("[A4.3-07] by a switch: %s", (_what, asked, controls, body, lost) => {
    expect(steered(asked, controls, { reasoning: "switch" })).toEqual([body, lost]);
  });

  test("[A4.3-07] a switch is only turned on for a stream", () => {
    const way = { reasoning: "switch" } as const;

    expect(steered({ effort: "high" }, BOTH, way, { stream: false })).toEqual([
      { enable_thinking: false },
      EMPTY,
    ]);
    expect(steered({ budgetTokens: 9 }, ALWAYS, way, { stream: false })).toEqual([
      { thinking_budget: 9 },
      [],
    ]);
  });

  const STEPS = { toggle: true, efforts: ["minimal", "low", "high"] } as const;
  test.each<Case>([
    ["on", { enabled: true }, { toggle: true }, { thinking: { type: "enabled" } }, []],
    ["off", { effort: "none" }, { toggle: true }, { thinking: { type: "disabled" } }, []],
    ["tokens", { budgetTokens: 500 }, { toggle: true }, { thinking: { type: "enabled" } }, BUDGET],
    [
      "an effort, of one without",
      { effort: "low" },
      { toggle: true },
      { thinking: { type: "enabled" } },
      EFFORT,
    ],
    [
      "an effort, of one that has some",
      { effort: "low" },
      STEPS,
      { thinking: { type: "enabled" }, reasoning_effort: "low" },
      [],
    ],
    [
      "the lowest effort, which is none",
      { effort: "minimal" },
      STEPS,
      { thinking: { type: "disabled" }, reasoning_effort: "minimal" },
      [],
    ],
    [
      "an effort, of one that cannot be switched",
      { effort: "max" },
      { efforts: ["high", "max"] },
      { reasoning_effort: "max" },
      [],
    ],
    ["on, of one that does nothing else", { enabled: true }, {}, {}, []],
  ])("[A4.3-08] by a type: %s", (_what, asked, controls, body, lost) => {
    expect(steered(asked, controls, { reasoning: "type" })).toEqual([body, lost]);
  });

  test.each<Case>([
    ["on", { enabled: true }, undefined, { reasoning: { enabled: true } }, []],
    ["off", { enabled: false }, undefined, { reasoning: { effort: "none" } }, []],
    [
      "tokens",
      { budgetTokens: 500, visible: true },
      { budget: {} },
      { reasoning: { max_tokens: 500 } },
      [],
    ],
    [
      "an effort, unseen",
      { effort: "low", visible: false },
      undefined,
      { reasoning: { effort: "low", exclude: true } },
      [],
    ],
  ])("by an object: %s", (_what, asked, controls, body, lost) => {
    expect(steered(asked, controls, { reasoning: "object" })).toEqual([body, lost]);
  });

  test("a model that is known not to reason gets no reasoning options", () => {
    const plain: ModelTraits = { kind: "chat" };

    expect(written({ reasoning: { effort: "high" } }, plain, {})).toEqual([{}, EMPTY]);
    expect(written({ reasoning: { enabled: false } }, plain, {})).toEqual([{}, []]);
  });

  const COUNTS: ModelTraits = {
    reasoningControls: { toggle: true, budget: { maxTokens: 10_000 } },
  };

  test.each<[string, JsonObject]>([
    ["-thinking", { enable_thinking: true }],
    ["-thinking-2048", { enable_thinking: true, thinking_budget: 2_048 }],
    ["-nothinking", { enable_thinking: false }],
    ["-thinking-low", { enable_thinking: true, thinking_budget: 2_000 }],
    ["-thinking-high", { enable_thinking: true, thinking_budget: 8_000 }],
  ])(
    "[A4.3-03] the suffix of a name sets the options that the client omitted: %s",
    (ending, expected) => {
      const [reading] = readSuffixes(`m${ending}`);

      expect(reading?.base).toBe("m");
      expect(
        written({ reasoning: reading?.steering ?? {} }, COUNTS, { reasoning: "switch" }),
      ).toEqual([expected, []]);
    },
  );

  test.each([
    ["low", 2_000],
    ["medium", 5_000],
    ["high", 8_000],
  ])(
    "[A4.3-12] with the suffix '-thinking', effort %s is a share of the budget",
    (effort, tokens) => {
      const asked = parseRequest({ model: "m-thinking", reasoning_effort: effort, messages: [] });
      const steering = readSuffixes("m-thinking")[0]?.steering;
      const reasoning = { ...steering, ...asked.reasoning };

      expect(written({ reasoning }, COUNTS, { reasoning: "switch" })[0]).toEqual({
        enable_thinking: true,
        thinking_budget: tokens,
      });
    },
  );

  test("members beside it are kept if the reasoning option is rewritten", () => {
    const vendor = {
      brand: { thinking_config: { thinking_budget: 5 }, tools: [{ codeExecution: {} }] },
    };
    const body = { model: "m", messages: [{ role: "user", content: "hi" }], extra_body: vendor };
    const request = { ...parseRequest(body), reasoning: { effort: "low" } };

    expect(buildRequest(request, { report: new LossReport(), model: {} })).toEqual({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      extra_body: { brand: { tools: [{ codeExecution: {} }] } },
      reasoning_effort: "low",
    });
  });
});

describe("a reasoning model does not get options that it refuses", () => {
  const REFUSES = ["max_tokens", "temperature", "top_p", "stop", "logprobs", "top_logprobs"];
  const dialect: ChatDialect = { maxCompletionTokens: true, reasonersRefuse: REFUSES };
  const reasoner: ModelTraits = { kind: "chat", reasoningControls: { efforts: ["none", "low"] } };
  const asked: Partial<ChatRequest> = {
    sampling: { temperature: 0.3, topP: 1 },
    maxOutputTokens: 7,
    stop: ["x"],
    logprobs: { top: 1 },
  };

  test("its output limit has another name, and sampling options are omitted and reported", () => {
    expect(written(asked, reasoner, dialect)).toEqual([
      { max_completion_tokens: 7 },
      ["temperature", "stop", "logprobs", "top_logprobs"],
    ]);
  });

  test("with reasoning turned off it accepts all of them", () => {
    const [body, lost] = written({ ...asked, reasoning: { effort: "none" } }, reasoner, dialect);

    expect(lost).toEqual([]);
    expect(body).toMatchObject({ temperature: 0.3, stop: ["x"], reasoning_effort: "none" });
  });

  test("another model of the vendor accepts all of them", () => {
    const [body, lost] = written(asked, { kind: "chat" }, dialect);

    expect(lost).toEqual([]);
    expect(body).toMatchObject({ temperature: 0.3, top_p: 1, max_completion_tokens: 7 });
  });

  test("requests of this style are adapted as well, if the model's suffix adds options", () => {
    const wire = {
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      max_tokens: 4,
      temperature: 1,
    };
    const request = { ...parseRequest(wire), reasoning: { effort: "low" } };
    const report = new LossReport();
    const body = sent(request, { report, model: reasoner, dialect: { ...dialect } });

    expect([body["max_tokens"], body["max_completion_tokens"], body["temperature"]]).toEqual([
      undefined,
      4,
      undefined,
    ]);
    expect(report.fields).toEqual([]);
  });
});

describe("a vendor that cannot force a tool call while it reasons", () => {
  const model: ModelTraits = { reasoningControls: { toggle: true } };
  const forced: Partial<ChatRequest> = {
    tools: [{ kind: "function", name: "f" }],
    toolChoice: { mode: "required" },
  };
  const ways: [ChatDialect["reasoning"] & string, JsonObject, JsonObject][] = [
    ["type", { thinking: { type: "enabled" } }, { thinking: { type: "disabled" } }],
    ["switch", { enable_thinking: true }, { enable_thinking: false }],
  ];

  describe.each(ways)("that requests reasoning by a %s", (reasoning, on, off) => {
    const dialect: ChatDialect = { reasoning, forcedToolsWhileReasoning: false };

    test("leaves the choice to the model if the client requests reasoning", () => {
      expect(written({ ...forced, reasoning: { enabled: true } }, model, dialect)).toEqual([
        { ...on, tool_choice: "auto" },
        ["tool_choice"],
      ]);
    });

    test("does not reason if the client requests only the tool, or no reasoning", () => {
      for (const request of [forced, { ...forced, reasoning: { enabled: false } }]) {
        expect(written(request, model, dialect)).toEqual([{ ...off, tool_choice: "required" }, []]);
      }
    });

    test("leaves the choice to a model that always reasons, with a report", () => {
      expect(written(forced, { reasoningControls: {} }, dialect)).toEqual([
        { tool_choice: "auto" },
        ["tool_choice"],
      ]);
    });
  });
});
