import { describe, expect, test } from "bun:test";
import { findModel, listModels } from "#catalog/index.ts";
import { findFamily } from "#catalog/request-rules.ts";
import { LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { fitRequest } from "#relay/translation/fit-request.ts";
import { mergeTraits, traitsOf } from "#relay/routing/traits.ts";
import { defined } from "#lib/values.ts";
import { findProvider } from "./index.ts";
import type { TextEndpoint } from "./provider.ts";

const USER: Json = { role: "user", content: "hi" };
const tool = (name: string, strict?: boolean): JsonObject => ({
  type: "function",
  function: { name, parameters: { type: "object" }, ...(strict === undefined ? {} : { strict }) },
});

interface Sent {
  readonly body: JsonObject;
  readonly lost: readonly string[];
  readonly path: TextEndpoint["path"];
}

/** What the vendor gets of a chat body that passes through. */
function sent(provider: string, model: string, members: JsonObject, style = "chat"): Sent {
  const endpoint = findProvider(provider)?.text.find(
    (each) => each.style.id === style && (each.serves?.(model) ?? true),
  );
  if (endpoint === undefined) throw new Error(`${provider} does not serve ${model}.`);
  const report = new LossReport();
  const catalogue = traitsOf(findModel(provider, model));
  const family = traitsOf(findFamily(model));
  const traits = mergeTraits(defined({ catalogue, family }));
  const body = { model, ...members };
  const fitted = { ...body, ...fitRequest(body, { endpoint, traits }, report) };
  const adapted = { ...fitted, ...endpoint.adaptRequest?.(fitted as JsonObject, model, report) };
  const { model: _, ...rest } = JSON.parse(JSON.stringify(adapted)) as JsonObject;
  const path = endpoint.pathFor?.(adapted as JsonObject) ?? endpoint.path;
  return { body: rest, lost: report.fields, path };
}

const bodyOf = (...args: Parameters<typeof sent>): JsonObject => sent(...args).body;

describe("DeepSeek", () => {
  const turns = [USER, { role: "assistant", content: "a" }, USER];

  test.each(["deepseek-flash", "deepseek-v4-pro", "deepseek-v5"])(
    "%s gets reasoning content in every earlier turn",
    (model) => {
      const { messages } = bodyOf("deepseek", model, { messages: turns, tools: [tool("f")] });

      expect(messages).toEqual([
        USER,
        { role: "assistant", content: "a", reasoning_content: "" },
        USER,
      ]);
    },
  );

  test("retired models are not offered, except under the old name of flash", () => {
    const offered = listModels("deepseek").filter(({ retired }) => retired === undefined);

    expect(offered.map(({ id }) => id)).toEqual(["deepseek-flash", "deepseek-v4-pro"]);
    expect(findModel("deepseek", "deepseek-v4-flash")?.id).toBe("deepseek-flash");
  });

  test.each(["low", "medium", "xhigh", "max"])("gets the effort %s as a supported one", (asked) => {
    const { reasoning_effort } = bodyOf("deepseek", "deepseek-flash", {
      reasoning_effort: asked,
    });

    expect(reasoning_effort).toBe(asked === "xhigh" || asked === "max" ? "max" : "high");
  });

  test("strict tools and an assistant prefix use the beta address", () => {
    const beta = "/../beta/chat/completions";
    const path = (members: JsonObject) => sent("deepseek", "deepseek-flash", members).path;

    expect(path({ tools: [tool("f", true)] })).toBe(beta);
    expect(path({ messages: [USER, { role: "assistant", content: "a", prefix: true }] })).toBe(
      beta,
    );
    expect(path({ tools: [tool("f", false)], messages: [USER] })).toBe("/chat/completions");
  });

  test("strict tools beside others are sent like the others", () => {
    const mixed = { tools: [tool("f", true), tool("g")] };
    const { body, lost, path } = sent("deepseek", "deepseek-flash", mixed);

    expect(body["tools"]).toEqual([tool("f"), tool("g")]);
    expect([lost, path]).toEqual([["tools.strict"], "/chat/completions"]);
  });
});

describe("Qwen 3.8", () => {
  test.each(["qwen3.8-max", "qwen3.8-flash", "qwen3.9-plus"])(
    "%s thinks with the requested effort, in complete responses, too",
    (model) => {
      for (const stream of [true, false]) {
        const asked = { reasoning_effort: "xhigh", stream };

        expect(bodyOf("dashscope", model, asked)).toEqual(asked);
      }
    },
  );

  test("an older model gets a budget instead, and only in streams", () => {
    const { enable_thinking, reasoning_effort } = bodyOf("dashscope", "qwen3.7-max", {
      reasoning_effort: "high",
    });

    expect([enable_thinking, reasoning_effort]).toEqual([false, undefined]);
  });

  test("a switch that contradicts the effort is resolved", () => {
    const off = { enable_thinking: false, reasoning_effort: "high" };

    expect(bodyOf("dashscope", "qwen3.8-max", off)).toEqual({ reasoning_effort: "none" });
  });

  test("vendor-specific members pass through", () => {
    const own = { enable_thinking: true, thinking_budget: 2_000, preserve_thinking: true };

    expect(bodyOf("dashscope", "qwen3.8-max", own)).toEqual(own);
  });

  test("it does not think if a tool is forced, unless the client set an effort", () => {
    const forced = { tools: [tool("f")], tool_choice: "required" };

    expect(bodyOf("dashscope", "qwen3.8-max", forced)["enable_thinking"]).toBe(false);
    expect(
      bodyOf("dashscope", "qwen3.8-max", { ...forced, reasoning_effort: "low" })["tool_choice"],
    ).toBe("auto");
  });
});

describe.each(["kimi-k3", "kimi-k3.1-pro", "kimi-k3.2", "kimi-k4"])("Kimi: %s", (model) => {
  test.each([
    ["none", "low"],
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "high"],
    ["high", "high"],
    ["xhigh", "max"],
    ["max", "max"],
  ])("the effort %s is sent as %s", (asked, expected) => {
    expect(bodyOf("moonshot", model, { reasoning_effort: asked })).toEqual({
      reasoning_effort: expected,
    });
  });

  test("gets no `thinking` and none of its fixed settings", () => {
    const { body, lost } = sent("moonshot", model, {
      thinking: { type: "disabled" },
      temperature: 0.2,
      top_p: 0.9,
      n: 1,
      presence_penalty: 0.5,
      frequency_penalty: 0,
      max_completion_tokens: 50,
      tools: [tool("f", true)],
    });

    expect(body).toEqual({
      reasoning_effort: "low",
      max_completion_tokens: 50,
      tools: [tool("f")],
    });
    expect(lost.toSorted()).toEqual([
      "presence_penalty",
      "reasoning",
      "temperature",
      "tools.strict",
      "top_p",
    ]);
  });

  test("several choices are refused, since the vendor returns one", () => {
    expect(() => sent("moonshot", model, { n: 2 })).toThrow("one answer");
  });

  test("enabled `thinking` is omitted as the default", () => {
    expect(bodyOf("moonshot", model, { thinking: { type: "enabled" } })).toEqual({});
  });
});

