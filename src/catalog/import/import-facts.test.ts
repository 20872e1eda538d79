import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { SHARED, withShared } from "#test/shared.ts";
import { checkFacts } from "../catalog-file.ts";
import { SHIPPED } from "../index.ts";
import { knownRows, planUpdate } from "../plan-update.ts";
import { asMillion, perMillion, perOne } from "./facts.ts";
import { importFacts } from "./import-facts.ts";

const TERMS = { date: "2026-11-23" };

/** What a file says of one model. */
function row(content: Json, provider: string, id: string): Json | undefined {
  const file = importFacts(content, TERMS)?.files.find((each) => each["provider"] === provider);
  return listOf(file?.["models"]).find((each) => memberOf(each, "id") === id);
}

describe("prices", () => {
  test("become decimal dollars without binary rounding errors", () => {
    expect(perMillion(1.25e-7)).toBe("0.125");
    expect(perMillion(3e-6)).toBe("3");
    expect(perMillion(1.5e-5)).toBe("15");
    expect(perMillion(0)).toBe("0");
    // 0.07 * 4e-6 in binary fractions.
    expect(perMillion(0.07 * 4e-6)).toBe("0.28");
    expect(asMillion(0.135)).toBe("0.135");
    expect(perOne(0.000_006)).toBe("0.000006");
  });

  test("that are invalid are omitted", () => {
    for (const each of [undefined, null, "", -1, Number.NaN, Infinity, "a lot", {}, 1e-13]) {
      expect(perMillion(each as Json)).toBeUndefined();
    }
  });
});

const LITELLM = {
  "minimax/film-1": {
    litellm_provider: "minimax",
    mode: "video_generation",
    output_cost_per_second: 0.08,
    input_cost_per_image: 0.04,
    provider_specific_entry: { minimax_free_input_images: 5 },
  },
  sample_spec: { litellm_provider: "one of them", mode: "one of these" },
  "swift-1": {
    litellm_provider: "openai",
    mode: "chat",
    input_cost_per_token: 1.25e-6,
    output_cost_per_token: 1e-5,
    cache_read_input_token_cost: 1.25e-7,
    cache_creation_input_token_cost_above_1hr: 2.5e-6,
    input_cost_per_token_above_272k_tokens: 2.5e-6,
    output_cost_per_token_above_272k_tokens: 1.5e-5,
    input_cost_per_token_batches: 6.25e-7,
    input_cost_per_token_priority: 2.5e-6,
    output_cost_per_token_priority: 2e-5,
    cache_read_input_token_cost_priority: 0,
    input_cost_per_token_above_272k_tokens_priority: 5e-6,
    cache_creation_input_token_cost_above_1hr_above_272k_tokens_priority: 1e-5,
    regional_processing_uplift_multiplier_eu: 1.1,
    max_input_tokens: 272_000,
    max_output_tokens: 128_000,
    deprecation_date: "2027-02-03",
    search_context_cost_per_query: {
      search_context_size_low: 0.01,
      search_context_size_high: 0.01,
    },
    source: "https://vendor.example/prices",
    supports_function_calling: true,
    supports_reasoning: true,
    supports_vision: true,
    supports_pdf_input: true,
  },
  "gemini/flash-1": {
    litellm_provider: "gemini",
    mode: "embedding",
    input_cost_per_token: 1.5e-7,
    output_cost_per_token: 0,
    deprecation_date: "2026-01-31",
  },
  "fast-1": {
    litellm_provider: "dashscope",
    mode: "chat",
    tiered_pricing: [
      { range: [0, 256_000], input_cost_per_token: 5e-8, output_cost_per_token: 4e-7 },
      { range: [256_000, 1_000_000], input_cost_per_token: 2.5e-7, output_cost_per_token: 2e-6 },
    ],
  },
  "thinker-1": {
    litellm_provider: "openai",
    mode: "chat",
    input_cost_per_token: 1e-6,
    output_cost_per_token: 2e-6,
    output_cost_per_reasoning_token: 4e-6,
  },
  "live-1": { litellm_provider: "openai", mode: "realtime", input_cost_per_token: 1e-6 },
  "free-1": {
    litellm_provider: "mistral",
    mode: "chat",
    input_cost_per_token: 0,
    output_cost_per_token: 0,
  },
  "picture-1": {
    litellm_provider: "openai",
    mode: "image_generation",
    output_cost_per_image: 0.04,
  },
  "listener-1": {
    litellm_provider: "groq",
    mode: "audio_transcription",
    input_cost_per_second: 3.083e-5,
    output_cost_per_second: 0,
  },
  "azure/swift-1": { litellm_provider: "azure", mode: "chat", input_cost_per_token: 1e-6 },
};

