import { describe, expect, test } from "bun:test";
import { readNative } from "./native-in.ts";
import { readListed } from "./item-in.ts";

const YES = { supported: true };
const NO = { supported: false };

test("an item of Anthropic's list has limits, modalities, thinking and efforts", () => {
  const item = {
    type: "model",
    id: "claude-opus-9",
    created_at: "2026-11-20T00:00:00Z",
    max_input_tokens: 2_000_000,
    max_tokens: 256_000,
    capabilities: {
      image_input: YES,
      pdf_input: NO,
      structured_outputs: NO,
      effort: { ...YES, low: YES, medium: YES, high: YES, xhigh: null, max: YES },
      thinking: { ...YES, types: { adaptive: YES, between_tools: YES, disabled: NO, enabled: NO } },
    },
  };

  expect(readListed(item)).toEqual([
    {
      id: "claude-opus-9",
      createdAt: Date.UTC(2026, 10, 20) / 1_000,
      traits: {
        kind: "chat",
        input: ["text", "image"],
        output: ["text"],
        tools: true,
        contextTokens: 2_000_000,
        maxOutputTokens: 256_000,
        reasoningControls: { efforts: ["low", "medium", "high", "max"] },
        rules: { thinking: ["adaptive", "between_tools"], formats: [] },
      },
    },
  ]);
});

test("thinking that can be turned off, or accepts a budget, is recognised", () => {
  const types = { adaptive: NO, between_tools: NO, disabled: YES, enabled: YES };
  const capabilities = { thinking: { ...YES, types } };

  expect(readListed({ id: "m", capabilities })[0]?.traits).toMatchObject({
    reasoningControls: { toggle: true, budget: { minTokens: 1_024 } },
    rules: { thinking: ["enabled", "disabled"] },
  });
});

test("a model without thinking has no reasoning controls", () => {
  const [found] = readListed({ id: "m", capabilities: { thinking: { ...NO, types: {} } } });

  expect(found?.traits).not.toHaveProperty("reasoningControls");
});

test("an item of OpenRouter's list has limits, modalities, tools and efforts, weakest first", () => {
  const item = {
    id: "maker/model",
    created: 1_790_000_000,
    context_length: 262_144,
    architecture: {
      input_modalities: ["text", "image", "hologram"],
      output_modalities: ["text"],
    },
    top_provider: { context_length: 262_144, max_completion_tokens: 32_768 },
    supported_parameters: ["temperature", "tools"],
    reasoning: { efforts: ["high", "low"] },
  };

  expect(readListed(item)).toEqual([
    {
      id: "maker/model",
      createdAt: 1_790_000_000,
      traits: {
        kind: "chat",
        input: ["text", "image"],
        output: ["text"],
        tools: true,
        contextTokens: 262_144,
        maxOutputTokens: 32_768,
        reasoningControls: { efforts: ["low", "high"] },
      },
    },
  ]);
});

test("an item of Gemini's list has its limits", () => {
  const item = {
    name: "models/gemini-9",
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ["generateContent"],
  };

  expect(readNative(item)).toEqual({
    id: "gemini-9",
    traits: { contextTokens: 1_048_576, maxOutputTokens: 65_536 },
  });
});

describe("no facts are read from", () => {
  test.each([
    [{ id: "m", object: "model", created: 0, owned_by: "x" }, [{ id: "m" }]],
    [{ id: "m", created_at: "1970-01-01T00:00:00Z" }, [{ id: "m" }]],
    [{ id: "m", context_length: null, top_provider: {}, architecture: {} }, [{ id: "m" }]],
    [{ id: "m", max_tokens: "many", created: "today" }, [{ id: "m" }]],
    [{ name: "m" }, []],
    ["m", []],
  ])("%j", (item, expected) => {
    expect(readListed(item)).toEqual(expected);
  });
});