test("Kimi K2.6 has `thinking` as a switch, and a fixed temperature", () => {
  const thinking = { type: "disabled" };

  expect(bodyOf("moonshot", "kimi-k2.6", { thinking, temperature: 0.6 })).toEqual({ thinking });
});

describe.each(["glm-5.3", "glm-5.3-flash", "glm-5.4"])("GLM: %s", (model) => {
  test("thinks as little as possible if thinking is turned off, since it cannot stop", () => {
    const { body, lost } = sent("zhipu", model, { thinking: { type: "disabled" } });

    expect([body, lost]).toEqual([{ reasoning_effort: "low" }, ["reasoning"]]);
    expect(bodyOf("zhipu", model, { reasoning_effort: "none" })).toEqual({
      reasoning_effort: "low",
    });
  });

  test.each([
    ["medium", "high"],
    ["xhigh", "max"],
  ])("the effort %s is sent as %s", (asked, expected) => {
    expect(bodyOf("zhipu", model, { reasoning_effort: asked })).toEqual({
      reasoning_effort: expected,
    });
  });

  test("keeps the client's option for earlier thinking, independent of the others", () => {
    const kept = { type: "enabled", clear_thinking: false };

    expect(bodyOf("zhipu", model, { thinking: kept })).toEqual({ thinking: kept });
    expect(
      bodyOf("zhipu", model, { thinking: { ...kept, type: "disabled" }, reasoning_effort: "max" }),
    ).toEqual({ thinking: kept, reasoning_effort: "low" });
  });

  test("streams the arguments of tool calls", () => {
    const tools = [tool("f")];

    expect(bodyOf("zhipu", model, { stream: true, tools })["tool_stream"]).toBe(true);
    expect(bodyOf("zhipu", model, { tools })["tool_stream"]).toBeUndefined();
    expect(bodyOf("zhipu", model, { stream: true, tools, tool_stream: false })["tool_stream"]).toBe(
      false,
    );
  });

  test("has its output limit lowered to the maximum", () => {
    expect(bodyOf("zhipu", model, { max_tokens: 200_000 })).toEqual({ max_tokens: 131_072 });
  });
});