describe("LiteLLM's price file", () => {
  test("has prices for tokens, caches, searches and long inputs, limits and end dates", () => {
    expect(row(LITELLM, "openai", "swift-1")).toEqual({
      id: "swift-1",
      source: "https://vendor.example/prices",
      date: "2026-11-23",
      maxOutputTokens: 128_000,
      retires: "2027-02-03",
      ifNew: {
        kind: "chat",
        contextTokens: 272_000,
        input: ["text", "image", "file"],
        output: ["text"],
        tools: true,
        reasoning: {},
      },
      price: {
        input: "1.25",
        output: "10",
        cachedInput: "0.125",
        longCacheWrite: "2.5",
        search: "0.01",
        tiers: [
          {
            aboveInputTokens: 272_000,
            input: "2.5",
            output: "15",
            cachedInput: "0.125",
            longCacheWrite: "2.5",
          },
        ],
        variants: [
          { when: { serviceTier: "batch" }, rates: { input: "0.625" } },
          { when: { serviceTier: "priority" }, rates: { input: "2.5", output: "20" } },
          {
            when: { serviceTier: "priority", aboveInputTokens: 272_000 },
            rates: { input: "5", longCacheWrite: "10" },
          },
          { when: { region: "eu" }, factor: "1.1" },
        ],
      },
    });
  });

  test("given images of a video have a price, and some of them are free", () => {
    expect(row(LITELLM, "minimax", "film-1")).toMatchObject({
      price: { second: "0.08", referenceImage: "0.04", freeReferenceImages: 5 },
    });
  });

  test("prefixes model ids with their provider; an end date in the past retires a model", () => {
    expect(row(LITELLM, "gemini", "flash-1")).toMatchObject({
      retired: "2026-01-31",
      price: { input: "0.15", output: "0" },
      ifNew: { kind: "embedding" },
    });
  });

  test("has separate fields for price tiers, images and seconds", () => {
    expect(row(LITELLM, "dashscope", "fast-1")).toMatchObject({
      price: {
        input: "0.05",
        output: "0.4",
        tiers: [{ aboveInputTokens: 256_000, input: "0.25", output: "2" }],
      },
    });
    expect(memberOf(row(LITELLM, "openai", "picture-1"), "price")).toEqual({ image: "0.04" });
    expect(memberOf(row(LITELLM, "groq", "listener-1"), "price")).toEqual({ second: "0.00003083" });
  });

  test("uses 0 for an unknown price: such a model gets no price", () => {
    expect(row(LITELLM, "mistral", "free-1")).not.toHaveProperty("price");
  });

  test("has unsupported prices, unsupported models, and other providers", () => {
    const read = importFacts(LITELLM, TERMS);

    expect(read?.leftOut).toEqual([
      {
        provider: "openai",
        id: "thinker-1",
        why: "its separate price for reasoning is not supported",
      },
      { provider: "openai", id: "live-1", why: "its mode is not supported: realtime" },
    ]);
    expect(row(LITELLM, "openai", "thinker-1")).not.toHaveProperty("price");
    expect(row(LITELLM, "openai", "live-1")).toBeUndefined();
    expect([...(read?.otherProviders ?? [])]).toEqual([["azure", 1]]);
  });
});

const MODELS_DEV = {
  google: {
    id: "google",
    models: {
      "pro-1": {
        id: "pro-1",
        release_date: "2026-06-17",
        reasoning: true,
        tool_call: true,
        limit: { context: 1_048_576, output: 65_536 },
        modalities: { input: ["text", "image", "pdf"], output: ["text"] },
        reasoning_options: [
          { type: "budget_tokens", min: 128, max: 32_768 },
          { type: "effort", values: ["low", "high"] },
          { type: "toggle" },
        ],
        cost: {
          input: 1.25,
          output: 10,
          cache_read: 0.125,
          input_audio: 2.5,
          tiers: [{ tier: { size: 200_000 }, input: 2.5, output: 15, cache_read: 0.25 }],
        },
        experimental: {
          modes: {
            fast: {
              cost: { input: 5, output: 40 },
              provider: { body: { service_tier: "priority" } },
            },
            odd: { cost: { input: 1, output: 1 }, provider: { body: { mode: "odd" } } },
          },
        },
      },
    },
  },
  poe: { id: "poe", models: { a: { id: "a" }, b: { id: "b" } } },
};

test("models.dev has dollars per million, limits, modalities and reasoning controls", () => {
  expect(row(MODELS_DEV, "gemini", "pro-1")).toEqual({
    id: "pro-1",
    date: "2026-11-23",
    contextTokens: 1_048_576,
    maxOutputTokens: 65_536,
    ifNew: {
      kind: "chat",
      released: "2026-06-17",
      input: ["text", "image", "file"],
      output: ["text"],
      tools: true,
      reasoning: {
        toggle: true,
        efforts: ["low", "high"],
        budget: { minTokens: 128, maxTokens: 32_768 },
      },
    },
    price: {
      input: "1.25",
      output: "10",
      cachedInput: "0.125",
      audioInput: "2.5",
      tiers: [
        {
          aboveInputTokens: 200_000,
          input: "2.5",
          output: "15",
          cachedInput: "0.25",
          audioInput: "2.5",
        },
      ],
      variants: [{ when: { serviceTier: "priority" }, rates: { input: "5", output: "40" } }],
    },
  });
  expect([...(importFacts(MODELS_DEV, TERMS)?.otherProviders ?? [])]).toEqual([["poe", 2]]);
});

