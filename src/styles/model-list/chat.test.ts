import { expect, test } from "bun:test";
import type { ShownModel } from "./model-list.ts";
import { chatModelList } from "./chat.ts";

const CLAUDE: ShownModel = {
  id: "claude-next",
  owner: "anthropic",
  createdAt: 1_790_000_000,
  traits: {
    kind: "chat",
    contextTokens: 1_000_000,
    maxOutputTokens: 128_000,
    input: ["text", "image", "file"],
    output: ["text"],
    tools: true,
    reasoningControls: { efforts: ["low", "high"] },
    rules: { refuses: ["temperature", "top_p", "top_k"] },
  },
  price: {
    input: 4_000_000,
    output: 20_000_000,
    cachedInput: 200_000,
    longCacheWrite: 8_000_000,
    search: 10_000_000_000,
    source: "a page",
    date: "2026-11-23",
  },
};

test("clients that read OpenRouter's list find limits, prices, modalities and parameters", () => {
  expect(chatModelList.one(CLAUDE, 0)).toMatchObject({
    id: "claude-next",
    object: "model",
    created: 1_790_000_000,
    owned_by: "anthropic",
    context_length: 1_000_000,
    architecture: {
      modality: "text+image+file->text",
      input_modalities: ["text", "image", "file"],
      output_modalities: ["text"],
    },
    pricing: {
      prompt: "0.000004",
      completion: "0.00002",
      input_cache_read: "0.0000002",
      input_cache_write_1h: "0.000008",
      web_search: "0.01",
      request: "0",
    },
    top_provider: { context_length: 1_000_000, max_completion_tokens: 128_000 },
  });
});

test("an unsupported parameter is not in the list of supported ones", () => {
  const { supported_parameters: supported } = chatModelList.one(CLAUDE, 0);

  expect(supported).toContain("tools");
  expect(supported).toContain("reasoning");
  expect(supported).toContain("stop");
  expect(supported).not.toContain("temperature");
  expect(supported).not.toContain("top_k");
});

test("an unknown model has neither date nor price", () => {
  const shown = chatModelList.one(
    {
      id: "house-model",
      owner: "openai-compatible",
      createdAt: undefined,
      traits: {},
      price: undefined,
    },
    0,
  );

  expect(shown).not.toContainKeys(["created", "pricing"]);
  expect(shown).toMatchObject({ context_length: null, architecture: { modality: null } });
});

test("the day of a model's retirement is listed", () => {
  const retiresAt = Date.UTC(2027, 0, 15) / 1_000;

  expect(
    chatModelList.one({ ...CLAUDE, traits: { ...CLAUDE.traits, retiresAt } }, 0),
  ).toMatchObject({
    expiration_date: "2027-01-15",
  });
  expect(chatModelList.one(CLAUDE, 0)).not.toHaveProperty("expiration_date");
});