describe("MiniMax", () => {
  test("serves its text models in two styles, and no video model", () => {
    expect(sent("minimax", "MiniMax-M3", {}).path).toBe("/v1/chat/completions");
    expect(sent("minimax", "MiniMax-M3", {}, "messages").path).toBe("/anthropic/v1/messages");
    expect(() => sent("minimax", "MiniMax-H3", {})).toThrow("does not serve");
  });

  test("returns reasoning separate from the text", () => {
    expect(bodyOf("minimax", "MiniMax-M3", {})).toEqual({ reasoning_split: true });
    expect(bodyOf("minimax", "MiniMax-M3", { reasoning_split: false })).toEqual({
      reasoning_split: false,
    });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ["MiniMax-M3", { reasoning_effort: "none" }, { thinking: { type: "disabled" } }],
    ["MiniMax-M3", { reasoning_effort: "high" }, { thinking: { type: "adaptive" } }],
    ["MiniMax-M3", { thinking: { type: "enabled" } }, { thinking: { type: "adaptive" } }],
    ["MiniMax-M2.7", { thinking: { type: "disabled" } }, {}],
    ["MiniMax-M3.1-Flash", { thinking: { type: "disabled" } }, { reasoning_effort: "low" }],
    ["MiniMax-M4", { reasoning_effort: "medium" }, { reasoning_effort: "high" }],
  ])("%s supports these thinking options: %j", (model, asked, expected) => {
    expect(bodyOf("minimax", model, asked)).toEqual({ ...expected, reasoning_split: true });
  });

  test("accepts thinking of the messages style under the same name", () => {
    const asked = { max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 2_000 } };
    const { thinking } = bodyOf("minimax", "MiniMax-M3", asked, "messages");

    expect(thinking).toMatchObject({ type: "adaptive" });
  });
});

describe("Doubao Seed 2.1", () => {
  test.each(["doubao-seed-2-1-pro-260915", "doubao-seed-2-1-turbo-260628", "doubao-seed-2-2-pro"])(
    "%s may use its full output limit, at any effort",
    (model) => {
      const asked = { max_tokens: 200_000, thinking: { type: "enabled" }, reasoning_effort: "max" };

      expect(bodyOf("ark", model, asked)).toEqual(asked);
    },
  );
});

test.each([
  ["deepseek", "deepseek-flash"],
  ["dashscope", "qwen3.8-max"],
  ["moonshot", "kimi-k3.1-pro"],
  ["zhipu", "glm-5.3"],
  ["minimax", "MiniMax-M3"],
  ["ark", "doubao-seed-2-1-pro-260915"],
  ["ark", "doubao-seedance-2-5-260628"],
  ["dashscope", "wan3.0-video"],
  ["vidu", "viduq4-preview"],
  ["minimax", "MiniMax-H3-Max"],
])("the catalogue has a price of %s's %s", (provider, model) => {
  expect(findModel(provider, model)?.price).toBeDefined();
});