const GENAI_PRICES = [
  {
    id: "x-ai",
    pricing_urls: ["https://vendor.example/prices"],
    models: [
      {
        id: "big-1",
        match: { equals: "big-1" },
        context_window: 200_000,
        prices: {
          input_mtok: { base: 3, tiers: [{ start: 200_000, price: 6 }] },
          output_mtok: { base: 15, tiers: [{ start: 200_000, price: 22.5 }] },
          cache_read_mtok: 0.3,
        },
      },
      {
        id: "moved-1",
        match: { equals: "moved-1" },
        prices: [
          { prices: { input_mtok: 10, output_mtok: 40 } },
          { constraint: { start_date: "2026-06-10" }, prices: { input_mtok: 2, output_mtok: 8 } },
          { constraint: { start_date: "2027-01-01" }, prices: { input_mtok: 1, output_mtok: 4 } },
        ],
      },
      {
        id: "night-1",
        match: { equals: "night-1" },
        prices: [
          { prices: { input_mtok: 1, output_mtok: 2 } },
          { constraint: { start_time: "00:30:00Z" }, prices: { input_mtok: 2, output_mtok: 4 } },
        ],
      },
    ],
  },
  { id: "aws", models: [{ id: "nova", match: {}, prices: { input_mtok: 1 } }] },
];

test("genai-prices has tiers by rate, and prices with a start date", () => {
  expect(row(GENAI_PRICES, "xai", "big-1")).toEqual({
    id: "big-1",
    source: "https://vendor.example/prices",
    date: "2026-11-23",
    ifNew: { kind: "chat", contextTokens: 200_000 },
    price: {
      input: "3",
      output: "15",
      cachedInput: "0.3",
      tiers: [{ aboveInputTokens: 200_000, input: "6", output: "22.5", cachedInput: "0.3" }],
    },
  });
  expect(memberOf(row(GENAI_PRICES, "xai", "moved-1"), "price")).toEqual({
    input: "2",
    output: "8",
  });
  expect(importFacts(GENAI_PRICES, TERMS)?.leftOut).toEqual([
    { provider: "xai", id: "night-1", why: "its price depends on the hour" },
  ]);
});

test("a file in the catalogue's own format is recognised, alone or in a list; an unknown format is not", () => {
  const own = { provider: "openai", date: "2026-11-23", models: [{ id: "a" }] };

  expect(importFacts(own, TERMS)?.files).toEqual([own]);
  expect(importFacts([own, own], TERMS)?.files).toEqual([own, own]);
  for (const other of [{}, [], [1], "text", null, { a: 1 }, { data: [{ id: "m" }] }]) {
    expect(importFacts(other, TERMS)).toBeUndefined();
  }
});

withShared("catalog", () => {
  describe.each([
    ["litellm.prices.json", 900],
    ["models.dev.json", 600],
    ["genai-prices.data.json", 900],
  ])("%s", (name, least) => {
    const content = parseJson(readFileSync(join(SHARED, "catalog", name), "utf8")) ?? null;
    const read = importFacts(content, TERMS);
    const files = read?.files ?? [];

    test("every imported row is a valid catalogue row", () => {
      for (const file of files) expect(() => checkFacts(file)).not.toThrow();
      const rows = files.flatMap((file) => listOf(file["models"]));
      expect(rows.length).toBeGreaterThan(least);
    });

    test("creates complete rows for unknown models, and no invalid ones", () => {
      const providers = new Set(files.map((file) => textOf(file["provider"]) ?? ""));
      const { added, leftOut } = planUpdate(knownRows([], []), files, providers);

      expect(leftOut).toEqual([]);
      expect(added.length).toBeGreaterThan(least);
    });

    test("agrees with the shipped prices that have not changed", () => {
      const known = knownRows(SHIPPED, []);
      for (const [provider, id] of AGREED) {
        const theirs = memberOf(row(content, provider, id), "price");
        if (theirs === undefined) continue;
        const ours = memberOf(known.get(provider)?.get(id), "price");
        expect([id, ratesIn(theirs)]).toEqual([id, ratesIn(ours)]);
      }
      expect(AGREED.some(([provider, id]) => row(content, provider, id) !== undefined)).toBeTrue();
    });
  });
});

const AGREED = [
  ["openai", "gpt-5"],
  ["openai", "gpt-4o-mini"],
  ["openai", "gpt-4.1"],
  ["anthropic", "claude-opus-4-5"],
  ["anthropic", "claude-haiku-4-5"],
  ["gemini", "gemini-2.5-pro"],
] as const;

function ratesIn(price: Json | undefined): JsonObject {
  const { input = null, output = null, cachedInput = null } = isObject(price) ? price : {};
  return { input, output, cachedInput };
}
