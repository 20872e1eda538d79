import { describe, expect, test } from "bun:test";
import { NO_USAGE, type Usage } from "#core/usage.ts";
import type { JsonObject } from "#lib/json.ts";
import { buildUsage, parseUsage, usageIn } from "./usage.ts";

describe("usage is read in every server's form", () => {
  test.each<[string, JsonObject, Partial<Usage> | undefined]>([
    ["plainly", { input_tokens: 9, output_tokens: 3 }, { inputTokens: 9, outputTokens: 3 }],
    [
      "with all its details",
      {
        input_tokens: 100,
        output_tokens: 50,
        total_tokens: 150,
        input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10, audio_tokens: 5 },
        output_tokens_details: { reasoning_tokens: 30, audio_tokens: 2 },
      },
      {
        inputTokens: 100,
        cachedInputTokens: 60,
        cacheWriteTokens: 10,
        audioInputTokens: 5,
        outputTokens: 50,
        reasoningTokens: 30,
        audioOutputTokens: 2,
      },
    ],
    [
      "with long-lived cache writes",
      {
        input_tokens: 100,
        output_tokens: 5,
        input_tokens_details: {
          cache_write_tokens: 90,
          cache_write_tokens_details: { ttl_30m_tokens: 30, ttl_12h_tokens: 60 },
        },
      },
      { inputTokens: 100, cacheWriteTokens: 90, longCacheWriteTokens: 60, outputTokens: 5 },
    ],
    [
      "with input and output images",
      {
        input_tokens: 100,
        output_tokens: 50,
        input_tokens_details: { text_tokens: 10, image_tokens: 90 },
        output_tokens_details: { image_tokens: 40 },
      },
      { inputTokens: 100, imageInputTokens: 90, outputTokens: 50, imageOutputTokens: 40 },
    ],
    [
      "with reasoning only in the total",
      {
        input_tokens: 12,
        output_tokens: 2,
        total_tokens: 334,
        output_tokens_details: { reasoning_tokens: 320 },
      },
      { inputTokens: 12, outputTokens: 322, reasoningTokens: 320 },
    ],
    [
      "without the output",
      { input_tokens: 10, total_tokens: 15 },
      { inputTokens: 10, outputTokens: 5 },
    ],
    ["nothing at all", { input_tokens: 0, output_tokens: 0 }, undefined],
    ["without any output", { input_tokens: 10 }, undefined],
    ["text", { input_tokens: "9", output_tokens: "3" }, undefined],
    ["a negative count", { input_tokens: 9, output_tokens: -3 }, undefined],
    ["more than any model can", { input_tokens: 9, output_tokens: 1e12 }, undefined],
  ])("%s", (_how, wire, expected) => {
    expect(parseUsage(wire)).toEqual(
      expected === undefined ? undefined : { ...NO_USAGE, ...expected },
    );
  });
});

test("[A2.4] written usage is read back unchanged, and adds up", () => {
  const usage = {
    ...NO_USAGE,
    inputTokens: 100,
    cachedInputTokens: 60,
    cacheWriteTokens: 7,
    outputTokens: 50,
    reasoningTokens: 30,
  };

  expect(parseUsage(buildUsage(usage))).toEqual(usage);
  expect(buildUsage(usage)).toMatchObject({ total_tokens: 150 });
});

test("web searches are counted in the output, without failures and opened pages", () => {
  const call = { type: "web_search_call", status: "completed" };
  const output = [
    { ...call, action: { type: "search", query: "foxes" } },
    call,
    { ...call, action: { type: "open_page", url: "https://example.com" } },
    { ...call, action: { type: "find_in_page", pattern: "fox" } },
    { ...call, status: "failed", action: { type: "search" } },
    { type: "message", content: [] },
  ];
  const usage = { input_tokens: 3, output_tokens: 2 };

  expect(parseUsage(usage, output)).toMatchObject({ searches: 2 });
  expect(parseUsage(usage, [])).not.toHaveProperty("searches");
});

describe("a complete response has beside its usage", () => {
  const usage = { input_tokens: 100, output_tokens: 20 };

  test("the service tier", () => {
    expect(usageIn({ usage, service_tier: "priority" })?.served).toEqual({
      serviceTier: "priority",
    });
    expect(usageIn({ usage, service_tier: "default" })?.served).toEqual({
      serviceTier: "standard",
    });
    expect(usageIn({ usage })).not.toHaveProperty("served");
  });

  test("the number of searches of its tool, which takes precedence over the output items", () => {
    const output = [{ type: "web_search_call", action: { type: "search" } }];
    const response = { usage, output, tool_usage: { web_search: { num_requests: 3 } } };

    expect(usageIn(response)?.searches).toBe(3);
    expect(
      usageIn({ usage, output, tool_usage: { web_search: { num_requests: 0 } } })?.searches,
    ).toBe(1);
  });

  test("the usage of its image tool, by the model that the tool names", () => {
    const image_gen = { input_tokens: 50, output_tokens: 4_000, total_tokens: 4_050 };
    const tools = [{ type: "image_generation", model: "gpt-image-2" }];
    const drawn = usageIn({ usage, tools, tool_usage: { image_gen } });

    expect(drawn).toMatchObject({
      inputTokens: 150,
      outputTokens: 4_020,
      imageOutputTokens: 4_000,
    });
    expect(drawn?.steps).toMatchObject([
      { usage: { inputTokens: 100, outputTokens: 20 } },
      { model: "gpt-image-2", usage: { inputTokens: 50, imageOutputTokens: 4_000 } },
    ]);
    expect(
      usageIn({ usage, tool_usage: { image_gen: { input_tokens: 0, output_tokens: 0 } } }),
    ).toEqual(usageIn({ usage }));
  });
});
